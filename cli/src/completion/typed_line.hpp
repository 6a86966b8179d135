// The line that bash gives to a completion: it splits words at `:` and `=`, which are parts of
// ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::cli {

class TypedLine {
 public:
  // `line` up to the cursor. `breaks`: COMP_WORDBREAKS. A quote may still be open.
  TypedLine(std::string_view line, std::string_view breaks);

  // Without quotes. The last one is begun; it is empty if a blank comes before the cursor.
  const std::vector<std::string>& words() const { return words_; }
  // Where bash has the word of that number, in COMP_WORDS.
  std::size_t in_bash(std::size_t word) const { return begins_[word]; }
  // What bash has to put in place of what it takes for the word that is begun.
  std::string for_bash(const std::string& word) const;

 private:
  void begin_word();
  void add(char letter, bool is_quoted, std::string_view breaks);

  std::vector<std::string> words_;
  std::vector<std::size_t> begins_;  // each word's first piece
  std::size_t pieces_ = 0;
  bool in_break_ = false;  // the last piece consists of characters that break words
  std::size_t kept_ = 0;   // what bash leaves of the last word
  char quote_ = '\0';      // that is open
};

}  // namespace interlock::cli
