#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connection.hpp"

namespace pgcoord::test {

/// What the registry should say after any calls, one after the other, as the contract has it and as simply as
/// can be. It knows no time: a member is silent when it is said to be, and a notice has run out at once or
/// never. Nobody judges a silent member, as nobody has watched it for its timeout. A session is a number,
/// never used for two sessions; after every call somebody sweeps.
///
/// Calls return what the statement in their comment answers: a value, "t" and "f", "" for NULL, or a
/// SQLSTATE.
class RegistryModel {
 public:
  RegistryModel(std::int64_t incarnations, std::int64_t epoch) : incarnations_{incarnations}, epoch_{epoch} {}

  using List = std::vector<std::string>;

  std::string join(int session, const std::string& name, const std::string& group, const List& subscriptions);
  std::string heartbeat(int session, const List& subscriptions);         ///< "" when all is well
  std::string announce(int session, bool at_once, int in_flight_count);  ///< deadline IS NOT NULL
  std::string drain(const std::string& name, bool at_once);              ///< by an administrator; the same
  std::string leave(int session);
  std::string remove(const std::string& name);  ///< by an administrator
  void end_session(int session);
  void fall_silent(const std::string& name);

  /// concat_ws('|', leader, is_leader, term)
  std::string campaign(int session, const std::string& election, std::optional<int> priority);
  std::string resign(int session, const std::string& election);
  std::string withdraw(int session, const std::string& election);
  /// `age` is how many terms ago the token was the newest.
  std::string assign(int session, const std::string& target, const std::string& election, int age);
  std::int64_t token(const std::string& election, int age) const;

  void sweep();

  Rows peers() const;  ///< as selected by peers_query, …
  Rows orphans() const;
  Rows elections() const;
  Rows assignments() const;
  static const char* const peers_query;
  static const char* const orphans_query;
  static const char* const elections_query;
  static const char* const assignments_query;

  /// The session that is bound to that name, 0 if none lives.
  int session_of(const std::string& name) const;
  bool is_member(int session) const;
  /// The session that leads by the rows, silent or not; 0 if none does.
  int leading_session(const std::string& election) const;

 private:
  struct Member {
    std::string name;
    std::string group;
    std::int64_t incarnation = 0;
    int session = 0;  // 0: gone
    bool silent = false;
    bool noticed = false;
    bool run_out = false;
    List subscriptions;
    std::optional<int> in_flight_count = 0;

    std::string status() const;
    bool can_lead() const { return session != 0 && !silent && !run_out; }
  };
  struct Place {
    std::int64_t incarnation = 0;
    int priority = 0;
    long order = 0;
  };
  struct Election {
    std::int64_t term = 0;
    std::int64_t leader = 0;  // incarnation, 0: nobody
    std::vector<Place> queue;
  };
  struct Assignment {
    std::int64_t id = 0;
    std::int64_t incarnation = 0;
    std::string source;
    std::string election;
  };

  const Member* find(std::int64_t incarnation) const;
  Member* bound_to(int session);
  const Place* first(const Election& election) const;
  bool goes_before(const Place& a, const Place& b) const;
  void succeed(Election& election);
  void give_up_everything(std::int64_t incarnation);
  bool someone_healthy_has(const std::string& group, const std::string& subscription) const;
  std::string leader_name(const Election& election) const;
  std::string queue_text(const Election& election) const;
  bool leads_something(std::int64_t incarnation) const;

  std::map<std::string, Member> members_;
  std::map<std::string, Election> elections_;
  std::vector<Assignment> assignments_;
  std::int64_t incarnations_;
  std::int64_t epoch_;
  long places_ = 0;
};

/// The first row in which the two differ, for a message; empty if none does.
std::string difference(const Rows& seen, const Rows& wanted);

}  // namespace pgcoord::test
