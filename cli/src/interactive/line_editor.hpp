// Lines that are typed at a terminal, with the keys of Emacs or vi, a history, and Tab.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::cli {

// The words that may be typed next, whole, for Tab: behind these, which end with a blank or are
// none.
using PossibleWords = std::function<std::vector<std::string>(std::string_view before)>;

// Between two lines the terminal and all signals are as our caller left them. For one thread, and
// not beside another `Signals`.
class LineEditor {
 public:
  // Null: standard input or output is no terminal on which a line can be edited, or this program
  // was built without line editing. ~/.editrc may change the keys, see editrc(5).
  static std::unique_ptr<LineEditor> open();

  LineEditor() = default;
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  virtual ~LineEditor() = default;

  // The next line, without its end. None: the input has ended. A signal that asks to end ends this
  // process, once the terminal is given back. Any other signal is handled at once, also if it comes
  // between two keys: a new size of the terminal, Ctrl-Z, and going on after a stop.
  virtual std::optional<std::string> read(const std::string& prompt,
                                          const PossibleWords& possible) = 0;
};

}  // namespace interlock::cli
