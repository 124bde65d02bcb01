#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/command.hpp"
#include "pgcoord/lock_options.hpp"
#include "pgcoord/time.hpp"
#include "pq/handles.hpp"
#include "pq/hosts.hpp"

namespace pgcoord::detail {

/// The hosts of a connection string, as lock connections want them. Throws Error (22023).
[[nodiscard]] std::vector<ConnectParameters> lock_hosts(const LockOptions& options);

using CancelPointer = std::shared_ptr<PGcancel>;

/// One connection that locks are taken on; never blocks, but for name resolution in start(). Belongs to one
/// thread; phase() may be read by others under the lock that everything but start() is called under.
class LockConnection {
 public:
  enum class Phase {
    opening,  ///< start() and begin() are to be called
    connecting,
    greeting,
    ready,
    broken  ///< for good; failure() says why
  };

  LockConnection(const LockOptions& options, const std::vector<ConnectParameters>& hosts, std::string marker);

  /// Begins with the next host; changes nothing here.
  [[nodiscard]] ConnectionPointer start() const;
  void begin(ConnectionPointer started, Instant now);
  /// Moves on as far as it goes without waiting.
  void step(Instant now);
  void send(const char* sql, const Parameters& parameters);
  /// The answer to what was sent, once it is complete.
  [[nodiscard]] ResultPointer take_answer();
  void give_up(const Failure& reason);
  /// In a child of fork(): closes the descriptor, says nothing to the server, leaks the rest.
  void abandon() noexcept;

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] const Failure& failure() const { return failure_; }
  [[nodiscard]] int socket() const { return connection_ ? PQsocket(connection_.get()) : -1; }
  [[nodiscard]] short events() const;
  /// When the attempt to connect runs out.
  [[nodiscard]] std::optional<Instant> deadline() const;
  /// May be used by any thread, also when this is gone.
  [[nodiscard]] CancelPointer cancel_handle() const;

 private:
  void poll_connect();
  void greet();
  void on_greeting(const PGresult* result);
  void check_greeting(const PGresult* result) const;
  void receive();
  void host_failed(const Failure& reason);
  [[nodiscard]] Failure connection_failure() const;
  static void on_notice(void* connection, const PGresult* notice);

  const LockOptions& options_;
  const std::vector<ConnectParameters>& hosts_;
  const std::string marker_;
  Phase phase_ = Phase::opening;
  std::size_t host_ = 0;
  Instant host_deadline_{};
  PostgresPollingStatusType polling_ = PGRES_POLLING_WRITING;
  bool pinned_ = false;
  int backend_pid_ = 0;
  ConnectionPointer connection_;
  ResultPointer partial_;
  ResultPointer answer_;
  Failure failure_;
  /// The last words of a server that ends the session come as a notice.
  std::optional<Failure> last_notice_;
};

}  // namespace pgcoord::detail
