#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/bell.hpp"
#include "core/pace.hpp"
#include "pgcoord/backoff.hpp"
#include "pgcoord/peer_record.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// Which peers have to be read from the registry, and when. What bells say is never taken for true; it only
/// saves a read when it says what was read already.
class PeerWatch {
 public:
  using Due = std::optional<Instant>;

  explicit PeerWatch(Duration heartbeat_timeout);

  /// Nests.
  void start(Instant now);
  void stop();
  [[nodiscard]] bool watching() const { return watchers_ > 0; }
  /// There is a gap: nothing is known any more.
  void reset(Instant now);
  /// Everything was read since the last gap.
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] bool knows(const std::string& instance_id) const { return known_.contains(instance_id); }

  // Bells.
  /// Something of this peer changed.
  void changed(const std::string& instance_id, Instant now);
  /// On the channel for coming and going.
  void member(const Bell& bell, Instant now);
  /// Something was announced that could not be understood.
  void doubt(Instant now);
  void work() { work_wanted_ = true; }

  // Reads. `due` is for peers, `work_due` for assignments.
  [[nodiscard]] Due due() const;
  [[nodiscard]] Due work_due() const;
  /// Begins a read of these peers; none: of all.
  [[nodiscard]] const std::vector<std::string>& begin(Instant now);
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }
  /// Ends it. Of its own member a session needs no look.
  void learn(const std::vector<PeerRecord>& records, const std::string& own, Instant now, Random& random);
  void failed(Instant now, Random& random);
  void begin_work(Instant now);
  void work_failed(Instant now, Random& random);

 private:
  struct Known {
    std::int64_t incarnation = 0;
    bool alive = false;
    bool silent = false;
    bool noticed = false;
    /// When it will be silent, or its notice at an end, unless it is heard.
    Due look_at;
  };

  static Known known_of(const PeerRecord& record, Instant now);
  [[nodiscard]] bool says_what_is_known(const Bell& bell) const;
  void want_all(Instant at);
  [[nodiscard]] Due next_look() const;

  const Duration longest_pause_;
  int watchers_ = 0;
  bool complete_ = false;
  Due full_at_;
  Instant full_sent_;
  std::set<std::string> wanted_;
  Instant sent_;
  bool reading_ = false;
  std::vector<std::string> asked_;
  std::map<std::string, Known, std::less<>> known_;
  Instant retry_at_;
  Backoff backoff_;
  bool work_wanted_ = false;
  Instant work_at_;

  // What bells may cost: reads of some peers, of all, of assignments.
  Pace reads_{std::chrono::milliseconds(100)};
  Pace full_reads_{std::chrono::seconds(1)};
  Pace work_reads_{std::chrono::milliseconds(100)};
};

}  // namespace pgcoord::detail
