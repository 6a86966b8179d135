// All of a terminal, for a program that draws anew.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>

namespace interlock::cli {

// Whether standard output is a terminal whose cursor can be moved: all but a dumb one.
bool moves_cursor();

// Standard output is a terminal that can be drawn on; its keys, if standard input is one, too, are
// read one by one and not shown. The destructor gives the terminal back as it was.
class FullScreen {
 public:
  // Whether there is such a terminal, and its size is known.
  static bool is_possible();

  FullScreen() { begin(); }
  ~FullScreen() { end(); }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  // Around a stop of this program.
  void begin();
  void end();
  bool has_keys() const noexcept { return before_.has_value(); }
  // The next key that was typed; 0: none.
  static char key();
  static std::size_t rows();
  // Lines without line ends, as many as there are rows at most, and as long. Returns an exit code
  // as answer() does.
  static int draw(const std::string& lines);

 private:
  std::optional<termios> before_;
};

}  // namespace interlock::cli
