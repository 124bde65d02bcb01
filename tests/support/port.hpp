#pragma once

namespace pgcoord::test {

/// A port of 127.0.0.1 on which nobody listens. Throws std::runtime_error if there is none.
int free_port();

}  // namespace pgcoord::test
