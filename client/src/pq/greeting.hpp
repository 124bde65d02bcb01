#pragma once

#include <libpq-fe.h>

#include <string>

#include "pgcoord/command.hpp"
#include "pgcoord/session_options.hpp"

namespace pgcoord::detail {

/// The statements that a fresh connection begins with: they pin the settings which an administrator's
/// defaults could have changed, find out whom we talk to, and see whether a proxy is in between.
class Greeting {
 public:
  Greeting(const SessionOptions& options, std::string marker);

  /// The next statement; empty when done.
  [[nodiscard]] const char* sql() const;
  [[nodiscard]] Parameters parameters() const;
  /// Takes the answer to it. Throws Error if the connection must not be used.
  void answer(const PGconn* connection, const PGresult* result);
  [[nodiscard]] bool done() const { return step_ == Step::done; }
  [[nodiscard]] const ServerInfo& server() const { return server_; }

 private:
  enum class Step { pin, look, identify, done };

  void on_pinned(const PGconn* connection, const PGresult* result);
  void on_looked(const PGresult* result);

  const SessionOptions& options_;
  const std::string marker_;
  Step step_ = Step::pin;
  ServerInfo server_;
};

}  // namespace pgcoord::detail
