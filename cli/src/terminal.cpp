#include "terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace interlock::cli {

// Not stdin: `interlock run x -- less file </dev/null` reads keys from the terminal all the same.
Terminal::Terminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

Terminal::~Terminal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Terminal::ours() const noexcept {
  return has(::getpgrp());
}

bool Terminal::has(pid_t group) const noexcept {
  return descriptor_ >= 0 && ::tcgetpgrp(descriptor_) == group;
}

void Terminal::give_to(pid_t group) const noexcept {
  if (descriptor_ >= 0) static_cast<void>(::tcsetpgrp(descriptor_, group));
}

void Terminal::take_back() const noexcept {
  give_to(::getpgrp());
}

}  // namespace interlock::cli
