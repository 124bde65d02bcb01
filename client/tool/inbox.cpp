#include "tool/inbox.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace pgcoord::tool {

Bell::Bell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Bell::ring() const { eventfd_write(descriptor_.get(), 1); }

void Bell::silence() const {
  eventfd_t rung = 0;
  eventfd_read(descriptor_.get(), &rung);
}

}  // namespace pgcoord::tool
