#include "doorbell.hpp"

#include "spi.hpp"

namespace coord {

namespace {

constexpr int most_notices = 64;  // a session that led more than that in one go: the rest is found by looking
Notice pending[most_notices];
int pending_count = 0;

constexpr const char* base_channel = "__eventsource_coordination.leader";

constinit Statement ring_statement = {
    .text = "SELECT pg_notify($1, json_build_object("
            "'election', $2, 'leader', $3, 'epoch', $4, 'term', $5,"
            "'token', ($4::int8 << 40) | $5,"
            "'previous', $6, 'successor', $7, 'cause', $8,"
            "'at', to_char($9 AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US+00:00'),"
            "'event_id', $10)::text)",
    .parameters = 10,
    .types = {TEXTOID, TEXTOID, TEXTOID, INT4OID, INT8OID, TEXTOID, TEXTOID, TEXTOID, TIMESTAMPTZOID, INT8OID}};

constinit Statement hash_statement = {
    .text = "SELECT left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 24)",
    .parameters = 1,
    .types = {TEXTOID}};

constinit Statement usage_statement = {
    .text = "SELECT pg_notification_queue_usage() < 0.95", .parameters = 0, .types = {}};

/// The lock that commands/async.c takes before a commit that notifies.
bool try_notify_lock() {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, InvalidOid, 0);
  return LockAcquire(&tag, AccessExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

bool get_notify_lock(Patience patience) {
  const int tries = patience == Patience::exiting ? 10 : 100;
  for (int attempt = 0; attempt < tries; ++attempt) {
    if (try_notify_lock()) return true;
    pg_usleep(patience == Patience::exiting ? 500 : 2000);
    CHECK_FOR_INTERRUPTS();
  }
  return false;
}

bool queue_has_room() {
  run(usage_statement, {});
  return bool_column(0, 1);
}

void ring(const Notice& notice, const char* group) {
  const Argument event = notice.event_id ? bigint_argument(notice.event_id) : Argument{0, true};
  run(ring_statement, {text_argument(leader_channel(group)), text_argument(notice.election),
                       text_argument(notice.leader), int_argument(notice.epoch), bigint_argument(notice.term),
                       text_argument(notice.previous), text_argument(notice.successor), text_argument(notice.cause),
                       time_argument(notice.at), event});
}

}  // namespace

void forget_notices() { pending_count = 0; }

void add_notice(const Notice& notice) {
  if (pending_count < most_notices) pending[pending_count++] = notice;
}

void prepare_notices() {
  prepare(ring_statement);
  prepare(hash_statement);
  prepare(usage_statement);
}

void send_notices(Patience patience) {
  if (pending_count == 0 || !queue_has_room() || !get_notify_lock(patience)) return;
  for (int i = 0; i < pending_count; ++i) {
    const Notice& notice = pending[i];
    const char* first = notice.groups[0];
    const char* second = notice.groups[1];
    if (first) ring(notice, first);
    if (second && (!first || strcmp(first, second) != 0)) ring(notice, second);
  }
  pending_count = 0;
}

const char* leader_channel(const char* group) {
  if (strcmp(group, "default") == 0) return base_channel;
  char* const plain = psprintf("%s.%s", base_channel, group);
  if (strlen(plain) < NAMEDATALEN) return plain;
  run(hash_statement, {text_argument(group)});
  return psprintf("%s.%s", base_channel, text_column(0, 1));
}

}  // namespace coord
