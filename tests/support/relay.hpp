#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "support/process.hpp"

namespace pgcoord::test {

/// A stranger between a client and a server on 127.0.0.1: passes everything on, until told otherwise.
class Relay {
 public:
  /// With `other_pid` the client is told of another server session than it gets, as by a connection pool.
  explicit Relay(int server_port, bool other_pid = false);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  [[nodiscard]] int port() const { return port_; }
  /// Passes nothing on any more and keeps every connection open.
  void freeze() { frozen_ = true; }
  /// Passes on again, also what came meanwhile.
  void thaw() { frozen_ = false; }
  /// Closes every connection there is.
  void cut() { ++cuts_; }
  /// New clients are told that the server is no standby, whatever it says.
  void pretend_primary() { pretended_primary_ = true; }

 private:
  void accept_all();
  void pass_on(Descriptor client, Descriptor server);
  bool copy(int from, int to, bool from_server);

  const int server_port_;
  const bool other_pid_;
  Descriptor listening_;
  int port_ = 0;
  std::atomic<bool> frozen_{false};
  std::atomic<bool> pretended_primary_{false};
  std::atomic<int> cuts_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;  // the acceptor's, until it ends
  std::thread acceptor_;
};

}  // namespace pgcoord::test
