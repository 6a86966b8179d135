// interlock complete: what the scripts of `interlock completion` ask. Not for people, so help does
// not list it.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <thread>

#include "commands/commands.hpp"
#include "completion/completion.hpp"
#include "completion/typed_line.hpp"

namespace interlock::cli {
namespace {

// A shell waits for the answer while its user types.
constexpr std::chrono::milliseconds patience{300};

std::vector<SuggestedWord> command_words() {
  std::vector<SuggestedWord> words;
  for (const NamedCommand& entry : all_commands()) {
    words.push_back({std::string(entry.name), std::string(entry.command->summary)});
  }
  words.push_back({"help", "what a command does"});
  return words;
}

int complete_words(const Invocation& given);

// `typed`: the words behind `interlock`; the last one is begun.
Completion completion_of(std::vector<std::string> typed) {
  const std::string begun = typed.back();
  typed.pop_back();
  if (typed.empty() && begun.starts_with('-')) {
    return Completion::of(begun, {{"--help", "the commands"},
                                  {"--version", "this program and what it was built with"}});
  }
  if (typed.empty() || (typed.size() == 1 && typed.front() == "help")) {
    return Completion::of(begun, command_words());
  }
  const Command* const command = find_command(typed.front());
  typed.erase(typed.begin());
  Completion found;
  if (command == nullptr || command->run == complete_words) return found;
  Invocation asked;
  asked.words = {"--help"};
  asked.show = [&](const Flags& flags) {
    found = complete(flags, typed, begun);
    return static_cast<int>(success);
  };
  static_cast<void>(command->run(asked));
  // Counted from `interlock`, as shells do.
  found.command_begins += 2;
  return found;
}

// Whether the user goes on typing behind the word: `redis://`.
bool goes_on(const Completion& found) {
  if (found.words.empty()) return false;
  for (const SuggestedWord& each : found.words) {
    if (each.word.empty() || std::string_view(":/=").find(each.word.back()) == std::string::npos) {
      return false;
    }
  }
  return true;
}

std::string first_line(const Completion& found, std::size_t command_begins) {
  if (found.is_command) return fmt::format("command {}\n", command_begins);
  if (found.has_files) return "files\n";
  return goes_on(found) ? "nospace\n" : "words\n";
}

std::string answer_of(const Completion& found) {
  std::string text = first_line(found, found.command_begins);
  for (const SuggestedWord& each : found.words) {
    text += each.word + (each.about.empty() ? "" : "\t" + each.about) + "\n";
  }
  return text;
}

std::string answer_for_bash(const std::string& line, const std::string& breaks) {
  const TypedLine typed(line, breaks);
  std::vector<std::string> words = typed.words();
  words.erase(words.begin());
  if (words.empty()) return {};
  const Completion found = completion_of(std::move(words));
  std::string text = first_line(found, found.is_command ? typed.in_bash(found.command_begins) : 0);
  for (const SuggestedWord& each : found.words) text += typed.for_bash(each.word) + "\n";
  return text;
}

std::string answer_to(std::vector<std::string> words) {
  if (words.size() == 3 && words[0] == "bash") return answer_for_bash(words[1], words[2]);
  if (words.size() < 3 || words[1] != "--") return {};
  words.erase(words.begin(), words.begin() + 2);
  return answer_of(completion_of(std::move(words)));
}

// Ends the process: a thread may still wait for a store. Nothing is said of what went wrong,
// because a message would appear within the line that is typed.
int complete_words(const Invocation& given) {
  const auto task = std::make_shared<std::packaged_task<std::string()>>(
      [words = given.words] { return answer_to(words); });
  auto text = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  int code = success;
  try {
    if (text.wait_for(patience) == std::future_status::ready) code = answer(text.get());
  } catch (const std::exception&) {
    code = internal;
  }
  std::_Exit(code);
}

}  // namespace

extern const Command complete_command;
const Command complete_command{"complete SHELL WORDS...", "what may come next in a line",
                               complete_words};

}  // namespace interlock::cli
