// A descriptor that one thread makes readable for another: eventfd(2).
#pragma once

#include "interlock/posix/descriptor.hpp"

#pragma GCC visibility push(default)

namespace interlock::posix {

// Any thread may notify. In a child of fork() nothing happens: see Descriptor.
class Eventfd {
 public:
  Eventfd() = default;
  // Empty: the system refused, and errno says why.
  static Eventfd open();

  // Makes it readable until take().
  void notify() const noexcept;
  // Whether there was a notification since the last call. Never waits.
  bool take() const noexcept;

  // For poll(2). -1: this object is empty.
  int descriptor() const noexcept { return descriptor_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }

 private:
  Descriptor descriptor_;
};

}  // namespace interlock::posix

#pragma GCC visibility pop
