#include "server/command.hpp"

#include <algorithm>
#include <cctype>

#include "interlock/detail/number.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

std::vector<ServerCommand> all_commands() {
  std::vector<ServerCommand> all;
  for (const auto* some : {&string_commands(), &key_commands(), &list_commands(), &hash_commands(),
                           &set_commands(), &sorted_set_commands(), &blocking_commands(),
                           &subscription_commands(), &server_commands()}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  std::sort(all.begin(), all.end(), [](const ServerCommand& one, const ServerCommand& other) {
    return one.name < other.name;
  });
  return all;
}

}  // namespace

const ServerCommand* find_command(std::string_view name) {
  static const std::vector<ServerCommand> all = all_commands();
  const auto at = std::lower_bound(
      all.begin(), all.end(), name,
      [](const ServerCommand& one, std::string_view other) { return one.name < other; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

std::string in_capitals(std::string_view word) {
  std::string capitals(word);
  for (char& letter : capitals) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return capitals;
}

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& letter : small) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return small;
}

bool has_right_size(const ServerCommand& command, const Words& words) {
  const int count = static_cast<int>(words.size());
  return command.words >= 0 ? count == command.words : count >= -command.words;
}

std::string wrong_number(const Words& words) {
  return "ERR wrong number of arguments for '" + in_small_letters(words.front()) + "' command";
}

std::vector<Key> keys_of(const ServerCommand& command, const Words& words) {
  std::vector<Key> keys;
  if (command.first_key == 0) return keys;
  const int count = static_cast<int>(words.size());
  const int last = command.last_key < 0 ? count + command.last_key : command.last_key;
  for (int at = command.first_key; at <= last && at < count; at += command.key_step) {
    keys.emplace_back(words[static_cast<std::size_t>(at)]);
  }
  return keys;
}

Reply execute(TypedKeys& database, const Words& words) {
  const std::string name = in_capitals(words.front());
  const ServerCommand* const command = find_command(name);
  if (command == nullptr) {
    notes().stop("the command " + name + " is not modelled");
    return refuse("ERR unknown command '" + words.front() + "'");
  }
  if (!has_right_size(*command, words)) return refuse(wrong_number(words));
  return command->run(database, words);
}

Reply execute_and_serve(TypedKeys& database, const Words& words) {
  Reply reply = execute(database, words);
  serve_blocked(database);
  return reply;
}

Shape shape_of(const Words& words) {
  const std::string name = in_capitals(words.front());
  const ServerCommand* const command = find_command(name);
  if (command == nullptr) return Shape::plain;
  const auto has = [&](std::string_view option) {
    return std::any_of(words.begin() + 1, words.end(),
                       [&](const std::string& word) { return in_capitals(word) == option; });
  };
  if (name == "SET" && has("GET")) return Shape::plain;
  if (command->shape == Shape::scored && !name.starts_with("ZPOP")) {
    return has("WITHSCORES") ? Shape::scored : Shape::plain;
  }
  if (name.starts_with("ZPOP")) return words.size() > 2 ? Shape::scored : Shape::popped;
  if (name == "ZADD") return has("INCR") ? Shape::number : Shape::plain;
  if (name == "LPOP" || name == "RPOP") {
    return words.size() > 2 ? Shape::null_list : Shape::plain;
  }
  return command->shape;
}

Reply refuse(std::string text) {
  return Error(Errc::rejected, std::move(text));
}
Reply wrong_type() {
  return refuse("WRONGTYPE Operation against a key holding the wrong kind of value");
}
Reply syntax_error() {
  return refuse("ERR syntax error");
}
Reply not_a_number() {
  return refuse("ERR value is not an integer or out of range");
}
Value ok() {
  return Value(std::string("OK"));
}
Value number(std::int64_t value) {
  return Value(value);
}
Value text(std::string value) {
  return Value(std::move(value));
}

std::optional<std::int64_t> whole_number(const std::string& word) {
  const std::string digits = word.starts_with('-') ? word.substr(1) : word;
  const bool plain = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!plain || (digits.size() > 1 && digits.front() == '0') || word == "-0") return std::nullopt;
  return detail::parse_number<std::int64_t>(word);
}

std::string tagged_status(const std::string& status) {
  return "+" + status;
}
std::string tagged_error(const std::string& error) {
  return "-" + error;
}
std::string tagged_double(const std::string& number) {
  return "," + number;
}
std::string tagged_text(const std::string& text) {
  constexpr std::string_view marks = "+-,\\";
  const bool mistakable = !text.empty() && marks.find(text[0]) != std::string_view::npos;
  return mistakable ? "\\" + text : text;
}

}  // namespace interlock::harness
