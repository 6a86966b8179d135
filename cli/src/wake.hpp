// A descriptor that another thread makes readable.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

namespace interlock::cli {

class Wake {
 public:
  Wake() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // Stays readable from now on.
  void ring() const noexcept { static_cast<void>(::eventfd_write(descriptor_, 1)); }
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace interlock::cli
