#include "session_impl.hpp"

#include <random>
#include <utility>

#include "pgcoord/error.hpp"

namespace pgcoord::detail {

namespace {

std::uint64_t seed_of(const SessionOptions& options) {
  if (options.random_seed) return *options.random_seed;
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

SessionOptions checked(SessionOptions options) {
  check(options);
  return options;
}

}  // namespace

SessionImpl::SessionImpl(SessionOptions given)
    : options(checked(std::move(given))),
      fork_generation_(fork_generation()),
      transport_(options, *this, seed_of(options)),
      core_(options, Random(seed_of(options))) {}

SessionImpl::~SessionImpl() = default;

void SessionImpl::require_usable() const {
  if (!forked()) return;
  throw Error(sqlstate::not_usable, "session was inherited through fork()", {},
              "Create a session of its own in the child.");
}

void SessionImpl::abandon() noexcept {
  transport_.abandon();
  waiter_.abandon();
}

// What the connection brings.

void SessionImpl::on_connected(const ServerInfo& server) {
  const std::lock_guard lock(mutex_);
  core_.connected(server, BootClock::now());
}

void SessionImpl::on_disconnected(const Failure& reason) {
  const std::lock_guard lock(mutex_);
  core_.disconnected(reason, BootClock::now());
}

void SessionImpl::on_reply(const Reply& reply) {
  const std::lock_guard lock(mutex_);
  core_.reply(reply, BootClock::now());
}

void SessionImpl::on_notified(std::string_view channel, std::string_view payload) {
  const std::lock_guard lock(mutex_);
  core_.notified(channel, payload, BootClock::now());
}

// Moving on.

void SessionImpl::step() {
  transport_.on_ready(BootClock::now());
  while (const auto action = next_action()) perform(*action);
  const std::lock_guard lock(mutex_);
  if (core_.closed()) transport_.close();
  collect();
}

std::optional<Action> SessionImpl::next_action() {
  const std::lock_guard lock(mutex_);
  return core_.next_action(BootClock::now());
}

void SessionImpl::perform(const Action& action) {
  if (const auto* execute = std::get_if<Execute>(&action)) {
    transport_.execute(*execute);
  } else if (const auto* open = std::get_if<OpenConnection>(&action)) {
    transport_.open(open->skip_last_host, BootClock::now());
  } else if (std::holds_alternative<CloseConnection>(action)) {
    transport_.close();
  } else {
    const bool well = ask_health();
    const std::lock_guard lock(mutex_);
    core_.health(well, BootClock::now());
  }
}

bool SessionImpl::ask_health() const noexcept {
  try {
    return options.healthy();
  } catch (...) {
    return false;
  }
}

void SessionImpl::collect() {
  for (const auto& event : core_.take_events()) {
    note(event);
    callbacks.post(event);
    untold_ = true;
  }
  for (auto& done : core_.take_completions()) answers_[done.request] = std::move(done.reply);
  changed_.notify_all();
}

void SessionImpl::note(const Event& event) {
  if (const auto* connected = std::get_if<Connected>(&event)) server_ = connected->server;
  if (std::holds_alternative<Joined>(event)) last_failure_.reset();
  if (const auto* gone = std::get_if<Disconnected>(&event)) {
    server_.reset();
    last_failure_ = gone->reason;
  }
  if (const auto* in_use = std::get_if<InstanceInUse>(&event)) last_failure_ = in_use->reason;
  if (const auto* failed = std::get_if<Failed>(&event)) last_failure_ = failed->reason;
}

void SessionImpl::follow_up() noexcept {
  const std::lock_guard lock(mutex_);
  collect();
  waiter_.wake();
}

void SessionImpl::on_ready() {
  require_usable();
  step();
  callbacks.deliver(options.on_callback_error);
  const std::lock_guard lock(mutex_);
  untold_ = false;
}

std::optional<Instant> SessionImpl::next_deadline() const {
  const auto own = transport_.deadline();
  const std::lock_guard lock(mutex_);
  if (untold_ && !pumps_itself()) return Instant{};
  const auto core = core_.deadline();
  if (!own || !core) return own ? own : core;
  return std::min(*own, *core);
}

// What others ask.

bool SessionImpl::is_ready() const {
  if (forked()) return false;
  const std::lock_guard lock(mutex_);
  return core_.is_ready();
}

bool SessionImpl::is_closed() const {
  if (forked()) return true;
  const std::lock_guard lock(mutex_);
  return core_.closed() || pump_ended_;
}

std::optional<ServerInfo> SessionImpl::server() const {
  require_usable();
  const std::lock_guard lock(mutex_);
  return server_;
}

std::optional<Failure> SessionImpl::last_failure() const {
  require_usable();
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

}  // namespace pgcoord::detail
