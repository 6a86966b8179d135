// A manual page as man(7) has it: escaped, with flags, variables and operands marked.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "console/explanation.hpp"

namespace interlock::cli {

class Roff {
 public:
  // `operands`: words that are shown as what the user puts something in place of: `LOCK`.
  Roff(std::string_view name, int section, std::string_view source, std::set<std::string> operands);

  void heading(std::string_view words);
  void subheading(std::string_view words);
  // Sentences. Each begins with a capital letter and ends with a point.
  void paragraph(std::string_view text);
  void item(std::string_view text);
  // `term` may be `-w, --wait DUR`.
  void meaning(std::string_view term, std::string_view text);
  // Lines as they are.
  void literal(std::string_view lines);
  // `interlock run [flags] LOCK`: the words of the command are bold.
  void synopsis(std::string_view text);
  void blocks(const std::vector<MarkedBlock>& all);
  // `interlock \- SUMMARY`, as man and apropos expect it.
  void name_line(std::string_view name, std::string_view summary);

  std::string text() const { return text_; }

 private:
  // Filled by the formatter: words with their fonts, in lines of at most 80 columns.
  void fill(std::string_view words);
  std::string marked(std::string_view word) const;
  // Space above, unless a heading has made it.
  void begin_paragraph();

  std::set<std::string> operands_;
  std::string text_;
};

// Its first letter as a capital, if its first word is of prose.
std::string capitalized(std::string_view fragment);

// A fragment as a sentence: `exit code if ...; default: 75` becomes `Exit code if ...;
// default: 75.`
std::string sentence_of(std::string_view fragment);

}  // namespace interlock::cli
