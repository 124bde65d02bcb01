#include "fence.hpp"

#include "arguments.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "registry.hpp"
#include "row.hpp"
#include "rules/token.hpp"
#include "turn.hpp"

namespace coord {

namespace {

/// What this transaction has promised, in name order; lives in its memory and outlives a rolled-back
/// savepoint.
struct Fence {
  const char* election;
  int64 token;
  Fence* next;
};
Fence* fences = nullptr;

Turn shared_turn(const char* election) { return {TurnKind::election, election, ShareLock}; }

/// Conditional first, since the bound costs more than the lock.
void share_turn(const Turn& turn) {
  if (try_turn(turn, Patience::none)) return;
  const int level = bound_waits();
  wait_for_turn(turn);
  end_bound(level);
}

[[noreturn]] void fail_fenced_off(const Fence& fence, const char* why) {
  fail({.code = sqlstate::fenced_off,
        .message = psprintf("fenced off: token " INT64_FORMAT " of election \"%s\" is not in force",
                            fence.token, fence.election),
        .detail = why,
        .hint = "Stop what was done under this term; another instance may lead by now."});
}

void check_under_turn(const Fence& fence) {
  ElectionRow row{};
  if (!OidIsValid(find_table(Table::election)) || !read_election_locked(fence.election, &row))
    fail_fenced_off(fence, "There is no such election.");
  const int64 newest = make_token(row.epoch, row.term);
  if (newest != fence.token)
    fail_fenced_off(fence, psprintf("The newest token is " INT64_FORMAT ".", newest));
  if (row.leader_incarnation == 0) fail_fenced_off(fence, "Its term has ended.");
  if (row.epoch != current_epoch())
    fail_fenced_off(fence, "It belongs to an earlier history of this database.");
}

void remember(const char* election, int64 token) {
  Fence** place = &fences;
  while (*place && strcmp((*place)->election, election) < 0) place = &(*place)->next;
  if (*place && strcmp((*place)->election, election) == 0) {
    if ((*place)->token != token) fail_fenced_off(**place, "This transaction began under another term.");
    return;
  }
  Fence* const fence = static_cast<Fence*>(MemoryContextAlloc(TopTransactionContext, sizeof(Fence)));
  *fence = {MemoryContextStrdup(TopTransactionContext, election), token, *place};
  *place = fence;
}

bool is_fenced(const char* election) {
  for (const Fence* fence = fences; fence; fence = fence->next)
    if (strcmp(fence->election, election) == 0) return true;
  return false;
}

/// The turns are held through the commit: a take-over waits for that, and for nothing before it.
void check_all() {
  for (const Fence* fence = fences; fence; fence = fence->next) {
    share_turn(shared_turn(fence->election));
    check_under_turn(*fence);
  }
}

void refuse_prepare() {
  if (fences)
    fail({.code = ERRCODE_FEATURE_NOT_SUPPORTED,
          .message = "cannot PREPARE a transaction that is fenced",
          .detail = "The fence would have to hold up every take-over until COMMIT PREPARED."});
}

void at_transaction_event(XactEvent event) {
  switch (event) {
    case XACT_EVENT_PRE_COMMIT:
      return check_all();
    case XACT_EVENT_PRE_PREPARE:
      return refuse_prepare();
    case XACT_EVENT_COMMIT:
    case XACT_EVENT_ABORT:
    case XACT_EVENT_PREPARE:
      fences = nullptr;
      return;
    default:
      return;
  }
}

extern "C" void coord_at_transaction_event(XactEvent event, void*) { entry(at_transaction_event, event); }

}  // namespace

void watch_commits() { RegisterXactCallback(coord_at_transaction_event, nullptr); }

}  // namespace coord

COORD_FUNCTION(coord_fence) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  coord::require_argument(fcinfo, 1, "token");
  const coord::Fence fence{election, PG_GETARG_INT64(1), nullptr};
  if (RecoveryInProgress())
    coord::fail({.code = ERRCODE_READ_ONLY_SQL_TRANSACTION,
                 .message = "cannot execute coord.fence() during recovery",
                 .hint = "Connect to the primary server."});
  if (IsInParallelMode())
    coord::fail({.code = ERRCODE_INVALID_TRANSACTION_STATE,
                 .message = "cannot execute coord.fence() during a parallel operation"});
  const coord::Turn turn = coord::shared_turn(election);
  coord::share_turn(turn);
  coord::check_under_turn(fence);
  coord::end_turn(turn);
  coord::remember(election, fence.token);
  PG_RETURN_VOID();
}

/// Trigger of a guarded table; its argument is the election.
COORD_FUNCTION(coord_require_fence) {
  if (!CALLED_AS_TRIGGER(fcinfo)) elog(ERROR, "coord._require_fence() is a trigger function");
  const TriggerData* const call = reinterpret_cast<TriggerData*>(fcinfo->context);
  const char* const election = call->tg_trigger->tgargs[0];
  if (!coord::is_fenced(election))
    coord::fail(
        {.code = coord::sqlstate::fenced_off,
         .message = psprintf("table \"%s\" is guarded by election \"%s\"",
                             RelationGetRelationName(call->tg_relation), election),
         .detail = "This transaction is not fenced on that election.",
         .hint = "Call coord.fence() with the token of the current term first, in the same transaction."});
  if (!TRIGGER_FIRED_FOR_ROW(call->tg_event)) return Datum{0};
  return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(call->tg_event) ? call->tg_newtuple : call->tg_trigtuple);
}
