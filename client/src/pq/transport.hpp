#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pgcoord/backoff.hpp"
#include "pgcoord/command.hpp"
#include "pgcoord/time.hpp"
#include "pq/greeting.hpp"
#include "pq/handles.hpp"
#include "pq/hosts.hpp"

namespace pgcoord::detail {

/// Hears what the connection brings.
class TransportSink {
 public:
  virtual void on_connected(const ServerInfo& server) = 0;
  virtual void on_disconnected(const Failure& reason) = 0;
  virtual void on_reply(const Reply& reply) = 0;
  virtual void on_notified(std::string_view channel, std::string_view payload) = 0;

 protected:
  ~TransportSink() = default;
};

/// One libpq connection at a time, never blocking (but for name resolution). Belongs to one thread.
class Transport {
 public:
  /// Throws Error (22023) for a bad connection string.
  Transport(const SessionOptions& options, TransportSink& sink, std::uint64_t seed);

  /// Tries each host once, beginning with the last good one, or with the one after it.
  void open(bool skip_last_host, Instant now);
  void execute(const Execute& command);
  /// Ends the connection and tells nobody.
  void close();
  /// In a child of fork(): closes the descriptor, says nothing to the server, leaks the rest.
  void abandon() noexcept;

  /// Moves on as far as it goes without waiting.
  void on_ready(Instant now);
  [[nodiscard]] int socket() const;
  [[nodiscard]] bool wants_read() const;
  [[nodiscard]] bool wants_write() const;
  /// When the attempt to connect runs out.
  [[nodiscard]] std::optional<Instant> deadline() const;

 private:
  enum class Phase { closed, connecting, greeting, ready };

  void start_host(Instant now);
  void next_host(const Failure& reason, Instant now);
  void poll_connect(Instant now);
  void greet();
  void on_greeting(const PGresult* result);
  void receive(Instant now);
  void take_results();
  void take_notifications();
  void prepare();
  void send_prepared();
  void send(const char* sql, const Parameters& parameters);
  void flush();
  void lost(const Failure& reason, Instant now);
  [[nodiscard]] Failure connection_failure() const;
  static void on_notice(void* transport, const PGresult* notice);

  const SessionOptions& options_;
  TransportSink& sink_;
  const std::vector<ConnectParameters> hosts_;
  Random random_;

  Phase phase_ = Phase::closed;
  ConnectionPointer connection_;
  std::size_t first_host_ = 0;
  std::size_t tried_ = 0;
  Instant host_deadline_;
  PostgresPollingStatusType polling_ = PGRES_POLLING_WRITING;
  std::optional<Greeting> greeting_;
  std::optional<Execute> running_;
  /// What the server has planned for this connection; `running_` is on its way there.
  std::set<Statement> prepared_;
  bool preparing_ = false;
  ResultPointer result_;
  /// The last words of a server that ends the session come as a notice.
  std::optional<Failure> last_notice_;
  bool flush_pending_ = false;
};

}  // namespace pgcoord::detail
