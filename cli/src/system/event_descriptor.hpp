// A descriptor that another thread makes readable.
#pragma once

#include <cerrno>
#include <system_error>

#include "interlock/posix/eventfd.hpp"

namespace interlock::cli {

class EventDescriptor {
 public:
  // Throws std::system_error, if the system has no descriptor left for it.
  EventDescriptor() : event_(posix::Eventfd::open()) {
    if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  // Stays readable from now on.
  void ring() const noexcept { event_.notify(); }
  int descriptor() const noexcept { return event_.descriptor(); }

 private:
  posix::Eventfd event_;
};

}  // namespace interlock::cli
