// A descriptor that is this process's alone.
#pragma once

#include <utility>

#include "interlock/posix/fork.hpp"

namespace interlock::posix {

// Closed by its destructor, and in a child at its fork(): a copy there would keep connections alive
// that the parent has closed or died with, and a number that is closed later may be somebody else's
// by then. The system does not notify the process of _Fork() and clone(), so their children keep
// the copy until exec or their end, but do not use it either.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes it over. Negative: none.
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
  // -1: there is none, or it is the parent's of this process.
  int get() const noexcept { return fork_.in_child() ? -1 : descriptor_; }
  explicit operator bool() const noexcept { return get() >= 0; }

 private:
  int descriptor_ = -1;
  ForkMark fork_;
};

namespace detail {

// Around a fork(), by the registry of fork.cpp: locks the list of descriptors, and in the child
// closes all that are on it.
void hold_descriptors() noexcept;
void let_go_descriptors() noexcept;
void close_descriptors_of_parent() noexcept;
// In a child of _Fork() or clone(): makes the list empty and unlocked.
void forget_descriptors() noexcept;

}  // namespace detail

}  // namespace interlock::posix
