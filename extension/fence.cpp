#include "fence.hpp"

#include "arguments.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "place.hpp"
#include "registry.hpp"
#include "term.hpp"
#include "rules/token.hpp"
#include "turn.hpp"

namespace coord {

namespace {

/// What this transaction has promised, in name order; lives in its memory and outlives a rolled-back
/// savepoint.
struct Fence {
  const char* election;
  int64 token;
  Oid registry;
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

/// Null if the fence's term is in force by this row, else why not.
const char* objection_to(const Fence& fence, const Term* row) {
  if (!row) return "There is no such election.";
  const int64 newest = make_token(row->epoch, row->term);
  if (newest != fence.token) return psprintf("The newest token is " INT64_FORMAT ".", newest);
  if (!row->led) return "Its term has ended.";
  return row->epoch == current_epoch() ? nullptr : "It belongs to an earlier history of this database.";
}

const char* objection_to(const Fence& fence) {
  AcceptInvalidationMessages();  // the extension may have been dropped by now
  Term row;
  const bool found = find_table(Table::election) == fence.registry && read_term(fence.election, &row);
  return objection_to(fence, found ? &row : nullptr);
}

void check_under_turn(const Fence& fence) {
  if (const char* const why = objection_to(fence)) fail_fenced_off(fence, why);
}

/// At the call a good row is enough, since the commit decides; a bad one is looked at again where nobody
/// changes it.
void check_at_call(const Fence& fence) {
  if (!objection_to(fence)) return;
  const Turn turn = shared_turn(fence.election);
  share_turn(turn);
  check_under_turn(fence);
  end_turn(turn);
}

void remember(const Fence& fence) {
  Fence** place = &fences;
  while (*place && strcmp((*place)->election, fence.election) < 0) place = &(*place)->next;
  if (*place && strcmp((*place)->election, fence.election) == 0) {
    if ((*place)->token != fence.token)
      fail_fenced_off(**place, "This transaction began under another term.");
    return;
  }
  Fence* const kept = static_cast<Fence*>(MemoryContextAlloc(TopTransactionContext, sizeof(Fence)));
  *kept = fence;
  kept->election = MemoryContextStrdup(TopTransactionContext, fence.election);
  kept->next = *place;
  *place = kept;
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

void fence_transaction(const char* election, int64 token) {
  const Fence fence{election, token, table_oid(Table::election), nullptr};
  check_at_call(fence);
  remember(fence);
}

void watch_commits() { RegisterXactCallback(coord_at_transaction_event, nullptr); }

}  // namespace coord

COORD_FUNCTION(coord_fence) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  coord::require_argument(fcinfo, 1, "token");
  coord::require_primary("fence");
  coord::fence_transaction(election, PG_GETARG_INT64(1));
  PG_RETURN_VOID();
}

/// Trigger of a guarded table; its argument is the election.
COORD_FUNCTION(coord_require_fence) {
  if (!CALLED_AS_TRIGGER(fcinfo))
    coord::fail({.code = ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                 .message = "coord._require_fence() is a trigger function"});
  const TriggerData* const call = reinterpret_cast<TriggerData*>(fcinfo->context);
  if (call->tg_trigger->tgnargs != 1)
    coord::fail({.code = ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                 .message = "coord._require_fence() needs the election as its argument",
                 .hint = "Use coord.guard_table()."});
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
