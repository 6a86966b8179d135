#include "system/full_screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "console/lines.hpp"
#include "console/talk.hpp"

namespace interlock::cli {
namespace {

constexpr std::string_view begin_sequence = "\033[?1049h\033[?25l";
constexpr std::string_view end_sequence = "\033[?25h\033[?1049l";

}  // namespace

bool moves_cursor() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && kind != nullptr && *kind != '\0' &&
         std::string_view(kind) != "dumb";
}

bool FullScreen::is_possible() {
  return terminal_columns() && moves_cursor();
}

void FullScreen::begin() {
  termios now{};
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &now) == 0) {
    before_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
  static_cast<void>(answer(begin_sequence));
}

void FullScreen::end() {
  static_cast<void>(answer(end_sequence));
  if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

char FullScreen::key() {
  char typed = 0;
  return ::read(STDIN_FILENO, &typed, 1) == 1 ? typed : '\0';
}

std::size_t FullScreen::rows() {
  constexpr std::size_t usual = 24;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : usual;
}

int FullScreen::draw(const std::string& lines) {
  // Each line wipes what stood behind it, and the last what stood below: no flicker.
  std::string text = "\033[H\033[?7l";
  for (const char byte : lines) {
    if (byte == '\n') text += "\033[K";
    text += byte;
  }
  return answer(text + "\033[K\033[J\033[?7h");
}

}  // namespace interlock::cli
