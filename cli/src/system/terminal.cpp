#include "system/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace interlock::cli {

// Not stdin: `interlock run x -- less file </dev/null` reads keys from the terminal all the same.
Terminal::Terminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

Terminal::~Terminal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Terminal::ours() const noexcept {
  return exists() && ::tcgetpgrp(descriptor_) == ::getpgrp();
}

void Terminal::take_from_the_dead() const noexcept {
  if (!exists()) return;
  const pid_t group = ::tcgetpgrp(descriptor_);
  if (group <= 0 || ::kill(-group, 0) == 0 || errno != ESRCH) return;
  static_cast<void>(::tcsetpgrp(descriptor_, ::getpgrp()));
}

}  // namespace interlock::cli
