#include "console/suggestions.hpp"

namespace interlock::cli {

std::vector<SuggestedWord> next_of_list(const std::string& begun,
                                        const std::string& separators,
                                        const std::vector<SuggestedWord>& all) {
  const auto last = begun.find_last_of(separators);
  const std::string before = last == std::string::npos ? "" : begun.substr(0, last + 1);
  std::vector<SuggestedWord> found;
  found.reserve(all.size());
  for (const SuggestedWord& each : all) found.push_back({before + each.word, each.about});
  return found;
}

}  // namespace interlock::cli
