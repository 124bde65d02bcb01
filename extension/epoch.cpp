#include "epoch.hpp"

#include "fail.hpp"
#include "guard.hpp"
#include "registry.hpp"
#include "row.hpp"
#include "rules/token.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

/// The last row that was found committed and fitting; nothing but a restart changes what it is compared with.
EpochRow known{};

EpochRow running_history() {
  return {.system_identifier = static_cast<int64>(GetSystemIdentifier()),
          .timeline = static_cast<int32>(GetWALInsertionTimeLine()),
          .database = MyDatabaseId,
          .registry = table_oid(Table::election),
          .epoch = 0,
          .tentative = false};
}

bool same_history(const EpochRow& a, const EpochRow& b) {
  return a.system_identifier == b.system_identifier && a.timeline == b.timeline && a.database == b.database &&
         a.registry == b.registry;
}

constinit Statement write_statement = {
    .text =
        "INSERT INTO coord._epoch VALUES (true, $1, $2, $3, $4, $5) ON CONFLICT (one) DO UPDATE SET "
        "system_identifier = excluded.system_identifier, timeline = excluded.timeline, "
        "database = excluded.database, registry = excluded.registry, epoch = excluded.epoch",
    .parameters = 5,
    .types = {INT8OID, INT4OID, OIDOID, OIDOID, INT4OID}};

constinit Statement highest_statement = {
    .text = "SELECT COALESCE(max(epoch), 0) FROM coord._election", .parameters = 0, .types = {}};

}  // namespace

int32 current_epoch() {
  const EpochRow running = running_history();
  if (known.epoch != 0 && same_history(known, running)) return known.epoch;
  EpochRow row{};
  if (!read_epoch(&row) || !same_history(row, running)) return 0;
  if (!row.tentative) known = row;
  return row.epoch;
}

int32 ensure_epoch() {
  if (const int32 epoch = current_epoch(); epoch != 0) return epoch;
  wait_for_turn({TurnKind::epoch, ""});
  if (const int32 epoch = current_epoch(); epoch != 0) return epoch;
  EpochRow row{};
  const bool found = read_epoch(&row);
  const EpochRow running = running_history();
  run(highest_statement, {});
  const int32 highest = int_column(0, 1);
  const int32 past = found && row.epoch > highest ? row.epoch : highest;
  const int32 epoch = next_epoch(past, static_cast<uint32>(running.timeline));
  if (epoch > last_epoch)
    fail({.code = ERRCODE_PROGRAM_LIMIT_EXCEEDED, .message = "the epochs of this database are used up"});
  run(write_statement, {bigint_argument(running.system_identifier),
                        int_argument(running.timeline),
                        {ObjectIdGetDatum(running.database)},
                        {ObjectIdGetDatum(running.registry)},
                        int_argument(epoch)});
  return epoch;
}

}  // namespace coord

/// NULL on a standby, where the registry's history is its primary's.
COORD_FUNCTION(coord_current_epoch) {
  if (RecoveryInProgress()) PG_RETURN_NULL();
  PG_RETURN_INT32(coord::current_epoch());
}
