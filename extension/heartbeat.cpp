#include "arguments.hpp"
#include "beat.hpp"
#include "change.hpp"
#include "epoch.hpp"
#include "guard.hpp"
#include "leadership.hpp"
#include "member.hpp"
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

Argument optional(FunctionCallInfo fcinfo, int number) {
  return PG_ARGISNULL(number) ? absent_argument : Argument{PG_GETARG_DATUM(number)};
}

void beat(FunctionCallInfo fcinfo) {
  const int64 incarnation = my_incarnation();
  const Argument subscriptions =
      PG_ARGISNULL(0) ? absent_argument : Argument{list_argument(fcinfo, 0, "subscriptions")};
  if (incarnation == 0 || !renew_beat(incarnation, optional(fcinfo, 1), optional(fcinfo, 2)))
    fail_not_a_member();
  membership().watch.look(this_moment(), membership().timeout);
  if (!subscriptions.absent) run(subscriptions_statement, {bigint_argument(incarnation), subscriptions});
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

}  // namespace coord

COORD_FUNCTION(coord_heartbeat) {
  InitMaterializedSRF(fcinfo, 0);
  const coord::Change change = coord::begin_change("heartbeat");
  coord::beat(fcinfo);
  coord::sweep_if_due();
  coord::put_what_is_led(reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo));
  coord::end_change(change);
  return Datum{0};
}
