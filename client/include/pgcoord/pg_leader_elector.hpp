#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leader_elector.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/session.hpp"

namespace pgcoord {

/// One election on a Session. Its identity is the session's instance_id.
///
/// is_leader() turns false on this machine's own clock, no later than one heartbeat timeout after
/// the last confirmed heartbeat was *sent*, with no server to ask; and at once when the connection
/// drops. It takes no lock and costs about one look at the clock. It does not fence: hand token() to
/// `coord.fence()` in every transaction that matters.
///
/// Callbacks run on the session's callback thread (in the event loop, with Pump::event_loop), one
/// after another, some time after the change. The elector may outlive the session, and then leads
/// nothing. Several electors of one election on one session are one contender.
class PGCOORD_EXPORT PgLeaderElector final : public LeaderElector {
 public:
  /// Throws Error (22023) for a bad name, or for a session that is only an observer.
  PgLeaderElector(Session& session, std::string election);
  /// Takes back the campaign and gives up the lead, without waiting for the server's answer.
  ~PgLeaderElector() override;

  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] const std::string& election() const noexcept;
  [[nodiscard]] bool is_leader() const override;
  /// While this elector leads: what fences its writes.
  [[nodiscard]] std::optional<Token> token() const;
  [[nodiscard]] std::optional<std::string> current_leader() const override;
  /// Asks the server who leads. Throws Error if the answer is not there in time.
  [[nodiscard]] std::optional<Leadership> read_leader(Duration timeout = std::chrono::seconds(10));

  /// One attempt, not queued; waits for a connection if there is none yet.
  bool try_acquire(Duration timeout = std::chrono::seconds(10)) override;
  /// From now on leads whenever it can: queued at the server, higher priority first, and again after
  /// every loss, until release(), withdraw() or destruction. Returns at once.
  void campaign(int priority = 0);
  /// Takes the campaign back. A term that runs is kept.
  void withdraw();
  /// Takes the campaign back and hands the term over to the next candidate.
  void release() override;
  /// The same; true if the server says that the term was this session's and is handed over. Waits for that
  /// answer at most for `timeout`; throws Error if it is not there.
  bool resign(Duration timeout = std::chrono::seconds(10));
  /// A heartbeat now. False if this elector does not lead, or the server did not confirm it.
  bool renew() override;

  CallbackId on_leader_change(LeaderChangeCallback callback) override;
  bool remove_leader_change_callback(CallbackId id) override;
  /// Elected, Lost (with its cause) and LeaderChanged of this election, as they come.
  CallbackId on_event(EventCallback callback);
  bool remove_event_callback(CallbackId id);
  /// Why the last term ended; none if none did.
  [[nodiscard]] std::optional<LossCause> last_loss() const;

  /// While at least one of these is registered, every change of leader is read from the server when
  /// it is announced, and told here: the new leader's name, or none.
  CallbackId observe(std::function<void(const std::optional<std::string>& leader)> callback);
  bool stop_observing(CallbackId id);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace pgcoord
