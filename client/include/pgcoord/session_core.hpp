#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/backoff.hpp"
#include "pgcoord/command.hpp"
#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leadership_cell.hpp"
#include "pgcoord/session_options.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// Names one question that somebody waits for.
enum class RequestId : std::uint64_t {};

/// The answer to one request: a Reply, whose failure may be of this side (08006: the connection went).
struct Completion {
  RequestId request{};
  Reply reply;
};

/// Everything a session decides, without socket, thread or clock: tell it what happened and what
/// time it is, then do what next_action() says until it says nothing, hand out the events, and come
/// back at deadline() at the latest. `now` must never go backwards.
///
/// Not thread-safe, but for the cells it hands out. Session is this core on a libpq connection; take
/// the core itself to run on another driver, or in a simulation.
class PGCOORD_EXPORT SessionCore {
 public:
  /// `options` must have passed check(); conninfo, timeouts of the connection, pump and callbacks
  /// are not used, `healthy` only for whether it is set.
  SessionCore(SessionOptions options, const Random& random);
  ~SessionCore();
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  // What happened.
  void connected(const ServerInfo& server, Instant now);
  void disconnected(const Failure& reason, Instant now);
  /// A reply to anything but the statement that is out is ignored.
  void reply(const Reply& reply, Instant now);
  /// Never believed, only a reason to look; malformed ones are counted.
  void notified(std::string_view channel, std::string_view payload, Instant now);
  void health(bool well, Instant now);
  void tick(Instant now);

  // What the user wants. Wishes stand, across reconnects, until they are taken back.
  /// Leads the election whenever it can be had; higher priority first.
  void campaign(const std::string& election, int priority, Instant now);
  void withdraw(const std::string& election, Instant now);
  /// Stops leading at once, here and then there, and takes the campaign back.
  RequestId release(const std::string& election, Instant now);
  /// Wants to know who leads, at once; nests.
  void observe(const std::string& election, Instant now);
  void stop_observing(const std::string& election);
  /// The last known leader. If it may be out of date, reads it soon.
  [[nodiscard]] std::optional<std::string> current_leader(const std::string& election, Instant now);
  RequestId try_acquire(const std::string& election, Instant now);
  RequestId renew(Instant now);
  RequestId read_leader(const std::string& election, Instant now);
  /// Nobody waits any more. What a lost try_acquire() still wins is handed back. True if the request was
  /// never sent.
  bool abandon(RequestId request, Instant now);
  /// Told to the peers with the next heartbeat; the factor is rounded to two decimals, so that noise is
  /// nothing to tell. Throws Error (22023) for a negative count and a factor that is not finite.
  void set_load(std::optional<int> in_flight_count, std::optional<double> load_factor);
  /// Told to the peers at once.
  void set_subscriptions(std::vector<std::string> subscriptions);
  /// Wants PeersRead, PeerRead, WorkAssigned and DrainRequested told, beginning with the whole; nests.
  void watch_peers(Instant now);
  void stop_watching_peers();
  /// Announces that this member shuts down. The notice stands: every new incarnation announces it again, with
  /// the time that is left, and none campaigns once it is over. A newer one replaces it. Only a refusal for
  /// good (classes 22, 42) takes it back. `metadata` is a JSON object.
  RequestId announce_shutdown(ShutdownIntent intent, Duration drain_timeout, int in_flight_count,
                              std::string metadata, Instant now);
  RequestId assign(const std::string& instance_id, const std::vector<std::string>& subscriptions,
                   const std::string& election, Token token, int priority, Instant now);
  RequestId remove_member(const std::string& instance_id, Instant now);
  /// Gives everything up, and leaves. Nothing is started any more; done when closed() is true.
  void close(Instant now);
  [[nodiscard]] bool closed() const;

  // What is to be done.
  [[nodiscard]] std::optional<Action> next_action(Instant now);
  [[nodiscard]] std::vector<Event> take_events();
  [[nodiscard]] std::vector<Completion> take_completions();
  /// When to call tick() if nothing happens before; none: only when something happens.
  [[nodiscard]] std::optional<Instant> deadline() const;

  // What is known.
  [[nodiscard]] bool is_connected() const;
  /// Joined and heard (an observer: connected and listening).
  [[nodiscard]] bool is_ready() const;
  /// Of this session's member; 0 while it is none.
  [[nodiscard]] std::int64_t incarnation() const;
  [[nodiscard]] const std::vector<std::string>& subscriptions() const;
  /// May be read from any thread, for as long as it is held.
  [[nodiscard]] std::shared_ptr<const LeadershipCell> cell(const std::string& election);
  [[nodiscard]] std::uint64_t malformed_notifications() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace pgcoord
