#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "contender.hpp"
#include "contest.hpp"
#include "figure.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

// Fail-over among many candidates, all of which hear of it, beside the same among three.

namespace pgcoord::bench {
namespace {

constexpr int many = 200;
constexpr int mortal = 10;                                               // those that die have a process each
constexpr std::chrono::milliseconds timeout = std::chrono::minutes{10};  // no heartbeat is due while we count

/// The others: sessions in one process, whose turn never comes.
Body crowd(const std::string& conninfo) {
  return [conninfo](const std::string& name, const Reporter& reporter) {
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<std::unique_ptr<PgLeaderElector>> electors;
    for (int i = mortal; i < many; ++i) {
      sessions.push_back(
          std::make_unique<Session>(contender_options(conninfo, name + std::to_string(i), timeout)));
      sessions.back()->require_ready(std::chrono::seconds{20});
      electors.push_back(std::make_unique<PgLeaderElector>(*sessions.back(), contested));
      electors.back()->campaign(-1);
    }
    reporter.say(Report::Kind::waiting);
    for (;;) pause();
  };
}

/// What the clients of one database asked of the server.
class Ledger {
 public:
  Ledger(const test::Server& server, const std::string& database)
      : statements_{server.conninfo()}, registry_{server.conninfo(database)}, database_{database} {
    statements_.exec("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  }
  void open() {
    changes_ = changes();
    statements_.exec("SELECT pg_stat_statements_reset()");
  }
  /// Calls of each function. The extension's own statements have names with an underscore.
  test::Rows statements() {
    return statements_.exec(
        "SELECT substring(query FROM 'coord\\.[a-z][a-z_]*\\('), sum(calls)"
        " FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
        " WHERE d.datname = $1 AND query ~ 'coord\\.[a-z][a-z_]*\\(' GROUP BY 1",
        {database_});
  }
  double grants() { return changes() - changes_; }
  int candidates() { return static_cast<int>(number(registry_, "SELECT count(*) FROM coord.candidates")); }

 private:
  double changes() { return number(registry_, "SELECT count(*) FROM coord.leadership_log"); }
  static double number(test::Connection& connection, const std::string& sql) {
    return std::stod(connection.value(sql).value());
  }

  test::Connection statements_;
  test::Connection registry_;
  std::string database_;
  double changes_ = 0;
};

struct Count {
  double statements = 0;
  double grants = 0;
  std::string names;
};

/// Longer than the others leave to the one who was named, and than a new candidate waits for its first sweep.
constexpr std::chrono::milliseconds settling{2000};

Count count_one(Contest& contest, Ledger& ledger) {
  Count count;
  std::this_thread::sleep_for(settling);
  ledger.open();
  contest.round([&] {
    std::this_thread::sleep_for(settling);
    for (const auto& row : ledger.statements()) {
      count.statements += std::stod(row[1].value());
      count.names += " " + row[0].value() + ") " + row[1].value();
    }
    count.grants = ledger.grants();
  });
  return count;
}

void measure_times(Contest& few, Contest& crowded, int rounds) {
  std::vector<double> figure;
  std::vector<double> baseline;
  for (int i = 0; i < rounds; ++i) {
    figure.push_back(crowded.round());
    baseline.push_back(few.round());
  }
  print({"fail-over among 200, median", "ms", median(figure), median(baseline), Target::ratio_at_most, 4});
  print({"fail-over among 200, 90 % within", "ms", quantile(figure, 0.9), quantile(baseline, 0.9)});
  print({"fail-over among 200, longest", "ms", quantile(figure, 1), quantile(baseline, 1)});
}

void measure_cost(Contest& crowded, Ledger& ledger, int rounds) {
  Count most;
  for (int i = 0; i < rounds; ++i) {
    const Count one = count_one(crowded, ledger);
    if (one.statements > most.statements) most.names = one.names;
    most.statements = std::max(most.statements, one.statements);
    most.grants = std::max(most.grants, one.grants);
  }
  print({"statements for one fail-over among 200", "", most.statements, 0, Target::value_at_most, 1});
  note("they are" + most.names);
  print({"grants for one fail-over among 200", "", most.grants, 0, Target::value_at_most, 1});
}

void measure(test::Server& server, int rounds) {
  Contest few{"elector", 3, contender(server.conninfo("few"), timeout)};
  Contest crowded{"elector", mortal, contender(server.conninfo("many"), timeout)};
  Candidate rest{"crowd", crowd(server.conninfo("many"))};
  rest.wait(Report::Kind::waiting, std::chrono::seconds{60});
  Ledger ledger{server, "many"};
  if (!test::wait_until([&] { return ledger.candidates() == many - 1; }))
    throw std::runtime_error{"not all of the crowd are candidates"};
  measure_times(few, crowded, rounds);
  measure_cost(crowded, ledger, 4);
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{{"max_connections = 250", "shared_preload_libraries = 'pg_stat_statements'"}};
  server.install("few");
  server.install("many");
  pgcoord::bench::measure(server, argc > 1 ? std::stoi(argv[1]) : 60);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
