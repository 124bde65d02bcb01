#pragma once

#include <exception>

#include "pgcoord/callback_list.hpp"

namespace pgcoord::detail {

/// Tells the exception being handled to `handler`, which may be missing and may throw.
inline void report_current(const CallbackErrorHandler& handler) noexcept {
  try {
    if (handler) handler(std::current_exception());
  } catch (...) {  // a handler that throws has had its chance
  }
}

}  // namespace pgcoord::detail
