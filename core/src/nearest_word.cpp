#include "interlock/detail/nearest_word.hpp"

#include <algorithm>

namespace interlock::detail {
namespace {

// Optimal string alignment distance.
std::size_t mistakes(std::string_view from, std::string_view to) {
  const std::size_t width = to.size() + 1;
  std::vector<std::size_t> cell((from.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cell[i * width + j]; };
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t wrong = from[i - 1] == to[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + wrong});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(from.size(), to.size());
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& words) {
  return nearest_word(typed, words, std::max<std::size_t>(1, typed.size() / 3));
}

std::string nearest_word(std::string_view typed,
                         const std::vector<std::string>& words,
                         std::size_t most) {
  constexpr std::size_t typed_longest = 40;
  if (typed.size() > typed_longest) return {};
  std::string nearest;
  std::size_t fewest = most + 1;
  for (const std::string& word : words) {
    const std::size_t count = mistakes(typed, word);
    if (count >= fewest) continue;
    fewest = count;
    nearest = word;
  }
  return nearest;
}

}  // namespace interlock::detail
