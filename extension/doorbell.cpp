#include "doorbell.hpp"

#include "guard.hpp"

namespace coord {

namespace {

/// In the memory of the transaction.
struct Message {
  const char* channel;
  const char* payload;
  Message* next;
};
Message* messages = nullptr;

/// Hexadecimal digits of the hash that stands for a group whose channel would be too long: as many as fit.
constexpr int most_hash_digits = 24;

const char* hash_of(const char* group, int room) {
  const int hash_digits = room < most_hash_digits ? room : most_hash_digits;
  const int length = static_cast<int>(strlen(group));
  const char* const utf8 = pg_server_to_any(group, length, PG_UTF8);
  const Datum bytes = PointerGetDatum(cstring_to_text(utf8));
  const bytea* const hash = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, bytes));
  char* const digits = static_cast<char*>(palloc(hash_digits + 1));
  hex_encode(VARDATA_ANY(hash), hash_digits / 2, digits);
  digits[hash_digits] = '\0';
  return digits;
}

const char* base_of(Channel channel) {
  switch (channel) {
    case Channel::leader:
      return "__eventsource_coordination.leader";
    case Channel::shutdown:
      return "__eventsource_coordination.shutdown";
    case Channel::heartbeat:
      return "__eventsource_coordination.heartbeat";
    case Channel::work_assignment:
      return "__eventsource_coordination.work_assignment";
    case Channel::member:
      return "__eventsource_coordination.member";
  }
  return nullptr;
}

const char* name_of(Channel channel, const char* group) {
  const char* const base = base_of(channel);
  if (strcmp(group, "default") == 0) return base;
  const char* const plain = psprintf("%s.%s", base, group);
  return strlen(plain) < NAMEDATALEN
             ? plain
             : psprintf("%s.%s", base, hash_of(group, NAMEDATALEN - 2 - static_cast<int>(strlen(base))));
}

/// The lock that commands/async.c takes before a commit that notifies.
bool try_notify_lock() {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, InvalidOid, 0);
  return LockAcquire(&tag, AccessExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/// Whether that lock may be waited for: not during exit, and not where its holder may wait for a standby.
bool may_queue_for_notify_lock() { return !proc_exit_inprogress && SyncRepStandbyNames[0] == '\0'; }

bool get_notify_lock() {
  if (may_queue_for_notify_lock()) return true;  // commands/async.c takes it, within this transaction's bound
  const int tries = proc_exit_inprogress ? 10 : 100;
  for (int attempt = 0; attempt < tries; ++attempt) {
    if (try_notify_lock()) return true;
    pg_usleep(proc_exit_inprogress ? 500 : 2000);
    CHECK_FOR_INTERRUPTS();
  }
  return false;
}

bool queue_has_room() { return DatumGetFloat8(OidFunctionCall0(F_PG_NOTIFICATION_QUEUE_USAGE)) < 0.95; }

/// As late as can be: from here to the end of the commit every other notifying transaction waits.
void ring() {
  if (!messages || !queue_has_room() || !get_notify_lock()) return;
  for (const Message* message = messages; message; message = message->next)
    Async_Notify(message->channel, message->payload);
}

void at_transaction_event(XactEvent event) {
  if (event == XACT_EVENT_PRE_COMMIT) ring();
  if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
    messages = nullptr;
}

extern "C" void coord_ring_at_commit(XactEvent event, void*) { entry(at_transaction_event, event); }

}  // namespace

void announce(Channel channel, const char* group, const char* payload) {
  const MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);
  Message** place = &messages;
  while (*place) place = &(*place)->next;
  *place = static_cast<Message*>(palloc(sizeof(Message)));
  **place = {name_of(channel, group), pstrdup(payload), nullptr};
  MemoryContextSwitchTo(caller);
}

void watch_commits_for_notices() { RegisterXactCallback(coord_ring_at_commit, nullptr); }

}  // namespace coord
