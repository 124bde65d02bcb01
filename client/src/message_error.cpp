#include "pgcoord/message_error.hpp"

namespace pgcoord {

MessageError::MessageError(std::string_view kind, std::string_view problem)
    : Error("22P02", "invalid " + std::string(kind) + ": " + std::string(problem)) {}

}  // namespace pgcoord
