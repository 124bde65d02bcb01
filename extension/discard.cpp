#include "discard.hpp"

#include "guard.hpp"
#include "member.hpp"
#include "registry.hpp"
#include "spi.hpp"

namespace coord {

namespace {

ProcessUtility_hook_type next_hook = nullptr;

bool ends_membership(const PlannedStmt* statement) {
  const Node* const node = statement->utilityStmt;
  return IsA(node, DiscardStmt) && castNode(DiscardStmt, node)->target == DISCARD_ALL &&
         membership().incarnation != 0 && my_incarnation() != 0;
}

/// By the SQL function, for its rights and its search_path; the caller may have lost the right to call it.
void leave_by_discard() {
  const bool read_only = XactReadOnly;
  XactReadOnly = false;  // an error ends the transaction, and with it this setting
  PushActiveSnapshot(GetTransactionSnapshot());
  const FormerUser former = become_owner();
  open_spi();
  if (SPI_execute("SELECT coord._discard()", false, 0) != SPI_OK_SELECT)
    elog(ERROR, "coord._discard() failed");
  close_spi();
  become(former);
  PopActiveSnapshot();
  XactReadOnly = read_only;
}

extern "C" void coord_process_utility(PlannedStmt* statement, const char* text, bool read_only_tree,
                                      ProcessUtilityContext context, ParamListInfo parameters,
                                      QueryEnvironment* environment, DestReceiver* destination,
                                      QueryCompletion* completion) {
  if (context == PROCESS_UTILITY_TOPLEVEL && !IsTransactionBlock() && ends_membership(statement))
    entry(leave_by_discard);
  const ProcessUtility_hook_type next = next_hook ? next_hook : standard_ProcessUtility;
  next(statement, text, read_only_tree, context, parameters, environment, destination, completion);
}

}  // namespace

void watch_discard() {
  next_hook = ProcessUtility_hook;
  ProcessUtility_hook = coord_process_utility;
}

}  // namespace coord
