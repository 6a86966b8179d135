#include "interlock/posix/eventfd.hpp"

#include <sys/eventfd.h>

namespace interlock::posix {

Eventfd Eventfd::open() {
  Eventfd made;
  made.descriptor_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return made;
}

// The write fails only if the count is full: then the descriptor is readable already.
void Eventfd::notify() const noexcept {
  static_cast<void>(::eventfd_write(descriptor_.get(), 1));
}

bool Eventfd::take() const noexcept {
  eventfd_t count = 0;
  return ::eventfd_read(descriptor_.get(), &count) == 0;
}

}  // namespace interlock::posix
