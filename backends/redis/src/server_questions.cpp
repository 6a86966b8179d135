#include "server_questions.hpp"

#include <algorithm>
#include <array>

namespace interlock::redis {

bool says(const std::string& refusal, std::string_view word) {
  return refusal.find(word) != refusal.npos;
}

// Later servers than 7.0 say "a key".
bool is_about_patterns(const std::string& refusal) {
  constexpr std::array<std::string_view, 3> words{"to access one of the", "to access a key",
                                                  "to access a channel"};
  return says(refusal, "NOPERM") &&
         std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return says(refusal, word); });
}

Reply ServerQuestions::ask_in_bytes(const std::string& command) {
  auto answer = connection_.exchange(command);
  if (!answer) return std::move(answer).error();
  if (answer->is_error) return server_error(answer->error_text());
  return std::move(answer->value);
}

Duration ServerQuestions::time() {
  const Reply answer = ask("TIME");
  const auto* pair = answer ? answer->list() : nullptr;
  if (pair == nullptr || pair->size() != 2) return {};
  std::array<std::int64_t, 2> numbers{};
  for (std::size_t index = 0; index < 2; ++index) {
    const auto* text = (*pair)[index].text();
    if (text == nullptr) return {};
    numbers[index] = detail::parse_number<std::int64_t>(*text).value_or(0);
  }
  return std::chrono::seconds{numbers[0]} + Duration{numbers[1]};
}

}  // namespace interlock::redis
