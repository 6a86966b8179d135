// A descriptor that one thread makes readable for another: eventfd(2).
#pragma once

#include "interlock/posix/descriptor.hpp"

namespace interlock::posix {

// Any thread may notify. In a child of fork() nothing happens: see Descriptor.
class Eventfd {
 public:
  Eventfd() = default;
  // Empty: the system refused, and errno says why.
  static Eventfd open();

  // Readable from now on, until take().
  void notify() const noexcept;
  // Whether there was a notification since the last call. Never waits.
  bool take() const noexcept;

  // To be polled. -1: it is empty.
  int descriptor() const noexcept { return descriptor_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }

 private:
  Descriptor descriptor_;
};

}  // namespace interlock::posix
