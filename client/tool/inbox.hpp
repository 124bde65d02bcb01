#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "tool/descriptor.hpp"

namespace pgcoord::tool {

/// Something to poll for that any thread can make readable.
class Bell {
 public:
  /// Throws std::system_error.
  Bell();

  void ring() const;
  void silence() const;
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

/// What other threads tell the main loop, in the order of their telling.
template <typename News>
class Inbox {
 public:
  /// From any thread.
  void post(News news) {
    {
      const std::lock_guard lock(mutex_);
      news_.push_back(std::move(news));
    }
    bell_.ring();
  }
  [[nodiscard]] std::vector<News> take() {
    bell_.silence();
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  /// Readable when there is something to take.
  [[nodiscard]] int descriptor() const { return bell_.descriptor(); }

 private:
  Bell bell_;
  std::mutex mutex_;  // guards the news
  std::vector<News> news_;
};

}  // namespace pgcoord::tool
