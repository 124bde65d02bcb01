#include "port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <random>
#include <stdexcept>

#include "process.hpp"

namespace pgcoord::test {
namespace {

bool is_free(int port) {
  const Descriptor probe{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const int on = 1;
  setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

// Below the ports that the kernel gives to outgoing connections: one of those could otherwise take the port
// of a server that is down for a moment, or a client connect to itself.
int free_port() {
  static std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> ports{15000, 31999};
  for (int tries = 0; tries < 100; ++tries)
    if (const int port = ports(random); is_free(port)) return port;
  throw std::runtime_error{"no free port"};
}

}  // namespace pgcoord::test
