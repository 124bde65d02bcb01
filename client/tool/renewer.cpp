#include "tool/renewer.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace pgcoord::tool {

/// Shared with the thread and with the elector's callbacks, which may be running when the renewer is gone.
class Renewer::Work {
 public:
  Work(std::shared_ptr<PgLeaderElector> elector, milliseconds timeout, std::shared_ptr<ElectInbox> inbox)
      : elector_(std::move(elector)), timeout_(timeout), inbox_(std::move(inbox)) {}

  void elected() {
    const std::lock_guard lock(mutex_);
    elected_ = true;
    changed_.notify_all();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      elected_ = false;
      lock.unlock();
      const bool renewed = renew();
      lock.lock();
      changed_.wait_for(lock, renewed ? timeout_ / 4 : timeout_ / 12, [this] { return stop_ || elected_; });
    }
  }

 private:
  bool renew() {
    const Instant sent = BootClock::now();
    if (!elector_->renew()) return false;
    const auto token = elector_->token();
    if (token) inbox_->post(Renewed{*token, sent + term_for(timeout_)});
    return token.has_value();
  }

  const std::shared_ptr<PgLeaderElector> elector_;
  const milliseconds timeout_;
  const std::shared_ptr<ElectInbox> inbox_;
  std::mutex mutex_;  // guards the two below
  bool elected_ = false;
  bool stop_ = false;
  std::condition_variable changed_;
};

Renewer::Renewer(const std::shared_ptr<PgLeaderElector>& elector, milliseconds timeout,
                 std::shared_ptr<ElectInbox> inbox)
    : work_(std::make_shared<Work>(elector, timeout, std::move(inbox))) {
  elector->on_leader_change([weak = std::weak_ptr(work_)](bool leads) {
    const auto work = weak.lock();
    if (work && leads) work->elected();
  });
  std::thread([work = work_] { work->run(); }).detach();
}

Renewer::~Renewer() { work_->stop(); }

}  // namespace pgcoord::tool
