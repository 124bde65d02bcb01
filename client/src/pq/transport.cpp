#include "pq/transport.hpp"

#include <unistd.h>

#include <utility>

#include "pgcoord/error.hpp"
#include "pq/fields.hpp"
#include "pq/statements.hpp"

namespace pgcoord::detail {

Transport::Transport(const SessionOptions& options, TransportSink& sink, std::uint64_t seed)
    : options_(options), sink_(sink), hosts_(hosts_of(options)), random_(seed) {}

void Transport::execute(const Execute& command) {
  running_ = command;
  if (is_repeated(command.statement)) {
    return prepared_.contains(command.statement) ? send_prepared() : prepare();
  }
  if (command.statement != Statement::listen) {
    return send(sql_of(command.statement), command.parameters);
  }
  const auto& channel = command.parameters.front().value();
  const TextPointer quoted(PQescapeIdentifier(connection_.get(), channel.data(), channel.size()));
  send(quoted ? (std::string("LISTEN ") + quoted.get()).c_str() : "", {});
}

namespace {

std::vector<const char*> values_of(const Parameters& parameters) {
  std::vector<const char*> values;
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  return values;
}

std::string name_of(Statement statement) { return "pgcoord_" + std::string(to_string(statement)); }

}  // namespace

void Transport::prepare() {
  const auto statement = running_->statement;
  preparing_ = true;
  const int sent =
      PQsendPrepare(connection_.get(), name_of(statement).c_str(), sql_of(statement), 0, nullptr);
  if (sent == 1) flush();
}

void Transport::send_prepared() {
  const auto values = values_of(running_->parameters);
  const int sent = PQsendQueryPrepared(connection_.get(), name_of(running_->statement).c_str(),
                                       static_cast<int>(values.size()), values.data(), nullptr, nullptr, 0);
  if (sent == 1) flush();
}

void Transport::send(const char* sql, const Parameters& parameters) {
  const auto values = values_of(parameters);
  const int sent = PQsendQueryParams(connection_.get(), sql, static_cast<int>(values.size()), nullptr,
                                     values.data(), nullptr, nullptr, 0);
  // A failure shows up as a dead connection at the next on_ready().
  if (sent == 1) flush();
}

void Transport::flush() { flush_pending_ = PQflush(connection_.get()) == 1; }

void Transport::close() {
  connection_.reset();
  phase_ = Phase::closed;
  greeting_.reset();
  running_.reset();
  result_.reset();
  last_notice_.reset();
  flush_pending_ = false;
  preparing_ = false;
  prepared_.clear();
}

void Transport::abandon() noexcept {
  const int descriptor = connection_ ? PQsocket(connection_.get()) : -1;
  static_cast<void>(connection_.release());
  if (descriptor >= 0) ::close(descriptor);
}

void Transport::on_ready(Instant now) {
  if (phase_ == Phase::closed) return;
  if (phase_ != Phase::ready && now >= host_deadline_) {
    return next_host({std::string(sqlstate::cannot_connect), "timeout expired", {}, {}}, now);
  }
  if (phase_ == Phase::connecting) poll_connect(now);
  if (phase_ == Phase::greeting || phase_ == Phase::ready) receive(now);
}

void Transport::receive(Instant now) {
  if (flush_pending_) flush();
  const bool alive = PQconsumeInput(connection_.get()) == 1;
  take_notifications();
  try {
    take_results();
  } catch (const Error& error) {
    return next_host({error.sqlstate(), error.what(), error.detail(), error.hint()}, now);
  } catch (const std::exception& error) {  // an answer of a kind that PostgreSQL does not give
    return next_host({std::string(sqlstate::pooled_connection), error.what(), {}, {}}, now);
  }
  if (phase_ == Phase::closed) return;
  take_notifications();
  if (!alive || PQstatus(connection_.get()) == CONNECTION_BAD) lost(connection_failure(), now);
}

void Transport::take_results() {
  while (connection_ && (running_ || greeting_) && PQisBusy(connection_.get()) == 0) {
    ResultPointer next(PQgetResult(connection_.get()));
    take_notifications();
    if (next) {
      if (!result_) result_ = std::move(next);
      continue;
    }
    if (!result_) return;  // nothing was sent: the connection is dead
    const auto result = std::exchange(result_, nullptr);
    if (greeting_) {
      on_greeting(result.get());
    } else if (std::exchange(preparing_, false) && PQresultStatus(result.get()) == PGRES_COMMAND_OK) {
      prepared_.insert(running_->statement);
      send_prepared();
    } else if (PQstatus(connection_.get()) != CONNECTION_BAD) {
      const auto command = *std::exchange(running_, std::nullopt);
      auto reply = reply_of(command.statement, result.get());
      reply.tag = command.tag;
      sink_.on_reply(reply);
    } else {
      last_notice_ = failure_of(result.get());
      return;
    }
  }
}

void Transport::take_notifications() {
  struct Free {
    void operator()(PGnotify* notify) const noexcept { PQfreemem(notify); }
  };
  while (connection_) {
    const std::unique_ptr<PGnotify, Free> notify(PQnotifies(connection_.get()));
    if (!notify) return;
    sink_.on_notified(notify->relname, notify->extra);
  }
}

void Transport::lost(const Failure& reason, Instant now) {
  if (phase_ != Phase::ready) return next_host(reason, now);
  close();
  sink_.on_disconnected(reason);
}

Failure Transport::connection_failure() const {
  if (last_notice_) return *last_notice_;
  if (phase_ != Phase::ready) return refusal(connection_.get());
  return {std::string(sqlstate::connection_lost), trimmed(PQerrorMessage(connection_.get())), {}, {}};
}

void Transport::on_notice(void* transport, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const std::string_view word = severity ? severity : "";
  if (word != "FATAL" && word != "PANIC" && word != "ERROR") return;
  static_cast<Transport*>(transport)->last_notice_ = failure_of(notice);
}

int Transport::socket() const { return connection_ ? PQsocket(connection_.get()) : -1; }

bool Transport::wants_read() const {
  if (phase_ == Phase::connecting) return polling_ == PGRES_POLLING_READING;
  return phase_ != Phase::closed;
}

bool Transport::wants_write() const {
  if (phase_ == Phase::connecting) return polling_ == PGRES_POLLING_WRITING;
  return flush_pending_;
}

std::optional<Instant> Transport::deadline() const {
  // An attempt that failed at once has no socket to wait for.
  if (phase_ == Phase::connecting && polling_ == PGRES_POLLING_FAILED) return Instant{};
  if (phase_ == Phase::connecting || phase_ == Phase::greeting) return host_deadline_;
  return std::nullopt;
}

}  // namespace pgcoord::detail
