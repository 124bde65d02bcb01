#include "doorbell.hpp"

#include "guard.hpp"
#include "rules/token.hpp"

namespace coord {

namespace {

/// In the memory of the transaction.
struct Message {
  const char* channel;
  const char* payload;
  Message* next;
};
Message* messages = nullptr;

constexpr const char* base_channel = "__eventsource_coordination.leader";

/// Hexadecimal digits of the hash that stands for a group whose channel would be too long.
constexpr int hash_digits = 24;

const char* hash_of(const char* group) {
  const int length = static_cast<int>(strlen(group));
  const char* const utf8 = pg_server_to_any(group, length, PG_UTF8);
  const Datum bytes = PointerGetDatum(cstring_to_text(utf8));
  const bytea* const hash = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, bytes));
  char* const digits = static_cast<char*>(palloc(hash_digits + 1));
  hex_encode(VARDATA_ANY(hash), hash_digits / 2, digits);
  digits[hash_digits] = '\0';
  return digits;
}

const char* channel_of(const char* group) {
  if (strcmp(group, "default") == 0) return base_channel;
  const char* const plain = psprintf("%s.%s", base_channel, group);
  return strlen(plain) < NAMEDATALEN ? plain : psprintf("%s.%s", base_channel, hash_of(group));
}

void put_key(StringInfo json, const char* key) {
  appendStringInfo(json, "%s\"%s\": ", json->len ? ", " : "{", key);
}

void put_text(StringInfo json, const char* key, const char* text) {
  put_key(json, key);
  if (text)
    escape_json(json, text);
  else
    appendStringInfoString(json, "null");
}

void put_number(StringInfo json, const char* key, int64 number) {
  put_key(json, key);
  appendStringInfo(json, INT64_FORMAT, number);
}

const char* payload_of(const Notice& notice) {
  constexpr int utc = 0;
  char at[MAXDATELEN + 1];
  JsonEncodeDateTime(at, TimestampTzGetDatum(notice.at), TIMESTAMPTZOID, &utc);
  StringInfoData json;
  initStringInfo(&json);
  put_text(&json, "election", notice.election);
  put_text(&json, "leader", notice.leader);
  put_number(&json, "epoch", notice.epoch);
  put_number(&json, "term", notice.term);
  put_number(&json, "token", make_token(notice.epoch, notice.term));
  put_text(&json, "previous", notice.previous);
  if (notice.successor) put_text(&json, "successor", notice.successor);
  put_text(&json, "cause", notice.cause);
  put_text(&json, "at", at);
  if (notice.event_id != 0)
    put_number(&json, "event_id", notice.event_id);
  else
    put_text(&json, "event_id", nullptr);
  appendStringInfoChar(&json, '}');
  return json.data;
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

void announce(const Notice& notice, const char* group) {
  if (!group) return;
  const MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);
  Message** place = &messages;
  while (*place) place = &(*place)->next;
  *place = static_cast<Message*>(palloc(sizeof(Message)));
  **place = {channel_of(group), payload_of(notice), nullptr};
  MemoryContextSwitchTo(caller);
}

void watch_commits_for_notices() { RegisterXactCallback(coord_ring_at_commit, nullptr); }

}  // namespace coord
