#include "pgcoord/error.hpp"

#include <utility>

namespace pgcoord {

Error::Error(std::string_view sqlstate, const std::string& message, std::string detail, std::string hint)
    : std::runtime_error(message), sqlstate_(sqlstate), detail_(std::move(detail)), hint_(std::move(hint)) {}

}  // namespace pgcoord
