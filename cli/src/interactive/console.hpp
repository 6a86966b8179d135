// Questions and answers at a prompt, on a terminal or through a pipe. The transcript of a pipe
// reads as if a person had typed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interactive/line_editor.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::cli {

class Console {
 public:
  explicit Console(sim::TextStyle style);

  void print(std::string_view text);
  // A paragraph: wrapped, with what follows its first line indented.
  void say_words(std::string_view text, std::size_t indent = 0);

  // The next line, which at a terminal can be edited. None: the input has ended, or our output
  // cannot be written any more.
  std::optional<std::string> ask(const std::string& prompt, const PossibleWords& possible = {});

  // The exit code for an output that cannot be written; 0: it can.
  int failure() const noexcept { return failure_; }
  // As wide as the terminal is now.
  sim::TextStyle style() const;

 private:
  sim::TextStyle style_;
  std::unique_ptr<LineEditor> editor_;
  bool typed_;  // the terminal shows what is typed; a pipe's lines must be repeated
  int failure_ = 0;
};

// Its words, separated by blanks.
std::vector<std::string> words_of(std::string_view line);

}  // namespace interlock::cli
