#include "arguments.hpp"
#include "change.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "fence.hpp"
#include "guard.hpp"
#include "leadership.hpp"
#include "member.hpp"
#include "message.hpp"
#include "row.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement target_statement = {
    .text = "SELECT incarnation, status FROM coord.peers WHERE member_group = $1 AND instance_id = $2",
    .parameters = 2,
    .types = {TEXTOID, TEXTOID}};

constinit Statement record_statement = {
    .text =
        "INSERT INTO coord._assignment (member_group, target_instance_id, target_incarnation,"
        " source_instance_id, subscriptions, priority, election, token, assigned_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()) RETURNING assignment_id, assigned_at",
    .parameters = 8,
    .types = {TEXTOID, TEXTOID, INT8OID, TEXTOID, TEXTARRAYOID, INT4OID, TEXTOID, INT8OID}};

struct Task {
  const char* target;
  Datum subscriptions;
  const char* election;
  int64 token;
  int32 priority;
};

Task task_of(FunctionCallInfo fcinfo) {
  const Task task{.target = name_argument(fcinfo, 0, "target_instance_id"),
                  .subscriptions = list_argument(fcinfo, 1, "subscriptions"),
                  .election = name_argument(fcinfo, 2, "election"),
                  .token = (require_argument(fcinfo, 3, "token"), PG_GETARG_INT64(3)),
                  .priority = (require_argument(fcinfo, 4, "priority"), PG_GETARG_INT32(4))};
  const ArrayType* const list = DatumGetArrayTypeP(task.subscriptions);
  if (ArrayGetNItems(ARR_NDIM(list), ARR_DIMS(list)) == 0)
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE, .message = "subscriptions must not be empty"});
  return task;
}

const char* why_not_leader(const ElectionRow& row, const Member& me) {
  if (row.leader_incarnation == me.incarnation) return "The deadline of its notice has passed.";
  return row.leader ? psprintf("\"%s\" does.", row.leader) : nullptr;
}

/// The token is in force until the commit by then, so its leader is who the row names, unless its notice has
/// run out.
void require_lead(const Task& task, const Member& me) {
  ElectionRow row{};
  if (read_election(task.election, &row) && standing_of(row, current_epoch()) == Standing::mine) return;
  fail({.code = sqlstate::not_the_leader,
        .message = psprintf("this session does not lead election \"%s\"", task.election),
        .detail = why_not_leader(row, me),
        .hint = "Only the leader hands out work."});
}

int64 require_target(const Task& task, const Member& me) {
  const int64 rows = run(target_statement, {text_argument(me.group), text_argument(task.target)});
  const char* const status = rows != 0 ? text_column(0, 2) : nullptr;
  if (status && strcmp(status, "healthy") == 0) return bigint_column(0, 1);
  fail({.code = sqlstate::not_a_member,
        .message = psprintf("instance \"%s\" cannot take work", task.target),
        .detail = status ? psprintf("Its status is %s.", status)
                         : psprintf("It is not a member of group \"%s\".", me.group),
        .hint = "Choose a healthy member from coord.peers."});
}

/// Under the turn of the target's name: its numbers rise in the order of the commits.
int64 assign(const Task& task, const Member& me) {
  fence_transaction(task.election, task.token);
  require_lead(task, me);
  wait_for_name(me.group, task.target);
  const int64 incarnation = require_target(task, me);
  run(record_statement, {text_argument(me.group),
                         text_argument(task.target),
                         bigint_argument(incarnation),
                         text_argument(me.instance),
                         {task.subscriptions},
                         int_argument(task.priority),
                         text_argument(task.election),
                         bigint_argument(task.token)});
  const int64 id = bigint_column(0, 1);
  tell_assignment({.target = task.target,
                   .target_incarnation = incarnation,
                   .source = me.instance,
                   .subscriptions = task.subscriptions,
                   .at = time_column(0, 2),
                   .priority = task.priority,
                   .assignment_id = id,
                   .election = task.election,
                   .token = task.token},
                  me.group);
  return id;
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_assign) {
  const coord::Task task = coord::task_of(fcinfo);
  const coord::Change change = coord::begin_change("assign");
  coord::make_durable();
  const int64 id = coord::assign(task, coord::require_member());
  coord::end_change(change);
  PG_RETURN_INT64(id);
}
