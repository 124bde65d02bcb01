#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/core_script.hpp"

namespace pgcoord::test {

/// A CoreScript whose session watches its peers.
class PeerScript : public CoreScript {
 public:
  using CoreScript::CoreScript;

  static PeerRecord peer(const std::string& id, std::int64_t incarnation = 1) {
    PeerRecord record;
    record.instance_id = id;
    record.incarnation = incarnation;
    return record;
  }
  static PeerRecord aged(const std::string& id, Duration age) {
    PeerRecord record = peer(id);
    record.heartbeat_age = age;
    return record;
  }
  static PeerRecord noticed(const std::string& id, Duration remaining, std::int64_t incarnation = 1) {
    PeerRecord record = peer(id, incarnation);
    record.notice.emplace();
    record.notice->instance_id = id;
    record.notice->expected_completion_at = UtcTime(std::chrono::hours(1));
    record.time_remaining = remaining;
    return record;
  }
  static Reply peers(std::vector<PeerRecord> records) {
    Reply reply;
    reply.peers = std::move(records);
    return reply;
  }
  static Reply work(std::vector<std::int64_t> ids) {
    Reply reply;
    for (const auto id : ids) {
      reply.assignments.emplace_back();
      reply.assignments.back().assignment_id = id;
    }
    return reply;
  }

  /// The further channels, in their order.
  void answer_listen() {
    for (const char* channel : {"member", "shutdown", "heartbeat", "work"}) {
      const auto command = expect(Statement::listen);
      EXPECT_EQ(command.parameters, Parameters{channel});
      answer(command);
    }
  }
  /// Joined, watching, and everything was read once.
  void watch(std::vector<PeerRecord> records = {}) {
    core.watch_peers(now);
    join();
    answer_listen();
    read_all(std::move(records));
    take<Event>();
    pass(std::chrono::milliseconds(200));
  }
  void read_all(std::vector<PeerRecord> records, const std::vector<std::int64_t>& assignments = {}) {
    answer(expect(Statement::peers), peers(std::move(records)));
    answer(expect(Statement::assignments), work(assignments));
  }
  void read(const std::string& id, std::vector<PeerRecord> records) {
    const auto command = expect(Statement::peer);
    EXPECT_EQ(command.parameters, (Parameters{"default", "{\"" + id + "\"}"}));
    answer(command, peers(std::move(records)));
  }

  void ring(const std::string& channel, const nlohmann::json& payload) {
    core.notified(channel, payload.dump(), now);
  }
  void member_bell(const std::string& id, const std::string& event, std::int64_t incarnation = 1) {
    ring("member", {{"instance_id", id}, {"incarnation", incarnation}, {"event", event}});
  }
  void heartbeat_bell(const std::string& id) { ring("heartbeat", {{"instance_id", id}}); }

  /// Lives on for so long, answering everything with nothing new; returns how often `counted` was sent.
  int live(Duration duration, Statement counted, const std::vector<PeerRecord>& records = {}) {
    int count = 0;
    const auto end = now + duration;
    while (core.deadline() && *core.deadline() <= end) {
      now = std::max(now, *core.deadline());
      const auto next = action();
      if (!next) continue;
      const auto& command = std::get<Execute>(*next);
      count += command.statement == counted ? 1 : 0;
      answer(command, peers(records));
    }
    now = end;
    return count;
  }
};

}  // namespace pgcoord::test
