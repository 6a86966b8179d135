// A descriptor that another thread makes readable.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace interlock::cli {

class Wake {
 public:
  // Throws std::system_error, if the system has no descriptor left for it.
  Wake() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() { ::close(descriptor_); }

  // Stays readable from now on.
  void ring() const noexcept { static_cast<void>(::eventfd_write(descriptor_, 1)); }
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace interlock::cli
