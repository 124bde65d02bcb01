#include <algorithm>
#include <utility>

#include "lock_engine.hpp"
#include "lock_failures.hpp"
#include "pq/fields.hpp"
#include "pq/statements.hpp"

namespace pgcoord::detail {

using Kind = LockOp::Kind;

namespace {

bool succeeded(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

bool says_yes(const PGresult* result) { return PQntuples(result) == 1 && text(result, 0, 0) == "t"; }

/// Of a wait that the server ended: a lock held by others, or something else in the way.
LockFailure kind_of(const Failure& failure) {
  const bool contended = failure.sqlstate == sqlstate::lock_not_available ||
                         failure.sqlstate == sqlstate::timed_out || failure.sqlstate == "40P01";
  return contended ? LockFailure::contended : LockFailure::unavailable;
}

}  // namespace

void LockEngine::on_answer(LockLink& link, const PGresult* result) {
  const LockOp op = *std::exchange(link.running, std::nullopt);
  link.answer_by.reset();
  switch (op.kind) {
    case Kind::try_lock:
      return on_try(link, op, result);
    case Kind::wait:
      return on_wait(link, op, result);
    case Kind::unlock:
      return on_unlock(link, op, result);
    case Kind::check:
      break;
  }
}

void LockEngine::on_try(LockLink& link, const LockOp& op, const PGresult* result) {
  if (!succeeded(result)) {
    const auto failure = failure_of(result);
    // Cancelled by an administrator, perhaps after it had the lock.
    if (failure.sqlstate == sqlstate::timed_out) place_unlock(link, op.key, nullptr);
    return fail(*op.ask, LockFailure::unavailable, failure);
  }
  if (says_yes(result)) return grant(link, op);
  if (op.ask->waits && !op.ask->abandoned) return place_wait(op.ask);
  finish(*op.ask);
}

void LockEngine::on_wait(LockLink& link, const LockOp& op, const PGresult* result) {
  if (succeeded(result)) return grant(link, op);
  const auto failure = failure_of(result);
  const bool go_on = op.interrupted && failure.sqlstate == sqlstate::timed_out && !op.ask->abandoned;
  if (go_on) return place_wait(op.ask);
  fail(*op.ask, kind_of(failure), failure);
}

void LockEngine::on_unlock(LockLink& link, const LockOp& op, const PGresult* result) {
  if (!succeeded(result)) {
    auto again = op;
    const auto failure = failure_of(result);
    link.queue.push_front(std::move(again));
    if (++link.queue.front().failures > 1 || failure.sqlstate != sqlstate::timed_out) {
      // Nobody knows whether the session has it: end the session.
      break_off(link, failure);
    }
    return;
  }
  std::erase(link.keys, op.key);
  if (!op.give_back) return;
  std::erase(link.holds, op.give_back->held);
  op.give_back->outcome = says_yes(result) ? LockRelease::released : LockRelease::lost;
  op.give_back->changed.notify_all();
}

void LockEngine::grant(LockLink& link, const LockOp& op) {
  LockAsk& ask = *op.ask;
  link.keys.push_back(op.key);
  if (ask.abandoned) {
    place_unlock(link, op.key, nullptr);
  } else {
    LockInfo info{ask.key, ask.id, std::chrono::system_clock::now(), options.holder_id};
    ask.held = std::make_shared<HeldLock>(std::move(info), ask.thread, weak_from_this());
    link.holds.push_back(ask.held);
    held_.add(ask.held);
  }
  finish(ask);
}

void LockEngine::finish(LockAsk& ask) {
  ask.done = true;
  ask.changed.notify_all();
}

void LockEngine::fail(LockAsk& ask, LockFailure kind, const Failure& reason) {
  ask.kind = kind;
  ask.reason = reason;
  finish(ask);
}

// First the locks, then the connection: as soon as that is closed, somebody else may get them.
void LockEngine::break_off(LockLink& link, const Failure& reason) {
  for (const auto& held : link.holds) lose(held, reason);
  link.connection.give_up(reason);
}

void LockEngine::on_broken(LockLink& link) {
  const Failure reason = link.connection.failure();
  const bool was_ready = link.cancel != nullptr;
  if (link.running) fail_op(*link.running, reason, false);
  for (const auto& op : link.queue) fail_op(op, reason, was_ready);
  for (const auto& held : link.holds) lose(held, reason);
  link.running.reset();
  link.queue.clear();
  link.holds.clear();
}

void LockEngine::fail_op(const LockOp& op, const Failure& reason, bool was_ready) {
  if (op.give_back) {
    // With its session the lock is gone, but who knows since when.
    op.give_back->outcome = closed_ ? LockRelease::released : LockRelease::lost;
    op.give_back->changed.notify_all();
  }
  if (!op.ask) return;
  const bool again = was_ready && !op.ask->abandoned && !closed_;
  if (!again) return fail(*op.ask, LockFailure::unavailable, reason);
  op.kind == Kind::wait ? place_wait(op.ask) : place_try(op.ask);
}

void LockEngine::lose(const HeldLockPointer& held, const Failure& reason) {
  if (!held->is_held()) return;
  held->state = HoldState::lost;
  held_.remove(*held);
  held_.remember_loss(held);
  held->end_span("the lock was lost: " + reason.message);
  lost_.post(held->info(), reason);
  untold_ = true;
  changed_.notify_all();
}

}  // namespace pgcoord::detail
