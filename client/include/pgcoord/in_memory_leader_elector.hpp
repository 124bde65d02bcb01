#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pgcoord/export.hpp"
#include "pgcoord/leader_elector.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/shared_leader_state.hpp"

namespace pgcoord {

/// An elector for tests and for programs of one process. It excludes the electors that share its
/// state, and nobody else.
///
/// Callbacks run on the thread that made the change, before its call returns; while another thread
/// is inside callbacks of the same elector, that one runs them instead, to keep their order.
class PGCOORD_EXPORT InMemoryLeaderElector final : public LeaderElector {
 public:
  /// Contends with all others that were given the same `state`. Throws Error (22023) for a missing
  /// state or a bad identity: names have 1 to 200 bytes and no control characters.
  InMemoryLeaderElector(std::string identity, std::shared_ptr<SharedLeaderState> state,
                        CallbackErrorHandler on_callback_error = {});

  /// Contends with nobody, so try_acquire() always succeeds. Two of these both lead: never for more
  /// than one running copy.
  [[nodiscard]] static std::unique_ptr<InMemoryLeaderElector> alone(std::string identity);

  /// Gives the role up, telling nobody.
  ~InMemoryLeaderElector() override;

  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] bool is_leader() const override;
  [[nodiscard]] std::optional<std::string> current_leader() const override;
  /// The timeout is not used: the answer is there at once.
  bool try_acquire(Duration timeout = std::chrono::seconds(10)) override;
  void release() override;
  bool renew() override;
  CallbackId on_leader_change(LeaderChangeCallback callback) override;
  bool remove_leader_change_callback(CallbackId id) override;

  /// The term this elector holds; rises with every change of the state's leader.
  [[nodiscard]] std::optional<Token> token() const;

  /// For tests: loses the role as if it had been taken away. Nothing happens if it does not lead.
  void force_lose_leadership();

 private:
  const std::shared_ptr<SharedLeaderState> state_;
  const SharedLeaderState::SeatPointer seat_;
};

}  // namespace pgcoord
