#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "figure.hpp"
#include "pgcoord/heartbeat_message.hpp"

// What it costs to write a heartbeat and read it again.

namespace pgcoord::bench {
namespace {

/// Keeps the repetitions' times.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration) times_.push_back(run.GetAdjustedCPUTime());
  }
  double median() const { return bench::median(times_); }

 private:
  std::vector<double> times_;
};

HeartbeatMessage example() {
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = "worker-7";
  heartbeat.timestamp = UtcTime{std::chrono::microseconds{1735689600123456}};
  for (int i = 0; i < 10; ++i) heartbeat.subscriptions.push_back("subscription-" + std::to_string(i));
  heartbeat.in_flight_count = 42;
  heartbeat.load_factor = 0.75;
  heartbeat.incarnation = 12;
  return heartbeat;
}

void round_trip(benchmark::State& state) {
  const auto heartbeat = example();
  for (auto _ : state) benchmark::DoNotOptimize(HeartbeatMessage::from_json(heartbeat.to_json()));
  if (HeartbeatMessage::from_json(heartbeat.to_json()) != heartbeat) state.SkipWithError("not the same");
}

}  // namespace
}  // namespace pgcoord::bench

int main() {
  using namespace pgcoord::bench;
  benchmark::RegisterBenchmark("round_trip", round_trip)->MinTime(0.1)->Repetitions(9);
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  print({"heartbeat of 10 subscriptions to JSON and back", "us", keeper.median() / 1000, 0,
         Target::value_at_most, 20});
}
