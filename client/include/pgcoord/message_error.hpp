#pragma once

#include <string>
#include <string_view>

#include "pgcoord/error.hpp"
#include "pgcoord/export.hpp"

namespace pgcoord {

/// A message that cannot be what it claims to be: sqlstate() is 22P02, what() says what is wrong and where.
/// Nothing was taken from it.
class PGCOORD_EXPORT MessageError : public Error {
 public:
  /// `kind` names the message, `problem` what is wrong with it.
  MessageError(std::string_view kind, std::string_view problem);
};

}  // namespace pgcoord
