#include "system/standard_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace interlock::cli {

int StandardInput::descriptor() const {
  const bool may_read = ::isatty(STDIN_FILENO) != 1 || terminal_.ours();
  return may_read ? STDIN_FILENO : -1;
}

bool StandardInput::has_ended() {
  std::array<char, 4096> ignored{};
  const ssize_t count = ::read(STDIN_FILENO, ignored.data(), ignored.size());
  return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

bool StandardInput::has_ended_already() {
  pollfd input{StandardInput().descriptor(), POLLIN, 0};
  return ::poll(&input, 1, 0) > 0 && has_ended();
}

}  // namespace interlock::cli
