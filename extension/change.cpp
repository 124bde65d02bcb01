#include "change.hpp"

#include "bound.hpp"
#include "fail.hpp"
#include "place.hpp"
#include "registry.hpp"
#include "spi.hpp"

namespace coord {

namespace {

void set_for_transaction(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, WARNING, false);
}

void refuse_where_unsafe(const char* function) {
  require_primary(function);
  // Say in the expression of an index that a superuser analyses: there the session's role is not the caller.
  if (InSecurityRestrictedOperation())
    fail({.code = ERRCODE_INSUFFICIENT_PRIVILEGE,
          .message = psprintf("cannot execute coord.%s() within a security-restricted operation", function)});
  if (IsTransactionBlock() || (MyXactFlags & XACT_FLAGS_PIPELINING) != 0)
    fail({.code = ERRCODE_ACTIVE_SQL_TRANSACTION,
          .message = psprintf("coord.%s() cannot run inside a transaction block", function),
          .detail = "A change of the registry must not be rolled back after somebody has acted on it.",
          .hint = "Call it as a statement of its own, in autocommit mode."});
  if (XactReadOnly)
    fail({.code = ERRCODE_READ_ONLY_SQL_TRANSACTION,
          .message = psprintf("cannot execute coord.%s() in a read-only transaction", function),
          .hint = "Set default_transaction_read_only to off for this session."});
}

}  // namespace

Change begin_change(const char* function) {
  refuse_where_unsafe(function);
  MyXactFlags |= XACT_FLAGS_NEEDIMMEDIATECOMMIT;
  if (LockTimeout == 0 || LockTimeout > longest_wait_ms) set_for_transaction("lock_timeout", "1000");
  const bool alone =
      !TransactionIdIsValid(GetTopTransactionIdIfAny());  // else there are writes of the caller's
  if (alone) set_for_transaction("synchronous_commit", "off");
  const Change change{.isolation = XactIsoLevel};
  ReleasePredicateLocks(false, false);  // a serializable transaction watches reads and writes no more
  XactIsoLevel = XACT_READ_COMMITTED;   // an error ends the transaction, and with it this setting
  open_spi();
  return change;
}

void make_durable() { ForceSyncCommit(); }

void end_change(const Change& change) {
  close_spi();
  XactIsoLevel = change.isolation;
}

void begin_last_change() {
  StartTransactionCommand();
  XactReadOnly = false;
  XactIsoLevel = XACT_READ_COMMITTED;
  XactDeferrable = false;
  set_for_transaction("synchronous_commit", "off");
  set_for_transaction("search_path",
                      "pg_catalog, pg_temp");  // see spi.hpp; the session's own may be anybody's
  PushActiveSnapshot(GetTransactionSnapshot());
}

void end_last_change() {
  PopActiveSnapshot();
  CommitTransactionCommand();
}

}  // namespace coord
