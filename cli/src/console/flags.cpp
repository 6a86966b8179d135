#include "console/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "console/talk.hpp"
#include "interlock/detail/nearest_word.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t columns = 80;

// Breaks at blanks; the first line is taken to have `column` characters already.
std::string wrapped(const std::string& text, std::size_t column) {
  std::string out;
  std::size_t at = column;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (at > column && at + 1 + word.size() > columns) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string Given::said(const std::string& shown) const {
  return name + (from_environment ? "=" : " ") + printable(shown, 60);
}

void Flags::toggle(char letter, std::string word, bool* set, std::string help) {
  flags_.push_back(Flag{letter, std::move(word), {}, set, nullptr, std::move(help), {}});
}

void Flags::json(bool* set, int descriptor, std::string help) {
  toggle(0, "json", set, std::move(help));
  json_ = set;
  json_descriptor_ = descriptor;
}

void Flags::value(char letter,
                  std::string word,
                  std::string placeholder,
                  std::optional<Given>* into,
                  std::string help,
                  std::string variable) {
  flags_.push_back(Flag{letter, std::move(word), std::move(placeholder), nullptr, into,
                        std::move(help), std::move(variable)});
}

const Flags::Flag* Flags::find(char letter) const {
  const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                 [&](const Flag& candidate) { return candidate.letter == letter; });
  return flag == flags_.end() ? nullptr : &*flag;
}

const Flags::Flag* Flags::find(std::string_view word) const {
  const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                 [&](const Flag& candidate) { return candidate.word == word; });
  return flag == flags_.end() ? nullptr : &*flag;
}

std::string Flags::name() const {
  return synopsis_.substr(0, synopsis_.find(' '));
}

Failure Flags::unknown(const std::string& typed) const {
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
  for (;;) {
    const Flag* const flag = is_long ? find(rest) : find(rest.front());
    const std::string typed = is_long ? "--" + rest : "-" + rest.substr(0, 1);
    if (typed == "--help" || typed == "-h") {
      arguments.help = true;
      return std::nullopt;
    }
    if (flag == nullptr) return unknown(is_long ? typed : word);
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

std::string Flags::help() const {
  std::string out = fmt::format("{}\n\n  interlock {}\n\n", wrapped(purpose_, 0), synopsis_);
  constexpr std::size_t column = 27;
  for (const Flag& flag : flags_) {
    std::string head = flag.letter != 0 ? fmt::format("  -{}, --{}", flag.letter, flag.word)
                                        : fmt::format("      --{}", flag.word);
    if (!flag.placeholder.empty()) head += " " + flag.placeholder;
    head += head.size() + 2 > column ? "\n" + std::string(column, ' ')
                                     : std::string(column - head.size(), ' ');
    std::string help = flag.help;
    if (!flag.variable.empty()) help += " (or " + flag.variable + ")";
    out += head + wrapped(help, column) + "\n";
  }
  out += "  -h, --help" + std::string(column - 12, ' ') + "this page\n";
  if (!epilogue_.empty()) out += "\n" + epilogue_;
  return out;
}

}  // namespace interlock::cli
