// What Tab does to a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::cli {

class TabCompletion {
 public:
  // To insert behind what was typed: the rest that all words have in common, and a blank if there
  // is only one.
  std::string insert;
  // The words that it may become, if nothing can be inserted.
  std::vector<std::string> choices;
};

// `before`: the line up to the cursor, whose last word is completed to one of `words`. None: it
// begins none of them.
std::optional<TabCompletion> complete(std::string_view before,
                                      const std::vector<std::string>& words);

}  // namespace interlock::cli
