#include "core/peer_watch.hpp"

#include <algorithm>
#include <utility>

namespace pgcoord::detail {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// At most one read per this long, however often the bell is rung.
constexpr Duration between_reads = milliseconds(10);
/// More peers than this are read by reading all, at most one such read per `between_storms`.
constexpr std::size_t most_at_once = 8;
constexpr Duration between_storms = milliseconds(100);
/// So many at once, before the pace of the reads counts.
constexpr std::size_t most_reads = 20;
constexpr std::size_t most_full_reads = 5;
/// At most one read per this long for notifications that make no sense.
constexpr Duration between_doubts = seconds(1);
/// How long after its time a peer is looked at, so that the server has come to the same conclusion. Before
/// that it is looked at once while there is a sixth of its time left: one that beats is found younger by
/// then.
constexpr Duration grace = milliseconds(150);
constexpr Duration shortest_pause = seconds(15);

}  // namespace

PeerWatch::PeerWatch(Duration heartbeat_timeout)
    : longest_pause_(std::max<Duration>(heartbeat_timeout, shortest_pause)),
      backoff_(milliseconds(100), seconds(5)) {}

void PeerWatch::start(Instant now) {
  ++watchers_;
  want_all(now);
}

void PeerWatch::stop() {
  if (watchers_ > 0) --watchers_;
}

void PeerWatch::reset(Instant now) {
  complete_ = reading_ = work_wanted_ = false;
  known_.clear();
  wanted_.clear();
  full_at_ = now;
  retry_at_ = work_at_ = now;
}

void PeerWatch::want_all(Instant at) { full_at_ = full_at_ ? std::min(*full_at_, at) : at; }

void PeerWatch::changed(const std::string& instance_id, Instant now) {
  wanted_.insert(instance_id);
  if (wanted_.size() <= most_at_once) return;
  wanted_.clear();
  want_all(std::max({now, full_sent_ + between_storms, full_reads_.next(most_full_reads)}));
}

void PeerWatch::member(const Bell& bell, Instant now) {
  // A read that is out may have been answered before that happened.
  if (complete_ && !reading_ && says_what_is_known(bell)) return;
  changed(bell.instance_id, now);
}

bool PeerWatch::says_what_is_known(const Bell& bell) const {
  if (!bell.incarnation) return false;
  const auto found = known_.find(bell.instance_id);
  if (found == known_.end()) return bell.event != "joined" && !bell.event.empty();
  const Known& known = found->second;
  if (known.incarnation != *bell.incarnation) return known.incarnation > *bell.incarnation;
  if (bell.event == "joined") return known.alive;
  if (bell.event == "gone") return !known.alive;
  if (bell.event == "silent") return known.silent || !known.alive;
  return bell.event == "left" && known.noticed && !known.alive;
}

void PeerWatch::doubt(Instant now) { want_all(std::max(now, full_sent_ + between_doubts)); }

PeerWatch::Due PeerWatch::next_look() const {
  Due next;
  for (const auto& [id, known] : known_) {
    if (known.look_at) next = next ? std::min(*next, *known.look_at) : known.look_at;
  }
  return next;
}

PeerWatch::Due PeerWatch::due() const {
  if (!watching() || reading_) return std::nullopt;
  Due due = next_look();
  if (!wanted_.empty()) {
    const auto read_at = std::max(sent_ + between_reads, reads_.next(most_reads));
    due = std::min(due.value_or(read_at), read_at);
  }
  if (full_at_) due = std::min(due.value_or(*full_at_), *full_at_);
  if (due) due = std::max(*due, retry_at_);
  return due;
}

PeerWatch::Due PeerWatch::work_due() const {
  return watching() && work_wanted_ ? Due(std::max(work_at_, work_reads_.next(most_reads))) : std::nullopt;
}

const std::vector<std::string>& PeerWatch::begin(Instant now) {
  if (!wanted_.empty()) reads_.spend(now);
  for (const auto& [id, known] : known_) {
    if (known.look_at && *known.look_at <= now) wanted_.insert(id);
  }
  asked_.clear();
  const bool all = (full_at_ && *full_at_ <= now) || wanted_.size() > most_at_once;
  if (all) {
    full_sent_ = now;
    full_reads_.spend(now);
    full_at_.reset();
  } else {
    asked_.assign(wanted_.begin(), wanted_.end());
  }
  wanted_.clear();
  sent_ = now;
  reading_ = true;
  return asked_;
}

PeerWatch::Known PeerWatch::known_of(const PeerRecord& record, Instant now) {
  Known known{record.incarnation, record.session_alive, record.heartbeat_age > record.heartbeat_timeout,
              record.notice.has_value(), std::nullopt};
  if (!known.alive) return known;
  if (known.noticed) {
    if (record.time_remaining > Duration{}) known.look_at = now + record.time_remaining + grace;
  } else if (!known.silent) {
    const auto left = record.heartbeat_timeout - record.heartbeat_age;
    const auto early = record.heartbeat_timeout / 6;
    known.look_at = now + (left > early ? left - early : left + grace);
  }
  return known;
}

void PeerWatch::learn(const std::vector<PeerRecord>& records, const std::string& own, Instant now,
                      Random& random) {
  if (asked_.empty()) {
    known_.clear();
    complete_ = true;
    work_wanted_ = true;
    want_all(now + longest_pause_ - jitter(random, Duration{}, longest_pause_ / 5));
  }
  for (const auto& id : asked_) known_.erase(id);
  for (const auto& record : records) {
    auto& known = known_[record.instance_id] = known_of(record, now);
    if (record.instance_id == own) known.look_at.reset();
  }
  reading_ = false;
  backoff_.reset();
}

void PeerWatch::failed(Instant now, Random& random) {
  reading_ = false;
  retry_at_ = now + backoff_.next(random);
  if (asked_.empty()) want_all(now);
  wanted_.insert(asked_.begin(), asked_.end());
}

void PeerWatch::begin_work(Instant now) {
  work_wanted_ = false;
  work_reads_.spend(now);
  work_at_ = now + between_reads;
}

void PeerWatch::work_failed(Instant now, Random& random) {
  work_wanted_ = true;
  work_at_ = now + backoff_.next(random);
}

}  // namespace pgcoord::detail
