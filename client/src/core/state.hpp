#pragma once

#include <deque>
#include <map>
#include <vector>

#include "core/election.hpp"
#include "core/pace.hpp"
#include "core/peer_watch.hpp"
#include "core/shutdown_wish.hpp"
#include "pgcoord/leader_notice.hpp"
#include "pgcoord/session_core.hpp"

namespace pgcoord {

/// How the core's parts are cut: leading.cpp grants and ends terms, schedule.cpp decides what is due
/// when, replies.cpp and failures.cpp take answers in, wishes.cpp what users want, notices.cpp what others
/// announce, listening.cpp makes up for what is not heard, peers.cpp reads the group, shutting_down.cpp sees
/// to our own notice, connection.cpp to the connection's coming and going.
class SessionCore::State {
 public:
  using Election = detail::Election;

  struct Request {
    RequestId id{};
    Statement statement = Statement::ping;
    std::string election;
    bool abandoned = false;
    /// None: the election.
    Parameters parameters;
  };
  struct InFlight {
    Execute command;
    std::string election;
    Instant sent_at;
    std::vector<Request> requests;
  };
  enum class Phase { idle, connecting, connected, ended };

  State(SessionOptions options, const Random& random);

  /// Every input begins with this: moves the clock and ends what has run out.
  void begin(Instant now);

  // leading.cpp
  Election& election(const std::string& name);
  Election* find(const std::string& name);
  [[nodiscard]] Instant lead_deadline() const;
  void gain(Election& e, Token token);
  void lose(Election& e, LossCause cause);
  void lose_all(LossCause cause);
  void expire();
  void hand_back(Election& e, Token token);
  /// `row` is null when nobody leads.
  void learn(Election& e, const Leadership* row);
  [[nodiscard]] bool alive() const;

  // schedule.cpp
  using Due = std::optional<Instant>;
  [[nodiscard]] bool is_due(const Due& due) const { return due && *due <= now; }
  [[nodiscard]] Due join_due() const;
  [[nodiscard]] Due heartbeat_due() const;
  [[nodiscard]] bool can_send(const Request& request) const;
  [[nodiscard]] Due request_due() const;
  [[nodiscard]] Due hand_back_due(const Election& e) const;
  [[nodiscard]] Due withdraw_due(const Election& e) const;
  [[nodiscard]] Due campaign_due(const Election& e) const;
  [[nodiscard]] Due sweep_due() const;
  [[nodiscard]] Due read_due(const Election& e) const;
  [[nodiscard]] Due ping_due() const;
  [[nodiscard]] Due deadline() const;
  std::optional<Action> next_action();
  std::optional<Action> next_statement();
  std::optional<Action> next_closing();
  std::optional<Action> next_heartbeat();
  std::optional<Action> next_request();
  std::optional<Action> next_for_elections();
  Action send(Statement statement, Parameters parameters, const std::string& name = {},
              std::vector<Request> answers = {});

  // replies.cpp
  void reply(const Reply& reply);
  void succeed(const InFlight& done, const Reply& reply);
  void on_joined(const Reply& reply);
  void on_heartbeat(const InFlight& done, const Reply& reply);
  void on_standing(Election& e, const Leadership* row);
  void on_campaign(const Reply& reply, Election& e);
  void on_try_acquire(const InFlight& done, const Reply& reply, Election& e);
  void on_leader(const Reply& reply, Election& e);
  void on_sweep(const Reply& reply);
  void complete(const std::vector<Request>& requests, const Reply& reply);
  void complete(const std::vector<Request>& requests, const Failure& failure);
  void resync_if_complete();

  // failures.cpp
  void fail(const InFlight& done, const Failure& failure);
  void retry_later(const InFlight& done);

  // wishes.cpp
  RequestId request(Statement statement, const std::string& name, Parameters parameters = {});
  RequestId answer_now(bool flag);
  void campaign(const std::string& name, int priority);
  void withdraw(Election& e);
  RequestId release(const std::string& name);
  RequestId try_acquire(const std::string& name);
  RequestId renew();
  bool abandon(RequestId id);
  void health(bool is_well);
  std::vector<Request> take_requests(Statement statement);
  void fail_queued(Statement statement, const Failure& failure);

  // connection.cpp
  void connected(const ServerInfo& to);
  void disconnected(const Failure& reason);
  void drop(const Failure& reason);
  void membership_lost();
  void place_again();
  void close();

  // notices.cpp
  void notified(std::string_view channel, std::string_view payload);
  void announced_ours(Election& e, Token token);
  void announced_others(Election& e, const LeaderNotice& notice);
  /// When announcements may next make us ask about an election.
  [[nodiscard]] Instant next_question() const;

  // listening.cpp
  [[nodiscard]] std::size_t channels_wanted() const;
  Action next_listen();
  void on_listening();
  /// Goes on without: heartbeats and reads do not depend on notifications.
  void listen_refused();
  [[nodiscard]] Due listen_again_due() const;
  /// Whoever leads is read again now and then although nothing was announced; with each heartbeat while deaf.
  void read_again();

  // peers.cpp
  void rung(std::string_view channel, std::string_view payload);
  [[nodiscard]] bool can_read_peers() const;
  [[nodiscard]] Due peers_due() const;
  [[nodiscard]] Due work_due() const;
  std::optional<Action> next_for_peers();
  void on_peers(const InFlight& done, const Reply& reply);
  void on_assignments(const Reply& reply);

  // shutting_down.cpp
  RequestId announce_shutdown(ShutdownIntent intent, Duration drain_timeout, int count, std::string metadata);
  [[nodiscard]] Due announce_due() const;
  Action next_announcement();
  void on_announced(const Reply& reply);
  void announcement_failed(const Failure& failure);
  void look_for_drain(const PeerRecord& own, Instant sent_at);
  /// Whether the server would refuse us a leadership because of our notice.
  [[nodiscard]] bool may_campaign() const;

  const SessionOptions options;
  const Duration timeout;
  const Duration third;
  const Duration answer_timeout;
  const bool is_member;
  Random random;
  Instant now;

  // The connection.
  Phase phase = Phase::idle;
  bool closing = false;
  bool leaving = false;
  bool skip_last_host = false;
  Instant connect_at;
  Backoff connect_backoff;
  std::optional<Failure> dropping;
  ServerInfo server;
  /// The first LISTEN of this connection was answered.
  bool listening = false;
  /// How many channels are listened to, the leaders' first.
  std::size_t channels_heard = 0;
  /// The server refused a LISTEN.
  bool deaf = false;
  Instant listen_at;
  Backoff listen_backoff{std::chrono::seconds(1), std::chrono::seconds(30)};
  Instant read_again_at;
  std::optional<InFlight> in_flight;
  std::uint64_t last_tag = 0;

  // The membership.
  bool joined = false;
  Instant join_at;
  Backoff join_backoff;
  /// When the last confirmed heartbeat of this membership was sent.
  std::optional<Instant> confirmed;
  Instant heartbeat_at;
  Backoff heartbeat_backoff;
  std::optional<Instant> look_sent_at;
  // What announcements may cost: heartbeats ahead of time, questions about elections.
  detail::Pace looks{std::chrono::milliseconds(100)};
  detail::Pace questions{std::chrono::milliseconds(20)};
  bool asked_health = false;
  bool health_known = false;
  bool well = true;
  std::optional<int> in_flight_count;
  std::optional<double> load_factor;
  std::vector<std::string> subscriptions;
  bool subscriptions_changed = false;
  std::optional<Instant> sweep_at;
  std::int64_t incarnation = 0;
  /// Refused as no member although the heartbeats say otherwise: to be found out by the next one.
  bool doubted = false;
  /// This incarnation's notice has run out, as far as the server is concerned.
  bool drained = false;
  std::optional<detail::ShutdownWish> shutdown;

  detail::PeerWatch watch;
  /// The greatest assignment of this incarnation that was told.
  std::int64_t last_assignment = 0;

  bool resyncing = false;
  std::map<std::string, Election, std::less<>> elections;
  std::deque<Request> requests;
  std::uint64_t last_request = 0;
  std::vector<Event> events;
  std::vector<Completion> completions;
  std::uint64_t malformed = 0;
};

}  // namespace pgcoord
