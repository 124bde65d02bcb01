#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct pg_conn;
struct pg_result;

namespace pgcoord::test {

/// A statement that failed. sqlstate() is "08006" when the connection broke.
class SqlError : public std::runtime_error {
 public:
  SqlError(std::string sqlstate, const std::string& message)
      : std::runtime_error{sqlstate + ": " + message}, sqlstate_{std::move(sqlstate)} {}
  const std::string& sqlstate() const { return sqlstate_; }

 private:
  std::string sqlstate_;
};

using Value = std::optional<std::string>;  ///< empty for NULL
using Rows = std::vector<std::vector<Value>>;

struct Notification {
  std::string channel;
  std::string payload;
  int pid = 0;
};

/// One libpq session, for one thread at a time. Every wait is bounded: a statement that takes longer than its
/// bound throws std::runtime_error and leaves the connection severed.
class Connection {
 public:
  using Bound = std::chrono::milliseconds;
  static constexpr Bound patience = std::chrono::seconds{30};

  /// Throws SqlError 08001 when it cannot connect.
  explicit Connection(const std::string& conninfo);

  /// The rows of the last statement. Several statements may be given when there are no parameters.
  Rows exec(const std::string& sql, const std::vector<std::string>& parameters = {}, Bound bound = patience);
  /// First column of the first row; throws std::runtime_error when there is no row.
  Value value(const std::string& sql, const std::vector<std::string>& parameters = {});
  /// "00000", or the SQLSTATE that it failed with.
  std::string sqlstate_of(const std::string& sql);

  /// Sends without waiting, for statements that are meant to block; finish() then takes the outcome.
  void send(const std::string& sql, const std::vector<std::string>& parameters = {});
  bool busy();
  Rows finish(Bound bound = patience);
  void cancel();

  /// The next one that came or comes within the bound.
  std::optional<Notification> notification(Bound bound);

  int backend_pid() const;
  /// Whether the server's end is still there, as far as the socket shows.
  bool alive();
  /// Closes the socket both ways without a word to the server, as a lost network or a dead client would.
  void sever();
  pg_conn* native() { return connection_.get(); }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };

  bool wait_readable(std::chrono::steady_clock::time_point end);
  [[noreturn]] void fail_lost();
  [[noreturn]] void give_up();

  std::unique_ptr<pg_conn, Close> connection_;
};

}  // namespace pgcoord::test
