// One table of flags per subcommand, from which both the parser and the help are made.
//
// Not CLI11 2.1: its messages do not say what to do, it suggests no name for one that is misspelt,
// and it takes flags that belong to the command: in `run deploy echo --fair` the flag is echo's.
// What a subcommand needs of a parser fits on two screens.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/failure.hpp"

namespace interlock::cli {

// The value of a flag, and how to name it in a message.
class Given {
 public:
  Given(std::string value, std::string as, bool environment)
      : text(std::move(value)), name(std::move(as)), from_environment(environment) {}
  std::string text;
  std::string name;  // `--wait`, `-w`, `INTERLOCK_WAIT`
  bool from_environment;

  // `--wait 30`, `INTERLOCK_WAIT=30`; shortened, without control characters.
  std::string said() const { return said(text); }
  // The same with another text: for values that may not be shown.
  std::string said(const std::string& shown) const;
  // A command line that is wrong is usage; an environment that is wrong is configuration.
  int fault_code() const { return from_environment ? bad_configuration : usage; }
};

class Arguments {
 public:
  std::vector<std::string> operands;  // LOCK and the like
  std::vector<std::string> command;   // what follows them, untouched
  bool help = false;
};

class Flags {
 public:
  // `synopsis`: `run [flags] LOCK [--] COMMAND...`.
  Flags(std::string synopsis, std::string purpose)
      : synopsis_(std::move(synopsis)), purpose_(std::move(purpose)) {}

  // `letter` 0: the flag has no letter. The targets of the pointers must outlive the Flags.
  void toggle(char letter, std::string word, bool* set, std::string help);
  // --json. Once it is given, fail() answers in JSON on `descriptor`, also of a command line that
  // is wrong.
  void json(bool* set, int descriptor, std::string help = "one JSON object instead of words");
  // `variable`: the environment variable that counts if the flag is not given; may be empty.
  void value(char letter,
             std::string word,
             std::string placeholder,
             std::optional<Given>* into,
             std::string help,
             std::string variable = {});
  // Text below the flags: exit codes, examples.
  void epilogue(std::string text) { epilogue_ = std::move(text); }

  // Flags may stand before, between and after the operands. With `command`, all words after
  // `operands_most` operands are a command and are not parsed; a `--` there is dropped. Fails with
  // `usage`.
  Fallible<Arguments> parse(const std::vector<std::string>& words,
                            std::size_t operands_most,
                            bool command = false) const;

  // At most 80 columns.
  std::string help() const;

 private:
  struct Flag {
    char letter;
    std::string word;
    std::string placeholder;  // empty: a toggle
    bool* set;
    std::optional<Given>* into;
    std::string help;
    std::string variable;
  };
  // Returns the first mistake, if there is one. Goes on after it, because a --json may follow.
  std::optional<Failure> read(const std::vector<std::string>& words,
                              std::size_t operands_most,
                              bool command,
                              Arguments& arguments) const;
  // A flag, or several letters; `at` is moved to a value that is a word of its own.
  std::optional<Failure> read_flag(const std::vector<std::string>& words,
                                   std::size_t& at,
                                   Arguments& arguments) const;
  void read_environment() const;
  const Flag* find(char letter) const;
  const Flag* find(std::string_view word) const;
  Failure unknown(const std::string& typed) const;
  std::string name() const;

  std::string synopsis_;
  std::string purpose_;
  std::string epilogue_;
  std::deque<Flag> flags_;
  const bool* json_ = nullptr;
  int json_descriptor_ = -1;
};

}  // namespace interlock::cli
