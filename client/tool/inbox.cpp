#include "tool/inbox.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace pgcoord::tool {

Inbox::Inbox() : bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Inbox::post(News news) {
  {
    const std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
  }
  eventfd_write(bell_.get(), 1);
}

std::vector<News> Inbox::take() {
  eventfd_t rung = 0;
  eventfd_read(bell_.get(), &rung);
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace pgcoord::tool
