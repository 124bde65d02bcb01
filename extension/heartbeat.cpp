#include "heartbeat.hpp"

#include "arguments.hpp"
#include "beat.hpp"
#include "change.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "leadership.hpp"
#include "member.hpp"
#include "message.hpp"
#include "rules/notice.hpp"
#include "session.hpp"
#include "spi.hpp"
#include "sweep.hpp"

namespace coord {

namespace {

constinit Statement subscriptions_statement = {
    .text =
        "UPDATE coord._member SET subscriptions = $2 WHERE incarnation = $1"
        " AND subscriptions <> $2",
    .parameters = 2,
    .types = {INT8OID, TEXTARRAYOID}};

constinit Statement message_statement = {
    .text =
        "SELECT m.member_group, m.instance_id, m.subscriptions, b.in_flight_count, b.load_factor,"
        " EXISTS (SELECT FROM coord._election e WHERE e.leader_incarnation = $1 AND e.epoch = $2)"
        " FROM coord._member m JOIN coord._beat b USING (incarnation) WHERE m.incarnation = $1",
    .parameters = 2,
    .types = {INT8OID, INT4OID}};

/// What one heartbeat says; absent values stay as they are.
struct Saying {
  Argument subscriptions;
  Argument in_flight_count;
  Argument load_factor;
  bool publish;
};

Argument load_argument(FunctionCallInfo fcinfo, int number) {
  if (PG_ARGISNULL(number)) return absent_argument;
  const float8 load = PG_GETARG_FLOAT8(number);
  if (!std::isfinite(load))
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE, .message = "load_factor must be finite"});
  return {PG_GETARG_DATUM(number)};
}

Saying saying_of(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, 3, "publish");
  return {.subscriptions =
              PG_ARGISNULL(0) ? absent_argument : Argument{list_argument(fcinfo, 0, "subscriptions")},
          .in_flight_count =
              PG_ARGISNULL(1) ? absent_argument : int_argument(count_argument(fcinfo, 1, "in_flight_count")),
          .load_factor = load_argument(fcinfo, 2),
          .publish = PG_GETARG_BOOL(3)};
}

/// Returns whether the member's shutdown notice has run out.
bool beat(const Saying& saying) {
  const int64 incarnation = my_incarnation();
  BeatRow before{};
  const Renewal renewal = incarnation == 0
                              ? Renewal::unknown
                              : renew_beat(incarnation, saying.in_flight_count, saying.load_factor, &before);
  if (renewal == Renewal::unknown) fail_not_a_member();
  membership().watch.look(this_moment(), membership().timeout);
  bool news = renewal != Renewal::same;
  if (!saying.subscriptions.absent &&
      run(subscriptions_statement, {bigint_argument(incarnation), saying.subscriptions}) != 0)
    news = true;
  if (news || saying.publish) publish_heartbeat(incarnation);
  return run_out(GetCurrentTimestamp(), before.deadline);
}

struct Led {
  ReturnSetInfo* result;
  int32 epoch;
};

void put_if_current(const ElectionRow& row, void* context) {
  const Led& led = *static_cast<const Led*>(context);
  if (row.epoch == led.epoch) put_leadership(led.result, row);
}

void put_what_is_led(ReturnSetInfo* result) {
  Led led{result, current_epoch()};
  each_election_led_by(membership().incarnation, put_if_current, &led);
}

}  // namespace

void prove_life(int64 incarnation) {
  BeatRow before{};
  if (renew_beat(incarnation, absent_argument, absent_argument, &before) == Renewal::back)
    publish_heartbeat(incarnation);
}

void publish_heartbeat(int64 incarnation) {
  if (run(message_statement, {bigint_argument(incarnation), int_argument(current_epoch())}) == 0) return;
  tell_heartbeat({.instance = text_column(0, 2),
                  .incarnation = incarnation,
                  .at = GetCurrentTimestamp(),
                  .subscriptions = datum_column(0, 3),
                  .in_flight_count = int_column(0, 4),
                  .leads = bool_column(0, 6),
                  .load_factor = float_column(0, 5)},
                 text_column(0, 1));
}

}  // namespace coord

COORD_FUNCTION(coord_heartbeat) {
  const coord::Saying saying = coord::saying_of(fcinfo);
  InitMaterializedSRF(fcinfo, 0);
  const coord::Change change = coord::begin_change("heartbeat");
  if (coord::beat(saying)) {
    coord::sweep();  // what it leads goes now
  } else {
    coord::sweep_if_due();
    coord::put_what_is_led(reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo));
  }
  coord::end_change(change);
  return Datum{0};
}
