#include "completion/completion.hpp"

#include <limits>
#include <optional>
#include <set>

#include "console/lines.hpp"
#include "console/safe_text.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t about_widest = 60;

// Where the line stands after some words. Forgives what the parser refuses.
class TypedPlace {
 public:
  explicit TypedPlace(const Flags& flags) : flags_(flags) {
    for (const Flag& flag : flags.flags()) {
      if (flag.into != nullptr) flag.into->reset();
    }
  }

  void take(const std::vector<std::string>& words) {
    for (std::size_t at = 0; at < words.size() && !command; ++at) take(words[at], at);
    const bool begins = !command && may_be_command();
    if (begins) next_is_command = true;
  }

  const Flag* awaits = nullptr;  // its value is next
  bool flags_over = false;
  bool next_is_command = false;
  std::optional<std::size_t> command;  // it has begun before: where
  std::vector<std::string> operands;
  std::set<std::string> given;  // flags

 private:
  void take(const std::string& word, std::size_t at) {
    if (awaits != nullptr) {
      awaits->into->emplace(word, "--" + awaits->word, false);
      awaits = nullptr;
    } else if (!flags_over && word == "--") {
      flags_over = true;
      if (flags_.command_place() == Flags::CommandPlace::after_dashes) command = at + 1;
    } else if (!flags_over && word.size() >= 2 && word.front() == '-') {
      take_flag(word);
    } else if (may_be_command()) {
      command = word == "--" ? at + 1 : at;
    } else {
      operands.push_back(word);
    }
  }

  bool may_be_command() const {
    return flags_.command_place() == Flags::CommandPlace::after_operands && awaits == nullptr &&
           operands.size() == flags_.operands().size();
  }

  void take_flag(const std::string& word) {
    const bool is_long = word[1] == '-';
    const auto equals = is_long ? word.find('=') : std::string::npos;
    std::string rest = is_long ? word.substr(2, equals - 2) : word.substr(1);
    for (;;) {
      const Flag* const flag = is_long ? flags_.find(rest) : flags_.find(rest.front());
      if (flag == nullptr) return;
      given.insert(flag->word);
      if (!flag->placeholder.empty()) {
        take_value(*flag, is_long ? equals != std::string::npos : rest.size() > 1,
                   is_long ? word.substr(std::min(equals, word.size() - 1) + 1) : rest.substr(1));
        return;
      }
      *flag->set = true;
      if (is_long || rest.size() == 1) return;
      rest.erase(0, 1);
    }
  }

  void take_value(const Flag& flag, bool is_attached, const std::string& value) {
    if (is_attached) {
      flag.into->emplace(value, "--" + flag.word, false);
    } else {
      awaits = &flag;
    }
  }

  const Flags& flags_;
};

std::vector<SuggestedWord> flag_words(const Flags& flags, const std::set<std::string>& given) {
  std::vector<SuggestedWord> words;
  for (const Flag& flag : flags.flags()) {
    if (given.contains(flag.word)) continue;
    words.push_back({"--" + flag.word, flag.help});
  }
  words.push_back({"--help", "what it does, and its flags"});
  return words;
}

Completion value_of(const Flag& flag, const std::string& before, const TypedWords& typed) {
  std::vector<SuggestedWord> words = flag.suggested.words(typed);
  for (SuggestedWord& each : words) each.word = before + each.word;
  Completion found = Completion::of(before + typed.begun, words);
  found.has_files = flag.suggested.has_files();
  return found;
}

}  // namespace

Completion Completion::of(const std::string& begun, const std::vector<SuggestedWord>& all) {
  Completion found;
  for (const SuggestedWord& each : all) {
    const bool is_safe = printable(each.word, std::numeric_limits<std::size_t>::max()) == each.word;
    if (!is_safe || !each.word.starts_with(begun)) continue;
    found.words.push_back({each.word, shortened(printable(each.about), about_widest)});
  }
  return found;
}

Completion complete(const Flags& flags,
                    const std::vector<std::string>& before,
                    const std::string& begun) {
  TypedPlace place(flags);
  place.take(before);
  flags.read_environment();
  const TypedWords typed{place.operands, begun};
  Completion found;
  if (place.awaits != nullptr) return value_of(*place.awaits, {}, typed);
  if (!place.command && !place.flags_over && begun.starts_with('-')) {
    const auto equals = begun.find('=');
    if (!begun.starts_with("--") || equals == std::string::npos) {
      return Completion::of(begun, flag_words(flags, place.given));
    }
    const Flag* const flag = flags.find(std::string_view(begun).substr(2, equals - 2));
    if (flag == nullptr || flag->placeholder.empty()) return found;
    return value_of(*flag, begun.substr(0, equals + 1), {place.operands, begun.substr(equals + 1)});
  }
  if (place.command || place.next_is_command) {
    found.is_command = true;
    found.command_begins = place.command.value_or(before.size());
    return found;
  }
  if (flags.operands().empty()) return found;
  std::size_t at = place.operands.size();
  if (at >= flags.operands().size()) {
    if (!flags.last_operand_repeats()) return found;
    at = flags.operands().size() - 1;
  }
  const Suggestions& suggested = flags.operands()[at].suggested;
  found = Completion::of(begun, suggested.words(typed));
  found.has_files = suggested.has_files();
  return found;
}

}  // namespace interlock::cli
