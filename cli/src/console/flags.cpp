#include "console/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "console/talk.hpp"
#include "interlock/detail/nearest_word.hpp"

namespace interlock::cli {

std::string Given::said(const std::string& shown) const {
  return name + (from_environment ? "=" : " ") + printable(shown, 60);
}

void Flags::toggle(char letter, std::string word, bool* set, std::string help) {
  flags_.push_back(Flag{letter, std::move(word), {}, set, nullptr, std::move(help), {}, {}});
}

void Flags::json(bool* set, int descriptor, std::string help) {
  toggle(0, "json", set, std::move(help));
  json_ = set;
  json_descriptor_ = descriptor;
}

Flag& Flags::value(char letter,
                   std::string word,
                   std::string placeholder,
                   std::optional<Given>* into,
                   std::string help,
                   std::string variable) {
  return flags_.emplace_back(Flag{letter,
                                  std::move(word),
                                  std::move(placeholder),
                                  nullptr,
                                  into,
                                  std::move(help),
                                  std::move(variable),
                                  {}});
}

void Flags::operand(std::string placeholder, Suggestions suggested, bool repeats) {
  operands_.push_back(Operand{std::move(placeholder), std::move(suggested)});
  last_repeats_ = repeats;
}

const Flag* Flags::find(char letter) const {
  const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                 [&](const Flag& candidate) { return candidate.letter == letter; });
  return flag == flags_.end() ? nullptr : &*flag;
}

const Flag* Flags::find(std::string_view word) const {
  const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                 [&](const Flag& candidate) { return candidate.word == word; });
  return flag == flags_.end() ? nullptr : &*flag;
}

std::string Flags::name() const {
  return synopsis_.substr(0, synopsis_.find(' '));
}

const ForeignFlag* Flags::foreign(std::string_view typed) const {
  const auto found = std::find_if(foreign_.begin(), foreign_.end(),
                                  [&](const ForeignFlag& each) { return each.flag == typed; });
  return found == foreign_.end() ? nullptr : &*found;
}

Failure Flags::unknown(const std::string& typed) const {
  if (const ForeignFlag* const known = foreign(typed)) {
    return {usage, fmt::format("'{}' has no flag '{}', as {} has: {}", name(), typed, known->tool,
                               known->write)};
  }
  std::vector<std::string> known{"--help"};
  for (const Flag& flag : flags_) known.push_back("--" + flag.word);
  const std::string meant = detail::nearest_word(typed, known);
  return {usage, fmt::format("'{}' has no flag '{}'; {}", name(), printable(typed, 60),
                             meant.empty() ? fmt::format("see interlock {} --help", name())
                                           : fmt::format("did you mean '{}'?", meant))};
}

Fallible<Arguments> Flags::parse(const std::vector<std::string>& words,
                                 std::size_t operands_most,
                                 bool command) const {
  Arguments arguments;
  for (const Flag& flag : flags_) {
    if (flag.into != nullptr) flag.into->reset();
  }
  const std::optional<Failure> failure = read(words, operands_most, command, arguments);
  if (json_ != nullptr && *json_) fail_in_json(json_descriptor_);
  if (arguments.help) return arguments;
  if (failure) return *failure;
  read_environment();
  return arguments;
}

std::optional<Failure> Flags::read(const std::vector<std::string>& words,
                                   std::size_t operands_most,
                                   bool command,
                                   Arguments& arguments) const {
  std::optional<Failure> failure;
  bool flags_over = false;
  for (std::size_t at = 0; at < words.size() && !arguments.help; ++at) {
    const std::string& word = words[at];
    if (!flags_over && word == "--") {
      flags_over = true;
      continue;
    }
    if (!flags_over && word.size() >= 2 && word.front() == '-') {
      const std::optional<Failure> wrong = read_flag(words, at, arguments);
      if (wrong && !failure) failure = wrong;
      continue;
    }
    if (command && arguments.operands.size() == operands_most) {
      auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
      // `run -- deploy -- cmd`: the first `--` ended the flags, this one the operands.
      if (*first == "--") ++first;
      arguments.command.assign(first, words.end());
      break;
    }
    arguments.operands.push_back(word);
    if (arguments.operands.size() > operands_most && !failure) {
      failure.emplace(usage, fmt::format("'{}' does not take '{}'; see interlock {} --help", name(),
                                         printable(word, 60), name()));
    }
  }
  return failure;
}

// --word, --word value, --word=value, -l, -lvalue, -l value, -lmn.
std::optional<Failure> Flags::read_flag(const std::vector<std::string>& words,
                                        std::size_t& at,
                                        Arguments& arguments) const {
  const std::string& word = words[at];
  const bool is_long = word[1] == '-';
  const auto equals = is_long ? word.find('=') : std::string::npos;
  std::string rest = is_long ? word.substr(2, equals - 2) : word.substr(1);
  std::optional<std::string> attached;
  if (equals != std::string::npos) attached = word.substr(equals + 1);
  // `-timeout=10s` of another tool is no row of letters.
  const std::string whole = word.substr(0, word.find('='));
  if (!is_long && whole.size() > 2 && foreign(whole) != nullptr) return unknown(whole);
  for (;;) {
    const Flag* const flag = is_long ? find(rest) : find(rest.front());
    const std::string typed = is_long ? "--" + rest : "-" + rest.substr(0, 1);
    if (typed == "--help" || typed == "-h") {
      arguments.help = true;
      return std::nullopt;
    }
    if (flag == nullptr) return unknown(is_long || foreign(typed) != nullptr ? typed : word);
    if (flag->placeholder.empty()) {
      if (attached) {
        return Failure(usage, fmt::format("{} takes no value; write {} alone", typed, typed));
      }
      *flag->set = true;
      rest = is_long ? std::string() : rest.substr(1);
      if (rest.empty()) return std::nullopt;
      continue;
    }
    if (!is_long && rest.size() > 1) attached = rest.substr(1);
    if (!attached) {
      if (at + 1 == words.size()) {
        return Failure(
            usage, fmt::format("{} needs a value; write {} {}", typed, typed, flag->placeholder));
      }
      attached = words[++at];
    }
    if (*flag->into) {
      return Failure(usage, fmt::format("{} is given twice; write it once", typed));
    }
    flag->into->emplace(*attached, typed, false);
    return std::nullopt;
  }
}

void Flags::read_environment() const {
  for (const Flag& flag : flags_) {
    if (flag.variable.empty() || flag.into->has_value()) continue;
    const char* const text = std::getenv(flag.variable.c_str());
    if (text == nullptr || *text == '\0') continue;
    flag.into->emplace(text, flag.variable, true);
  }
}

}  // namespace interlock::cli
