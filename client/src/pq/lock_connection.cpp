#include "pq/lock_connection.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "pgcoord/error.hpp"
#include "pq/fields.hpp"
#include "pq/statements.hpp"

namespace pgcoord::detail {

namespace {

// Joined with pg_settings, so that a server which lacks one is no error. Those of the startup packet again: a
// proxy may have dropped them.
constexpr const char* pin_sql = R"(
SELECT pg_catalog.pg_backend_pid(), pg_catalog.pg_is_in_recovery(),
       pg_catalog.set_config('pgcoord.session', $1, false),
       (SELECT pg_catalog.count(pg_catalog.set_config(s.name, v.value, false))
          FROM (VALUES ('default_transaction_isolation', 'read committed'),
                       ('default_transaction_read_only', 'off'),
                       ('default_transaction_deferrable', 'off'),
                       ('statement_timeout', '0'),
                       ('lock_timeout', '0'),
                       ('idle_session_timeout', '0'),
                       ('idle_in_transaction_session_timeout', '0'),
                       ('transaction_timeout', '0'),
                       ('client_connection_check_interval', '1s'),
                       ('client_min_messages', 'warning'),
                       ('jit', 'off'),
                       ('tcp_keepalives_idle', $2),
                       ('tcp_keepalives_interval', $2),
                       ('tcp_keepalives_count', '3'),
                       ('tcp_user_timeout', $3),
                       ('search_path', '')) AS v (name, value)
          JOIN pg_catalog.pg_settings AS s ON s.name OPERATOR(pg_catalog.=) v.name))";

constexpr const char* look_sql = "SELECT pg_backend_pid(), current_setting('pgcoord.session', true)";

std::string_view field(const PGresult* result, int column) { return PQgetvalue(result, 0, column); }

[[noreturn]] void refuse_proxy(const char* detail) {
  throw Error(sqlstate::pooled_connection, "connection goes through a proxy that shares sessions", detail,
              "Connect to the server itself, or to a pool of whole sessions (see ProxyCheck).");
}

}  // namespace

LockConnection::LockConnection(const LockOptions& options, const std::vector<ConnectParameters>& hosts,
                               std::string marker)
    : options_(options), hosts_(hosts), marker_(std::move(marker)) {}

ConnectionPointer LockConnection::start() const {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : hosts_[host_]) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  return ConnectionPointer(PQconnectStartParams(keywords.data(), values.data(), 0));
}

void LockConnection::begin(ConnectionPointer started, Instant now) {
  connection_ = std::move(started);
  host_deadline_ = now + options_.connect_timeout;
  phase_ = Phase::connecting;
  pinned_ = false;
  polling_ = PGRES_POLLING_WRITING;
  if (!connection_ || PQstatus(connection_.get()) == CONNECTION_BAD) return host_failed(connection_failure());
  PQsetNoticeReceiver(connection_.get(), on_notice, this);
}

void LockConnection::step(Instant now) {
  if ((phase_ == Phase::connecting || phase_ == Phase::greeting) && now >= host_deadline_) {
    return host_failed({std::string(sqlstate::cannot_connect), "timeout expired", {}, {}});
  }
  if (phase_ == Phase::connecting) poll_connect();
  if (phase_ == Phase::greeting || phase_ == Phase::ready) receive();
}

void LockConnection::poll_connect() {
  // PQconnectPoll() takes a socket that is not ready for a connected one.
  pollfd entry{socket(), events(), 0};
  if (::poll(&entry, 1, 0) == 0) return;
  polling_ = PQconnectPoll(connection_.get());
  if (polling_ == PGRES_POLLING_FAILED) return host_failed(connection_failure());
  if (polling_ != PGRES_POLLING_OK) return;
  PQsetnonblocking(connection_.get(), 1);
  phase_ = Phase::greeting;
  greet();
}

void LockConnection::greet() {
  const auto third = std::chrono::ceil<std::chrono::seconds>(options_.silence_timeout / 3);
  if (pinned_) return send(look_sql, {});
  send(pin_sql, {marker_, std::to_string(third.count()), std::to_string(options_.silence_timeout.count())});
}

void LockConnection::on_greeting(const PGresult* result) {
  try {
    check_greeting(result);
  } catch (const Error& error) {
    return host_failed({error.sqlstate(), error.what(), error.detail(), error.hint()});
  }
  if (pinned_) {
    phase_ = Phase::ready;
    return;
  }
  pinned_ = true;
  backend_pid_ = std::atoi(PQgetvalue(result, 0, 0));
  greet();
}

void LockConnection::check_greeting(const PGresult* result) const {
  if (PQresultStatus(result) != PGRES_TUPLES_OK) {
    const auto failure = failure_of(result);
    throw Error(failure.sqlstate, failure.message, failure.detail, failure.hint);
  }
  const int pid = std::atoi(PQgetvalue(result, 0, 0));
  if (pinned_) {
    if (pid != backend_pid_ || field(result, 1) != marker_) {
      refuse_proxy("Two transactions ran in different server sessions.");
    }
    return;
  }
  if (pid != PQbackendPID(connection_.get()) && options_.proxy_check == ProxyCheck::refuse_any) {
    refuse_proxy("The server session is not the one that the connection was told of.");
  }
  if (field(result, 1) == "t") {
    throw Error(sqlstate::read_only, "server is a standby",
                "A lock of a standby excludes nobody on its primary.",
                "Name the primary server in the connection string.");
  }
}

void LockConnection::receive() {
  PQflush(connection_.get());
  const bool alive = PQconsumeInput(connection_.get()) == 1;
  // PQisBusy() also reads what comes unasked, such as the last words of the server.
  while (PQisBusy(connection_.get()) == 0) {
    ResultPointer next(PQgetResult(connection_.get()));
    if (next) {
      if (!partial_) partial_ = std::move(next);
      continue;
    }
    if (!partial_ || PQstatus(connection_.get()) == CONNECTION_BAD) break;
    auto complete = std::exchange(partial_, nullptr);
    if (phase_ == Phase::ready) {
      answer_ = std::move(complete);
      break;
    }
    on_greeting(complete.get());
    if (phase_ != Phase::greeting) return;
  }
  if (alive && PQstatus(connection_.get()) != CONNECTION_BAD) return;
  if (partial_) last_notice_ = failure_of(partial_.get());
  host_failed(connection_failure());
}

void LockConnection::send(const char* sql, const Parameters& parameters) {
  std::vector<const char*> values;
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  const int sent = PQsendQueryParams(connection_.get(), sql, static_cast<int>(values.size()), nullptr,
                                     values.data(), nullptr, nullptr, 0);
  // A failure shows up as a dead connection at the next step().
  if (sent == 1) PQflush(connection_.get());
}

ResultPointer LockConnection::take_answer() { return std::exchange(answer_, nullptr); }

void LockConnection::host_failed(const Failure& reason) {
  failure_ = reason;
  connection_.reset();
  partial_.reset();
  last_notice_.reset();
  const bool was_ready = phase_ == Phase::ready;
  phase_ = !was_ready && ++host_ < hosts_.size() ? Phase::opening : Phase::broken;
}

void LockConnection::give_up(const Failure& reason) {
  phase_ = Phase::ready;  // no other host
  host_failed(reason);
}

void LockConnection::abandon() noexcept {
  const int descriptor = socket();
  static_cast<void>(connection_.release());
  if (descriptor >= 0) ::close(descriptor);
}

short LockConnection::events() const {
  const bool writes = phase_ == Phase::connecting && polling_ == PGRES_POLLING_WRITING;
  return writes ? POLLOUT : POLLIN;
}

std::optional<Instant> LockConnection::deadline() const {
  if (phase_ == Phase::connecting || phase_ == Phase::greeting) return host_deadline_;
  return std::nullopt;
}

CancelPointer LockConnection::cancel_handle() const {
  return {PQgetCancel(connection_.get()), [](PGcancel* handle) { PQfreeCancel(handle); }};
}

Failure LockConnection::connection_failure() const {
  if (last_notice_) return *last_notice_;
  if (phase_ != Phase::ready) return refusal(connection_.get());
  return {std::string(sqlstate::connection_lost), trimmed(PQerrorMessage(connection_.get())), {}, {}};
}

void LockConnection::on_notice(void* connection, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const std::string_view word = severity ? severity : "";
  if (word != "FATAL" && word != "PANIC" && word != "ERROR") return;
  static_cast<LockConnection*>(connection)->last_notice_ = failure_of(notice);
}

}  // namespace pgcoord::detail
