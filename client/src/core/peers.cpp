#include <algorithm>

#include "core/state.hpp"
#include "core/text.hpp"

namespace pgcoord {

// Bells.

void SessionCore::State::rung(std::string_view channel, std::string_view payload) {
  const bool is_work = channel == server.work_assignment_channel;
  const bool is_coming_and_going = channel == server.member_channel;
  const bool is_shutdown = channel == server.shutdown_channel;
  const bool is_ours = is_work || is_coming_and_going || is_shutdown || channel == server.heartbeat_channel;
  if (!watch.watching() || !is_ours) return;
  const auto bell = detail::parse_bell(payload, is_work ? "target_instance_id" : "instance_id");
  if (!bell) {
    ++malformed;
    return watch.doubt(now);
  }
  const bool is_own = is_member && bell->instance_id == options.instance_id;
  if (is_work) {
    if (is_own) watch.work();
  } else if (is_coming_and_going) {
    if (!is_own) watch.member(*bell, now);
  } else if (is_shutdown || !is_own) {
    watch.changed(bell->instance_id, now);
  }
}

// What is due.

bool SessionCore::State::can_read_peers() const {
  return listening && (deaf || channels_heard >= channels_wanted()) && (!is_member || (joined && confirmed));
}

SessionCore::State::Due SessionCore::State::peers_due() const {
  if (!watch.watching()) return std::nullopt;
  if (listening && !deaf && (!is_member || joined) && channels_heard < channels_wanted()) return now;
  return can_read_peers() ? watch.due() : std::nullopt;
}

SessionCore::State::Due SessionCore::State::work_due() const {
  return is_member && can_read_peers() ? watch.work_due() : std::nullopt;
}

std::optional<Action> SessionCore::State::next_for_peers() {
  if (is_due(peers_due())) {
    if (!can_read_peers()) return next_listen();
    const auto& asked = watch.begin(now);
    if (asked.empty()) return send(Statement::peers, {options.member_group});
    return send(Statement::peer, {options.member_group, detail::array_literal(asked)});
  }
  if (is_due(work_due())) {
    watch.begin_work(now);
    return send(Statement::assignments, {options.member_group, options.instance_id,
                                         std::to_string(incarnation), std::to_string(last_assignment)});
  }
  return std::nullopt;
}

// What came.

void SessionCore::State::on_peers(const InFlight& done, const Reply& reply) {
  if (done.command.statement == Statement::peers) {
    events.emplace_back(PeersRead{reply.peers, now});
  }
  for (const auto& id : watch.asked()) {
    const auto found = std::find_if(reply.peers.begin(), reply.peers.end(),
                                    [&](const PeerRecord& peer) { return peer.instance_id == id; });
    if (found != reply.peers.end()) {
      events.emplace_back(PeerRead{id, *found, now});
    } else if (watch.knows(id)) {
      events.emplace_back(PeerRead{id, std::nullopt, now});
    }
  }
  watch.learn(reply.peers, is_member ? options.instance_id : std::string(), now, random);
  if (!is_member) return;
  for (const auto& peer : reply.peers) {
    if (peer.instance_id == options.instance_id) look_for_drain(peer, done.sent_at);
  }
}

void SessionCore::State::on_assignments(const Reply& reply) {
  for (const auto& assignment : reply.assignments) {
    const auto id = assignment.assignment_id.value_or(0);
    if (id <= last_assignment) continue;
    last_assignment = id;
    events.emplace_back(WorkAssigned{assignment});
  }
}

}  // namespace pgcoord
