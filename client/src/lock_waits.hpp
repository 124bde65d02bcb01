#pragma once

#include <map>
#include <string>
#include <string_view>
#include <thread>

namespace pgcoord::detail {

/// Which thread waits for which key. Guarded by the mutex of what it looks at.
class LockWaits {
 public:
  void begin(std::thread::id thread, std::string_view key) { waits_.insert_or_assign(thread, key); }
  void end(std::thread::id thread) { waits_.erase(thread); }

  /// Whether `thread`, once it waits for `key`, waits for itself. `holder` tells whose a key is, by thread;
  /// empty if unknown.
  template <typename Holder>
  [[nodiscard]] bool would_close(std::thread::id thread, std::string_view key, Holder holder) const {
    for (std::size_t steps = 0; steps <= waits_.size(); ++steps) {
      const std::thread::id next = holder(key);
      if (next == std::thread::id()) return false;
      if (next == thread) return true;
      const auto wait = waits_.find(next);
      if (wait == waits_.end()) return false;
      key = wait->second;
    }
    return false;
  }

 private:
  std::map<std::thread::id, std::string> waits_;
};

}  // namespace pgcoord::detail
