#include "base/names.hpp"

#include "interlock/vocabulary.hpp"

namespace interlock::sim {
namespace {

constexpr char life_mark = 'r';

// Where the client's letter stands in the next token from `from` on; npos if there is none.
std::size_t find_letter(std::string_view text, std::size_t from) {
  for (;;) {
    const auto mark = text.find(OwnerToken::mark, from);
    if (mark == std::string_view::npos) return mark;
    const auto letter = mark + OwnerToken::mark.size();
    const bool whole = letter + 1 < text.size() && text[letter] >= 'A' &&
                       text[letter] < static_cast<char>('A' + Permutation::count) &&
                       text[letter + 1] >= '0' && text[letter + 1] <= '9';
    if (whole) return letter;
    from = letter;
  }
}

// The life that the token says whose client's letter stands there.
Life life_at(std::string_view text, std::size_t letter) {
  const auto digits = [&text](std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  const std::size_t mark = digits(letter + 1);
  if (mark >= text.size() || text[mark] != life_mark) return 0;
  unsigned life = 0;
  for (std::size_t at = mark + 1; at < digits(mark + 1); ++at) {
    life = life * 10 + static_cast<unsigned>(text[at] - '0');
  }
  return static_cast<Life>(life);
}

}  // namespace

std::string client_name(std::size_t client) {
  return std::string(1, static_cast<char>('A' + client));
}

std::string token_text(std::size_t client, std::uint64_t n, Life life) {
  std::string text = std::string(OwnerToken::mark) + client_name(client) + std::to_string(n);
  if (life > 0) text += life_mark + std::to_string(life);
  return text;
}

Life life_of_token(std::string_view text) {
  const auto letter = find_letter(text, 0);
  return letter == std::string_view::npos ? Life{0} : life_at(text, letter);
}

void rename(std::string& text, const Permutation& permutation) {
  for (auto at = find_letter(text, 0); at != std::string_view::npos; at = find_letter(text, at)) {
    text[at] = static_cast<char>('A' + permutation[static_cast<std::size_t>(text[at] - 'A')]);
  }
}

std::string renamed(std::string_view text, const Permutation& permutation) {
  std::string result(text);
  rename(result, permutation);
  return result;
}

Value renamed(const Value& value, const Permutation& permutation) {
  if (const auto* text = value.text()) return Value(renamed(*text, permutation));
  if (const auto* list = value.list()) {
    std::vector<Value> result;
    for (const Value& element : *list) result.push_back(renamed(element, permutation));
    return Value(std::move(result));
  }
  return value;
}

Reply renamed(const Reply& reply, const Permutation& permutation) {
  if (reply) return renamed(*reply, permutation);
  return Error(reply.error().code(), renamed(reply.error().detail(), permutation));
}

std::uint32_t mentions(std::string_view text) {
  std::uint32_t who = 0;
  for (auto at = find_letter(text, 0); at != std::string_view::npos; at = find_letter(text, at)) {
    who |= 1U << static_cast<unsigned>(text[at] - 'A');
  }
  return who;
}

std::uint32_t mentions(std::string_view text, const Lives& lives) {
  std::uint32_t who = 0;
  for (auto at = find_letter(text, 0); at != std::string_view::npos; at = find_letter(text, at)) {
    const auto client = static_cast<std::size_t>(text[at] - 'A');
    if (life_at(text, at) == lives[client]) who |= 1U << client;
  }
  return who;
}

std::uint32_t mentions(const Reply& reply) {
  if (!reply) return mentions(reply.error().detail());
  if (const auto* text = reply->text()) return mentions(*text);
  std::uint32_t who = 0;
  if (const auto* list = reply->list()) {
    for (const Value& element : *list) who |= mentions(Reply(element));
  }
  return who;
}

}  // namespace interlock::sim
