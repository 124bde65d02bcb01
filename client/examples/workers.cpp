// workers CONNINFO: three workers share three subscriptions. One is drained, then the leader is killed;
// whoever leads hands on what they leave. Ends by itself; exit code 0 only if all of it happened. Makes a
// table "delivery" and drops it.
#include <cstdio>
#include <exception>
#include <string>

#include "workers/stage.hpp"

namespace {

using workers::Database;
using workers::Stage;

const std::map<std::string, std::string> cast{{"anna", "orders"}, {"ben", "billing"}, {"cleo", "mail"}};

std::string first_word(const std::string& line) { return line.substr(0, line.find(' ')); }

std::string last_word(const std::string& line) { return line.substr(line.rfind(' ') + 1); }

std::string anybody_but(const std::string& one, const std::string& other = {}) {
  for (const auto& [id, subscription] : cast) {
    if (id != one && id != other) return id;
  }
  return {};
}

bool play(Stage& stage, const std::string& conninfo) {
  std::map<std::string, std::string> tokens;
  for (const auto& [id, subscription] : cast) {
    tokens[id] = last_word(stage.await(id + " owns " + subscription));
    if (tokens[id].empty()) return false;
  }
  const auto leader = first_word(stage.await(" leads"));
  const auto drained = anybody_but(leader);
  const auto heir = anybody_but(leader, drained);

  stage.kill(drained, SIGTERM);
  if (!stage.says(" assigns " + cast.at(drained) + " of " + drained)) return false;
  if (!stage.says(drained + " left")) return false;
  if (stage.await(" owns " + cast.at(drained) + " ", drained).empty()) return false;
  Database database(conninfo);
  const auto failure = workers::deliver(database, cast.at(drained), drained, std::stoll(tokens[drained]));
  std::printf("-- %s writes once more with its old token: SQLSTATE %s\n", drained.c_str(), failure.c_str());
  if (failure != "PC002") return false;

  stage.kill(leader, SIGKILL);
  if (!stage.says(heir + " leads")) return false;
  if (!stage.says(heir + " owns " + cast.at(leader) + " ")) return false;
  if (!stage.says(heir + " owns " + cast.at(drained) + " ")) return false;
  stage.kill(heir, SIGTERM);
  return stage.says(heir + " left");
}

/// Each subscription was written for, by rising tokens only, and by one worker under each.
bool in_order(const std::string& conninfo) {
  std::string wrong;
  std::string written;
  Database(conninfo).run("SELECT count(DISTINCT (subscription, worker)) FROM delivery", {}, &written);
  Database(conninfo).run(
      "SELECT count(*) FROM delivery a JOIN delivery b USING (subscription) "
      "WHERE a.id < b.id AND (a.token > b.token OR (a.token = b.token AND a.worker <> b.worker))",
      {}, &wrong);
  std::printf("-- writes out of order: %s\n", wrong.c_str());
  return wrong == "0" && std::stoi(written) >= 5;  // three, and at least two that changed hands
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 64;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string conninfo = argv[1];
  const char* const make =
      "CREATE TABLE delivery (id bigint GENERATED ALWAYS AS IDENTITY, subscription text NOT NULL, "
      "worker text NOT NULL, token bigint NOT NULL)";
  if (!Database(conninfo).run(make).empty()) return 1;
  bool well = false;
  {
    Stage stage;
    for (const auto& [id, subscription] : cast) stage.start(conninfo, id, subscription);
    well = play(stage, conninfo) && in_order(conninfo);
  }
  Database(conninfo).run("DROP TABLE delivery");
  std::printf("%s\n", well ? "-- as it should be" : "!! it went wrong");
  return well ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
