#include "arguments.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "leadership.hpp"

COORD_FUNCTION(coord_leader) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress())
    coord::fail({.code = ERRCODE_READ_ONLY_SQL_TRANSACTION,
                 .message = "cannot execute coord.leader() during recovery",
                 .detail = "Whether a leader's session lives can only be seen on the primary server.",
                 .hint = "Connect to the primary server."});
  if (IsParallelWorker())
    coord::fail({.code = ERRCODE_INVALID_TRANSACTION_STATE,
                 .message = "cannot execute coord.leader() in a parallel worker"});
  coord::ElectionRow row{};
  if (!coord::read_election(election, &row)) return Datum{0};
  const coord::Standing standing = coord::standing_of(row, coord::current_epoch());
  if (standing == coord::Standing::mine || standing == coord::Standing::other)
    coord::put_leadership(reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo), row);
  return Datum{0};
}
