#include "messages.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pgcoord::fuzz::read_as_any({reinterpret_cast<const char*>(data), size});
  return 0;
}
