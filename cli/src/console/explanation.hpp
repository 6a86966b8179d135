// What is said of a command besides its flags. --help and the manual page are made of the same
// words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "console/exit_code.hpp"

namespace interlock::cli {

// A word, and what it means: an exit code, a variable.
class ExplainedWord {
 public:
  std::string term;
  std::string text;
};

class Example {
 public:
  std::string_view caption;  // without a colon
  std::string_view lines;    // without an indent, at most 69 columns
};

class Explanation {
 public:
  std::string_view text;  // see blocks_of()
  std::vector<ExplainedWord> exits;
  std::vector<ExplainedWord>
      environment;                   // variables that the program reads, besides those of flags
  std::vector<ExplainedWord> given;  // variables that a command finds in its environment
  std::vector<Example> examples;
  std::string_view see_also;  // other pages: `interlock-hold(1), flock(1)`
};

// The command's own codes and `usual`, with what these mean everywhere, in their order.
std::vector<ExplainedWord> and_usual(std::vector<ExplainedWord> own,
                                     std::initializer_list<ExitCode> usual);

// A piece of marked text.
class MarkedBlock {
 public:
  enum class BlockShape { paragraph, item, term, literal, heading };
  BlockShape shape;
  std::string text;  // of a paragraph, an item or a term: one line
  std::string term;
};

// Marked text, which is at most 80 columns wide where it is written:
//   - an empty line ends a paragraph
//   - a line `# WORDS` is a heading
//   - a line `- text` begins an item of a list, which ends at the next one or at an empty line
//   - a line `TERM :: text` begins an explanation of TERM, which ends likewise
//   - lines that begin with two blanks are shown as they are, without these blanks
std::vector<MarkedBlock> blocks_of(std::string_view text);

}  // namespace interlock::cli
