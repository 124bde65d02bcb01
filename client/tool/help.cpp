#include "tool/help.hpp"

namespace pgcoord::tool::help {

const char* const overview = "Leader election on PostgreSQL (extension pg_coord) from the command line.";

const char* const elect = "Run a command only while this instance leads an election.";
const char* const leader = "Print who leads an election.";
const char* const members = "Print the members and how they are.";
const char* const log = "Print the last changes of leadership, oldest first.";
const char* const watch = "Print who leads, then every change as it happens.";

const char* const more = R"("pgcoord COMMAND --help" says more.
Without --dbname the environment (PGHOST, PGPORT, PGUSER, PGDATABASE, PGSERVICE, ...) and libpq's
defaults say where the server is. Durations carry a unit: 500ms, 5s, 2m, 1h.

EXIT STATUS
  1    leader: nobody leads (with --is: not this one)
  64   wrong usage, bad name
  69   the server cannot be reached, or refuses
  75   elect --wait: did not lead in time; the command never ran
  76   elect --once: leadership was lost; the command was ended
  77   the role has no permission
  125  the tool itself failed
  126  the command cannot be executed
  127  the command was not found
  128+N  ended by signal N
  Otherwise the command's own.)";

const char* const elect_more =
    R"(Waits until this instance leads NAME, runs COMMAND, and ends it when leadership is lost; then waits
to lead again. When COMMAND ends by itself, hands leadership over and exits with its status. Everything that
COMMAND started ends with it.

ENVIRONMENT OF THE COMMAND
  PGCOORD_ELECTION, PGCOORD_INSTANCE    NAME and ID
  PGCOORD_TOKEN                         fences this term: SELECT coord.fence(NAME, TOKEN)
  PGCOORD_EPOCH, PGCOORD_TERM           what the token is made of

WHEN LEADERSHIP IS LOST
  Foreseen, because heartbeats go unanswered: TERM early enough that --grace is over, and the command
  killed, before another instance can lead. With 15s and 5s that is when a heartbeat has had no
  answer for about 2s; a longer --timeout or a shorter --grace has more patience.
  The connection drops, or the term is taken away: another may lead already, so KILL at once. With
  --overlap: TERM, and KILL after that time.
  The tool is killed or stopped: a guardian process KILLs the command, also then before another leads.
  None of this takes back what the command wrote a moment too late: only transactions that call
  coord.fence() with the token are safe.

SIGNALS
  INT TERM HUP QUIT USR1 USR2 go to the command's process group. After INT or TERM the command has
  --grace to end, a second INT or TERM kills it; then leadership is handed over. While
  waiting to lead, INT TERM HUP QUIT leave the queue; the exit status is 128+N.

The command is not in the terminal's foreground: one that reads the terminal is stopped by it.
Exit status: as the command's; otherwise see "pgcoord --help".)";

const char* const leader_more =
    R"(Columns: election, leader, token, epoch, term, elected_at. Exit status 0 if somebody leads, 1 if
nobody does; others: see "pgcoord --help".)";

const char* const members_more =
    R"(Columns: group, instance, status, in_flight, load, last_heartbeat, timeout, pid, address.
status is healthy, stale (session gone, or silent for longer than its timeout) or unknown.
json has every column of coord.peers.)";

const char* const log_more =
    R"(Columns: at, election, cause, previous, leader, token. Causes: elected, resigned, session_end,
silent, left, discarded, deposed. json has every column of coord.leadership_log.)";

const char* const watch_more =
    R"(Columns as in "pgcoord log"; the cause "current" marks what was found at the start. With json one
object a line. Nothing is missed while the connection is away: changes are read from the server's
log. Runs until a signal ends it.)";

}  // namespace pgcoord::tool::help
