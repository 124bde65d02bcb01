#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "contender.hpp"
#include "figure.hpp"
#include "support/server.hpp"

// What it costs a leader to ask whether it leads, beside one look at the clock.

namespace pgcoord::bench {
namespace {

/// Keeps the repetitions' times by name.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration)
        times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
  }
  double median_of(const std::string& name) const { return median(times_.at(name)); }

 private:
  std::map<std::string, std::vector<double>> times_;
};

void ask_clock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(BootClock::now());
}

void ask(benchmark::State& state, const PgLeaderElector& elector) {
  for (auto _ : state) benchmark::DoNotOptimize(elector.is_leader());
  if (!elector.is_leader()) state.SkipWithError("does not lead");
}

void measure(const std::string& conninfo) {
  Session session{contender_options(conninfo, "leader", std::chrono::minutes{10})};
  PgLeaderElector elector{session, contested};
  if (!elector.try_acquire()) throw std::runtime_error{"does not lead"};
  constexpr int repetitions = 9;
  benchmark::RegisterBenchmark("is_leader", ask, std::cref(elector))->MinTime(0.1)->Repetitions(repetitions);
  benchmark::RegisterBenchmark("clock", ask_clock)->MinTime(0.1)->Repetitions(repetitions);
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  print({"is_leader(), baseline a look at the clock", "ns", keeper.median_of("is_leader"),
         keeper.median_of("clock"), Target::value_at_most, 50});
}

}  // namespace
}  // namespace pgcoord::bench

int main() try {
  pgcoord::test::Server server;
  server.install();
  pgcoord::bench::measure(server.conninfo());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
