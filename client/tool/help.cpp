#include "tool/help.hpp"

namespace pgcoord::tool::help {

const char* const overview = "Coordination on PostgreSQL (extension pg_coord) from the command line.";

const char* const elect = "Run a command only while this instance leads an election.";
const char* const lock = "Run a command while holding a named lock.";
const char* const drain = "Tell a member to shut down, and wait until it is gone.";
const char* const leader = "Print who leads an election.";
const char* const members = "Print the members and how they are.";
const char* const locks = "Print the named locks, who holds them, and how many wait.";
const char* const orphans = "Print the subscriptions that no healthy member has.";
const char* const assignments = "Print the work that leaders have assigned.";
const char* const log = "Print the last changes of leadership, oldest first.";
const char* const watch = "Print who leads and who is a member, then every change as it happens.";

const char* const more = R"("pgcoord COMMAND --help" says more.
Without --dbname the environment (PGHOST, PGPORT, PGUSER, PGDATABASE, PGSERVICE, ...) and libpq's
defaults say where the server is. Durations carry a unit: 500ms, 5s, 2m, 1h.

EXIT STATUS
  1    leader: nobody leads (with --is: not this one); drain: there is no such member;
       locks KEY: nobody holds it
  64   wrong usage, bad name
  69   the server cannot be reached, or refuses
  75   elect --wait, lock --wait: did not lead, was not held in time; the command never ran.
       drain --wait: still there
  76   elect --once: leadership was lost; lock: the lock was lost; the command was ended
  77   the role has no permission
  79   elect: told to leave by "pgcoord drain"
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

WHEN TOLD TO LEAVE
  By "pgcoord drain" or coord.drain(): as after TERM, but COMMAND is dead before the deadline of the
  notice. The exit status is 79.

The command is not in the terminal's foreground: one that reads the terminal is stopped by it.
Exit status: as the command's; otherwise see "pgcoord --help".)";

const char* const lock_more =
    R"(Takes the lock KEY, waiting for as long as it takes, runs COMMAND while holding it, and gives it back
when COMMAND and everything that it started have ended. Exits with COMMAND's status.

ENVIRONMENT OF THE COMMAND
  PGCOORD_LOCK, PGCOORD_LOCK_ID    KEY and its number: coord.lock_key(KEY)

WAITING
  First come, first served. --wait counts from the start of the tool; whether the server answers at all is
  --connect-timeout's matter. A connection that breaks meanwhile, by a restart of the server say, is
  made again, and the wait begins again at the end of the queue.
  A lock that an outer "pgcoord lock" of the same KEY holds is held by somebody else: without --wait
  such a nesting waits for ever, and so do two tools that nest two locks in opposite orders.

WHEN THE LOCK IS LOST
  The connection breaks, or the server ends it: another may hold the lock already, so KILL at once, and exit
  status 76. With --overlap: TERM, and KILL after that time.
  The tool is killed: a guardian process KILLs the command first, then the server frees the lock.
  A stopped tool keeps the lock; the guardian watches its connection meanwhile.

SIGNALS
  INT TERM HUP QUIT USR1 USR2 go to the command's process group. After INT or TERM the command has
  --grace to end, a second INT or TERM kills it; then the lock is given back. While waiting, INT TERM HUP
  QUIT leave the queue; the exit status is 128+N.

The command is not in the terminal's foreground: one that reads the terminal is stopped by it.
Exit status: 75 the wait is over, 76 the lock was lost, 69 the server cannot be asked, else as the
command's; see "pgcoord --help".)";

const char* const locks_more =
    R"(Columns: key, lock_id, instance, pid, application, address, waiters, longest_wait. One row for each
holder. instance: of a holder that is a member. key is missing for a number that nobody asked for by a key:
any advisory lock of this database with one number is shown. json has every column of coord.locks, and the
number longest_wait_seconds.
Exit status with KEYs: 0 if each of them is held, 1 if not; others: see "pgcoord --help".)";

const char* const leader_more =
    R"(Columns: election, leader, token, epoch, term, elected_at. Exit status 0 if somebody leads, 1 if
nobody does; others: see "pgcoord --help".)";

const char* const drain_more =
    R"(Calls coord.drain(): INSTANCE and its peers are told that it is shutting down, and until when. It
leads nothing from its deadline on. Prints the deadline. Whether it obeys is up to it: "pgcoord elect" does.
With --wait until it is gone, which is its session ended or it left, but no longer than to the deadline.
A notice that is there already is replaced.
Exit status 0: told (with --wait: gone); 1: there is no such member, or its session has ended; 75 --wait:
still there at its deadline; 77: it is another role's, and this one has no admin access.)";

const char* const members_more =
    R"(Columns: group, instance, status, leads, heard, timeout, intent, left, in_flight, load, pid, address.
status is healthy, draining (told to shut down), terminated (its deadline has passed, or it is gone after
such a notice), stale (session gone, or silent for longer than its timeout) or unknown.
leads: whether it leads any election. heard: how long ago the last heartbeat came. intent and left: of the
notice, why and how much time it has. json has every column of coord.peers, and the numbers
heartbeat_age_seconds and remaining_seconds.)";

const char* const orphans_more =
    R"(Columns: group, subscription, instance, status, available_at: when a draining member's time is over;
nothing if the subscription is free already. json has every column of coord.orphaned_subscriptions.)";

const char* const assignments_more =
    R"(Columns: id, group, target, source, subscriptions, priority, election, token, at. Only those
whose target has not joined anew since. json has every column of coord.assignments.)";

const char* const log_more =
    R"(Columns: at, election, cause, previous, leader, token. Causes: elected, resigned, session_end,
silent, left, discarded, drained, deposed. json has every column of coord.leadership_log.)";

const char* const watch_more =
    R"(Leaders: columns as in "pgcoord log"; the cause "current" marks what was found at the start. Nothing is
missed while the connection is away: changes are read from the server's log.
Members, unless NAME or --no-peers is given: current, joined, draining, terminated, stale, healthy (again),
unknown, left, removed. Seen by comparing what is with what was: what comes and goes in less than a tenth of a
second, or while the connection is away, is not told.
tsv has the columns at, election, cause, previous, leader, token, group, instance, status, intent, left: the
last five for members, whose cause is the event; without members the first six. json: one object a line; one
for a member has event, at, previous (status) and peer, every column of coord.peers.
Runs until a signal ends it.)";

}  // namespace pgcoord::tool::help
