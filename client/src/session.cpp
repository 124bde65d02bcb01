#include "pgcoord/session.hpp"

#include <utility>

#include "pgcoord/error.hpp"
#include "session_impl.hpp"

namespace pgcoord {

Session::Session(SessionOptions options) : impl_(std::make_shared<detail::SessionImpl>(std::move(options))) {
  impl_->start();
}

Session::~Session() {
  if (impl_->forked()) {
    impl_->abandon();
    // Its locks may be held by threads that this process does not have: never to be destroyed.
    static_cast<void>(new (std::nothrow) std::shared_ptr<detail::SessionImpl>(impl_));
    return;
  }
  try {
    impl_->close(impl_->options.close_timeout);
    impl_->detach();
  } catch (...) {  // the server notices the end of the connection in any case
  }
}

const std::string& Session::instance_id() const noexcept { return impl_->options.instance_id; }

const SessionOptions& Session::options() const noexcept { return impl_->options; }

bool Session::is_ready() const { return impl_->is_ready(); }

bool Session::wait_until_ready(Duration timeout) { return impl_->wait_until_ready(timeout); }

void Session::require_ready(Duration timeout) {
  if (impl_->wait_until_ready(timeout)) return;
  const auto reason = impl_->last_failure();
  if (!reason) throw Error(sqlstate::cannot_connect, "session was not ready in time");
  throw Error(reason->sqlstate, reason->message, reason->detail, reason->hint);
}

std::optional<ServerInfo> Session::server() const { return impl_->server(); }

std::optional<Failure> Session::last_failure() const { return impl_->last_failure(); }

CallbackId Session::on_event(EventCallback callback) {
  impl_->require_usable();
  return impl_->callbacks.add(std::move(callback));
}

bool Session::remove_event_callback(CallbackId id) {
  impl_->require_usable();
  return impl_->callbacks.remove(id);
}

void Session::set_load(std::optional<int> in_flight_count, std::optional<double> load_factor) {
  impl_->with_core([&](SessionCore& core, Instant) { core.set_load(in_flight_count, load_factor); });
}

void Session::set_subscriptions(std::vector<std::string> subscriptions) {
  impl_->with_core([&](SessionCore& core, Instant) { core.set_subscriptions(std::move(subscriptions)); });
}

void Session::run_for(Duration duration) { impl_->run_for(duration); }

void Session::close() { close(impl_->options.close_timeout); }

void Session::close(Duration timeout) { impl_->close(timeout); }

bool Session::is_closed() const { return impl_->is_closed(); }

std::uint64_t Session::malformed_notifications() const {
  return impl_->with_core([](const SessionCore& core, Instant) { return core.malformed_notifications(); });
}

int Session::socket() const { return impl_->socket(); }

bool Session::wants_read() const { return impl_->wants_read(); }

bool Session::wants_write() const { return impl_->wants_write(); }

std::optional<Instant> Session::next_deadline() const { return impl_->next_deadline(); }

void Session::on_ready() { impl_->on_ready(); }

}  // namespace pgcoord
