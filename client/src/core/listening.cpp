#include <algorithm>
#include <array>
#include <utility>

#include "core/state.hpp"

namespace pgcoord {

namespace {

constexpr Duration shortest_pause = std::chrono::seconds(15);

}  // namespace

std::size_t SessionCore::State::channels_wanted() const {
  const auto of_peers = is_member ? std::size_t{4} : std::size_t{3};
  return watch.watching() ? 1 + of_peers : 1;
}

Action SessionCore::State::next_listen() {
  const std::array<const std::string*, 5> channels{&server.leader_channel, &server.member_channel,
                                                   &server.shutdown_channel, &server.heartbeat_channel,
                                                   &server.work_assignment_channel};
  return send(Statement::listen, {*channels[channels_heard]});
}

void SessionCore::State::on_listening() {
  ++channels_heard;
  if (!std::exchange(listening, true) && !is_member) connect_backoff.reset();
  if (!deaf || channels_heard < channels_wanted()) return;
  // What happened until now was not heard.
  deaf = false;
  listen_backoff.reset();
  resyncing = true;
  for (auto& [name, e] : elections) e.stale = true;
  watch.reset(now);
}

void SessionCore::State::listen_refused() {
  listening = deaf = true;
  listen_at = now + listen_backoff.next(random);
}

SessionCore::State::Due SessionCore::State::listen_again_due() const {
  return deaf && channels_heard < channels_wanted() ? Due(listen_at) : std::nullopt;
}

void SessionCore::State::read_again() {
  if (!deaf && now < read_again_at) return;
  const auto pause = std::max(timeout, shortest_pause);
  read_again_at = now + pause - jitter(random, Duration{}, pause / 5);
  for (auto& [name, e] : elections) {
    if (!e.held) e.stale = true;
  }
  if (!deaf) return;
  watch.doubt(now);
  watch.work();
}

}  // namespace pgcoord
