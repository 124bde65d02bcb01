#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pgcoord/session_core.hpp"

namespace pgcoord::test {

/// Plays server and clock for a SessionCore. Time moves only by pass().
class CoreScript {
 public:
  static SessionOptions options_for(const std::string& instance = "me") {
    SessionOptions options;
    options.instance_id = instance;
    return options;
  }

  explicit CoreScript(SessionOptions options = options_for(), std::uint64_t seed = 1)
      : core(std::move(options), Random(seed)) {}

  /// Moves the clock, stopping at nothing in between: what a frozen process would see.
  void pass(Duration duration) {
    now += duration;
    core.tick(now);
  }

  std::optional<Action> action() { return core.next_action(now); }

  /// The statement that the core wants run now; fails the test if it wants anything else.
  Execute statement() {
    auto next = action();
    if (next && std::holds_alternative<Execute>(*next)) return std::get<Execute>(*next);
    ADD_FAILURE() << "no statement is due";
    return {};
  }
  Execute expect(Statement wanted) {
    auto command = statement();
    EXPECT_EQ(to_string(command.statement), to_string(wanted));
    return command;
  }
  bool idle() { return !action(); }

  void answer(const Execute& command, Reply reply = {}) {
    reply.tag = command.tag;
    core.reply(reply, now);
  }
  void fail(const Execute& command, const std::string& sqlstate) {
    Reply reply;
    reply.failure = Failure{sqlstate, "refused", {}, {}};
    answer(command, reply);
  }

  static Leadership row(const std::string& election, const std::string& leader, std::int64_t token,
                        bool ours) {
    return {election, leader, ours, Token{token}, std::nullopt};
  }
  static Reply rows(std::vector<Leadership> leaderships) {
    Reply reply;
    reply.rows = std::move(leaderships);
    return reply;
  }
  static Reply ours(const std::string& election, std::int64_t token) {
    return rows({row(election, "me", token, true)});
  }

  ServerInfo server() const {
    return {4711, "app", "1", 150000, "channel", "member", "shutdown", "heartbeat", "work"};
  }

  void connect() {
    const auto open = action();
    ASSERT_TRUE(open && std::holds_alternative<OpenConnection>(*open));
    core.connected(server(), now);
  }
  void join() {
    connect();
    answer(expect(Statement::listen));
    Reply joined;
    joined.incarnation = 1;
    answer(expect(Statement::join), joined);
    heartbeat();
  }
  void heartbeat(std::vector<Leadership> leaderships = {}) {
    answer(expect(Statement::heartbeat), rows(std::move(leaderships)));
  }
  /// Joined, and leading `election` with `token`.
  void lead(const std::string& election, std::int64_t token) {
    core.campaign(election, 0, now);
    join();
    answer(expect(Statement::campaign), ours(election, token));
    ASSERT_TRUE(leads(election));
  }
  /// Joined, and queued behind another leader.
  void queue(const std::string& election, std::int64_t token = 1) {
    core.campaign(election, 0, now);
    join();
    answer(expect(Statement::campaign), rows({row(election, "other", token, false)}));
    take<Event>();
  }

  bool leads(const std::string& election) { return core.cell(election)->is_leader(now); }

  void announce(const std::string& election, const nlohmann::json& leader, std::int64_t token,
                const nlohmann::json& successor = nullptr) {
    const nlohmann::json payload = {
        {"election", election}, {"leader", leader}, {"token", token}, {"successor", successor}};
    core.notified("channel", payload.dump(), now);
  }

  /// All events since the last call; with a type, only those.
  template <typename Wanted>
  std::vector<Wanted> take() {
    auto events = core.take_events();
    if constexpr (std::is_same_v<Wanted, Event>) {
      return events;
    } else {
      std::vector<Wanted> found;
      for (const auto& event : events) {
        if (const auto* wanted = std::get_if<Wanted>(&event)) found.push_back(*wanted);
      }
      return found;
    }
  }

  Instant now{std::chrono::hours(1)};
  SessionCore core;
};

}  // namespace pgcoord::test
