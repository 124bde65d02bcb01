#include "relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace pgcoord::test {
namespace {

constexpr int look_every = 20;  // milliseconds

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool readable(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  return ::poll(&entry, 1, look_every) > 0;
}

/// The message that names the server session: type, length, pid, key.
void change_pid(char* begin, char* end) {
  constexpr std::string_view start{"K\0\0\0\x0c", 5};
  const auto found = std::search(begin, end, start.begin(), start.end());
  if (end - found >= 9) found[8] = static_cast<char>(found[8] ^ 1);
}

/// The message of a parameter's value: type, length, name, value.
std::string hide_standby(std::string bytes) {
  const std::string is{"S\0\0\0\x16in_hot_standby\0on\0", 23};
  const std::string is_not{"S\0\0\0\x17in_hot_standby\0off\0", 24};
  if (const auto place = bytes.find(is); place != std::string::npos) bytes.replace(place, is.size(), is_not);
  return bytes;
}

}  // namespace

Relay::Relay(int server_port, bool other_pid)
    : server_port_(server_port),
      other_pid_(other_pid),
      listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  auto address = loopback(0);
  socklen_t length = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listening_.get(), generic, length) != 0 || ::listen(listening_.get(), 64) != 0 ||
      ::getsockname(listening_.get(), generic, &length) != 0) {
    throw std::runtime_error("relay cannot listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

Relay::~Relay() {
  stop_ = true;
  acceptor_.join();
  for (auto& thread : threads_) thread.join();
}

void Relay::accept_all() {
  while (!stop_) {
    if (!readable(listening_.get())) continue;
    Descriptor client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = loopback(server_port_);
    if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) continue;
    threads_.emplace_back([this, client = std::move(client), server = std::move(server)]() mutable {
      pass_on(std::move(client), std::move(server));
    });
  }
}

void Relay::pass_on(Descriptor client, Descriptor server) {
  const int cuts = cuts_;
  while (!stop_ && cuts == cuts_) {
    std::array<pollfd, 2> entries{pollfd{client.get(), POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
    if (frozen_) {
      ::poll(nullptr, 0, look_every);
      continue;
    }
    if (::poll(entries.data(), entries.size(), look_every) <= 0 || frozen_) continue;
    if (entries[0].revents != 0 && !copy(client.get(), server.get(), false)) return;
    if (entries[1].revents != 0 && !copy(server.get(), client.get(), true)) return;
  }
}

bool Relay::copy(int from, int to, bool from_server) {
  std::array<char, 8192> buffer{};
  const auto count = ::recv(from, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  if (from_server && other_pid_) change_pid(buffer.data(), buffer.data() + count);
  std::string bytes(buffer.data(), static_cast<std::size_t>(count));
  if (from_server && pretended_primary_) bytes = hide_standby(std::move(bytes));
  return ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace pgcoord::test
