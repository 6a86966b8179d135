// A descriptor that belongs to this process alone.
#pragma once

#include <utility>

#include "interlock/posix/fork.hpp"

#pragma GCC visibility push(default)

namespace interlock::posix {

// The destructor closes it, and so does fork() in the child: a copy there would keep connections
// alive after the parent has closed them or died, and a number that the child closes later may
// belong to another object by then. The system does not notify a process of _Fork() and clone(), so
// their children keep the copy until exec or their end, but do not use it either. One thread at a
// time. A moved-from object is empty.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes the descriptor over. Negative: none.
  explicit Descriptor(int descriptor);
  Descriptor(Descriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), fork_(other.fork_) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = std::exchange(other.descriptor_, -1);
      fork_ = other.fork_;
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  void reset() noexcept;
  // -1: there is none, or it belongs to the parent of this process.
  int get() const noexcept { return fork_.in_child() ? -1 : descriptor_; }
  explicit operator bool() const noexcept { return get() >= 0; }

 private:
  int descriptor_ = -1;
  ForkMark fork_;
};

namespace detail {

// Called around a fork(), by the registry of fork.cpp: lock the list of descriptors, and in the
// child close all that are on it.
void hold_descriptors() noexcept;
void let_go_descriptors() noexcept;
void close_descriptors_of_parent() noexcept;
// In a child of _Fork() or clone(): makes the list empty and unlocked.
void forget_descriptors() noexcept;

}  // namespace detail

}  // namespace interlock::posix

#pragma GCC visibility pop
