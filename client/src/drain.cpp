#include "pgcoord/drain.hpp"

#include <algorithm>
#include <exception>

#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

/// Runs one step; what it throws is noted.
template <typename Step>
bool attempt(DrainReport& report, const char* what, Step step) {
  try {
    return step();
  } catch (const std::exception& error) {
    report.problems.push_back(std::string(what) + ": " + error.what());
  } catch (...) {
    report.problems.push_back(std::string(what) + ": unknown exception");
  }
  return false;
}

bool announce(PgCoordinator& coordinator, const DrainOptions& options) {
  if (coordinator.is_shutting_down()) return true;
  const auto bound = std::min(options.timeout, options.answer_timeout);
  coordinator.announce_shutdown(options.intent, options.timeout, options.in_flight_count, options.metadata,
                                std::max(bound, std::chrono::milliseconds(100)));
  return true;
}

bool drain_until(Session& session, Instant deadline, std::chrono::milliseconds interval,
                 const DrainFunction& step) {
  while (true) {
    const auto left = deadline - BootClock::now();
    if (left <= Duration{}) return false;
    if (step(left)) return true;
    if (session.is_closed()) return false;
    session.run_for(std::min<Duration>(interval, std::max(deadline - BootClock::now(), Duration{})));
  }
}

}  // namespace

DrainReport drain(Session& session, PgCoordinator& coordinator, const DrainOptions& options,
                  const DrainFunction& drain_function) {
  DrainReport report;
  const auto begin = BootClock::now();
  report.announced = attempt(report, "announce", [&] { return announce(coordinator, options); });
  const auto deadline = coordinator.shutdown_deadline().value_or(begin + options.timeout);
  report.handed_over = attempt(
      report, "resign", [&] { return coordinator.initiate_leadership_handoff(options.answer_timeout); });
  report.drained = attempt(report, "drain", [&] {
    return !drain_function || drain_until(session, deadline, options.poll_interval, drain_function);
  });
  report.left = attempt(report, "leave", [&] {
    const bool ready = session.is_ready();
    session.close();
    return ready && session.is_closed();
  });
  report.took = BootClock::now() - begin;
  return report;
}

}  // namespace pgcoord
