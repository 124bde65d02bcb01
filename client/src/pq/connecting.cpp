#include <poll.h>

#include <utility>

#include "pgcoord/error.hpp"
#include "pq/statements.hpp"
#include "pq/transport.hpp"

namespace pgcoord::detail {

namespace {

// PQconnectPoll() takes a socket that is not ready for a connected one.
bool is_ready(int descriptor, PostgresPollingStatusType wanted) {
  pollfd entry{descriptor, static_cast<short>(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace

void Transport::open(bool skip_last_host, Instant now) {
  close();
  if (skip_last_host) first_host_ = (first_host_ + 1) % hosts_.size();
  tried_ = 0;
  start_host(now);
}

void Transport::start_host(Instant now) {
  const auto& parameters = hosts_[(first_host_ + tried_) % hosts_.size()];
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  phase_ = Phase::connecting;
  polling_ = PGRES_POLLING_WRITING;
  host_deadline_ = now + options_.connect_timeout;
  connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 0));
  if (!connection_ || PQstatus(connection_.get()) == CONNECTION_BAD) {
    polling_ = PGRES_POLLING_FAILED;
    return;
  }
  PQsetNoticeReceiver(connection_.get(), on_notice, this);
}

void Transport::poll_connect(Instant now) {
  if (polling_ != PGRES_POLLING_FAILED) {
    if (!is_ready(PQsocket(connection_.get()), polling_)) return;
    polling_ = PQconnectPoll(connection_.get());
  }
  if (polling_ == PGRES_POLLING_FAILED) return next_host(connection_failure(), now);
  if (polling_ != PGRES_POLLING_OK) return;
  PQsetnonblocking(connection_.get(), 1);
  phase_ = Phase::greeting;
  greeting_.emplace(options_, std::to_string(random_()));
  greet();
}

void Transport::next_host(const Failure& reason, Instant now) {
  // close() may end what is referred to.  NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const auto failure = reason;
  const auto tried = tried_ + 1;
  close();
  if (tried >= hosts_.size()) return sink_.on_disconnected(failure);
  tried_ = tried;
  start_host(now);
}

void Transport::greet() { send(greeting_->sql(), greeting_->parameters()); }

void Transport::on_greeting(const PGresult* result) {
  greeting_->answer(connection_.get(), result);
  if (!greeting_->done()) return greet();
  const auto server = greeting_->server();
  greeting_.reset();
  first_host_ = (first_host_ + tried_) % hosts_.size();
  tried_ = 0;
  phase_ = Phase::ready;
  sink_.on_connected(server);
}

}  // namespace pgcoord::detail
