#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "lock_link.hpp"
#include "lock_poll.hpp"
#include "lock_waits.hpp"

namespace pgcoord::detail {

/// PgLockManager's insides. Callers put what they want into the state and wait; one thread moves the
/// connections; a second one tells of losses.
class LockEngine final : public HeldLockOwner, public std::enable_shared_from_this<LockEngine> {
 public:
  explicit LockEngine(LockOptions options);
  ~LockEngine() override;

  HeldLockPointer acquire(std::string_view key, LockManager::Timeout timeout, const std::stop_token& stop);
  HeldLockPointer try_acquire(std::string_view key);
  LockRelease give_back(const HeldLockPointer& held) override;
  void release(std::string_view key);
  int release_all();
  [[nodiscard]] bool is_held(std::string_view key) const;
  [[nodiscard]] std::size_t held_lock_count() const;
  [[nodiscard]] std::size_t connection_count() const;
  [[nodiscard]] int socket_of(std::string_view key) const;
  CallbackId on_lost(LockLostCallback callback);
  bool remove_lost_callback(CallbackId id) { return lost_.remove(id); }
  void close();
  /// In a child of fork().
  void abandon() noexcept;
  [[nodiscard]] bool forked() const noexcept;

  const LockOptions options;

 private:
  using Lock = std::unique_lock<std::mutex>;

  // Calls (lock_engine.cpp).
  void require_usable(std::string_view key) const;
  void begin();
  void refuse_deadlock(const LockAsk& ask) const;
  HeldLockPointer outcome(const LockAsk& ask, LockManager::Timeout timeout) const;
  void run(Lock& lock, const AskPointer& ask, const std::stop_token& stop);
  GiveBackPointer start_give_back(const HeldLockPointer& held);
  LockRelease finish_give_back(Lock& lock, const GiveBackPointer& give_back);

  // Giving up (lock_engine_cancel.cpp).
  void await(Lock& lock, const AskPointer& ask, const std::stop_token& stop);
  void give_up(Lock& lock, const AskPointer& ask, LockFailure kind, const Failure& reason, bool at_once);
  [[nodiscard]] LinkPointer waiting_link(const LockAsk& ask) const;
  void cancel(Lock& lock, const LinkPointer& link);
  void interrupt(Lock& lock, const GiveBackPointer& give_back);

  // Which connection (lock_engine_place.cpp).
  void place_try(const AskPointer& ask);
  void place_wait(const AskPointer& ask);
  void place_unlock(LockLink& link, const std::string& key, GiveBackPointer give_back);
  LockLink& new_link();
  [[nodiscard]] LockLink* link_for_try() const;
  [[nodiscard]] LockLink* link_for_wait(const LockAsk& ask) const;
  [[nodiscard]] bool is_concerned_with(std::string_view key) const;
  [[nodiscard]] LockLink* link_of(const HeldLockPointer& held) const;

  // What came of it (lock_engine_answers.cpp).
  void on_answer(LockLink& link, const PGresult* result);
  void on_try(LockLink& link, const LockOp& op, const PGresult* result);
  void on_wait(LockLink& link, const LockOp& op, const PGresult* result);
  void on_unlock(LockLink& link, const LockOp& op, const PGresult* result);
  void grant(LockLink& link, const LockOp& op);
  void finish(LockAsk& ask);
  void fail(LockAsk& ask, LockFailure kind, const Failure& reason);
  void break_off(LockLink& link, const Failure& reason);
  void on_broken(LockLink& link);
  void fail_op(const LockOp& op, const Failure& reason, bool was_ready);
  void lose(const HeldLockPointer& held, const Failure& reason);

  // The threads (lock_engine_threads.cpp).
  void run_io();
  void run_teller();
  void open_links(Lock& lock);
  void step_links(Instant now);
  void step(LockLink& link, Instant now);
  void send_next(LockLink& link, Instant now);
  void send(LockLink& link, Instant now);
  void check_idle(LockLink& link, Instant now);
  void drop_spares(Instant now);
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] std::optional<Instant> deadline_of(const LockLink& link) const;

  const std::uint32_t fork_generation_;
  const std::vector<ConnectParameters> hosts_;
  LockPoll poll_;
  CallbackList<LockInfo, Failure> lost_;

  mutable std::mutex mutex_;  // guards everything below
  std::vector<LinkPointer> links_;
  HeldLocks held_;
  LockWaits waits_;
  std::uint64_t last_marker_ = 0;
  int callers_ = 0;  // inside acquire() and try_acquire()
  bool closed_ = false;
  bool stop_ = false;
  bool untold_ = false;
  std::condition_variable changed_;  // for the teller, and for close()
  std::thread io_thread_;
  std::thread teller_;
};

}  // namespace pgcoord::detail
