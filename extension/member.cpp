#include "member.hpp"

#include "fail.hpp"
#include "guard.hpp"
#include "registry.hpp"
#include "session.hpp"
#include "spi.hpp"

namespace coord {

namespace {

Membership remembered;

/// What an abort of the transaction that joined puts back.
Membership former;
bool joining = false;

void at_transaction_event(XactEvent event) {
  if (!joining || (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)) return;
  if (event == XACT_EVENT_ABORT) remembered = former;
  joining = false;
}

extern "C" void coord_settle_membership(XactEvent event, void*) { entry(at_transaction_event, event); }

constinit Statement find_statement = {
    .text =
        "SELECT member_group, instance_id FROM coord._member WHERE incarnation = $1 "
        "AND session_pid = $2 AND session_start = $3",
    .parameters = 3,
    .types = {INT8OID, INT4OID, TIMESTAMPTZOID}};

}  // namespace

Membership& membership() { return remembered; }

void remember_membership(const Membership& joined) {
  if (!joining) former = remembered;
  joining = true;
  remembered = joined;
}

void watch_memberships() { RegisterXactCallback(coord_settle_membership, nullptr); }

int64 my_incarnation() {
  if (remembered.incarnation == 0 || remembered.pid != MyProcPid) return 0;
  return remembered.registry == find_table(Table::member) ? remembered.incarnation : 0;
}

bool find_member(Member* member) {
  const int64 incarnation = my_incarnation();
  if (incarnation == 0) return false;
  const SessionName me = this_session();
  if (run(find_statement, {bigint_argument(incarnation), int_argument(me.pid), time_argument(me.start)}) == 0)
    return false;
  *member = {incarnation, text_column(0, 1), text_column(0, 2)};
  return true;
}

Member require_member() {
  Member member{};
  if (!find_member(&member)) fail_not_a_member();
  remembered.watch.look(this_moment(), remembered.timeout);
  return member;
}

void fail_not_a_member() {
  fail({.code = sqlstate::not_a_member,
        .message = "this session is not a member",
        .detail = remembered.incarnation == 0
                      ? "It has not joined."
                      : "Its membership has ended, or another session has taken its name.",
        .hint = "Call coord.join() in this session first."});
}

}  // namespace coord
