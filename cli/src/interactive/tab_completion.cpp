#include "interactive/tab_completion.hpp"

#include <algorithm>

namespace interlock::cli {
namespace {

std::size_t common_length(const std::string& one, const std::string& other) {
  const auto parted = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(parted.first - one.begin());
}

}  // namespace

std::optional<TabCompletion> complete(std::string_view before,
                                      const std::vector<std::string>& words) {
  const std::string_view typed = before.substr(before.find_last_of(' ') + 1);
  std::vector<std::string> choices;
  for (const std::string& word : words) {
    if (word.starts_with(typed)) choices.push_back(word);
  }
  if (choices.empty()) return std::nullopt;
  std::size_t common = choices.front().size();
  for (const std::string& word : choices) {
    common = std::min(common, common_length(choices.front(), word));
  }
  TabCompletion completion;
  completion.insert = choices.front().substr(typed.size(), common - typed.size());
  if (choices.size() == 1) completion.insert += ' ';
  if (completion.insert.empty()) completion.choices = std::move(choices);
  return completion;
}

}  // namespace interlock::cli
