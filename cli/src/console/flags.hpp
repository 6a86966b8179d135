// One table of flags per subcommand, from which both the parser and the help are made.
//
// Not CLI11 2.1: its messages do not say what to do, it suggests no name for one that is misspelt,
// and it takes flags that belong to the command: in `run deploy echo --fair` the flag is echo's.
// What a subcommand needs of a parser fits on two screens.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console/explanation.hpp"
#include "console/failure.hpp"
#include "console/suggestions.hpp"

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

// A flag as users of another tool know it, and what to write here.
class ForeignFlag {
 public:
  std::string_view flag;   // `-n`, `--nonblock`, `-child-exit-code`
  std::string_view tool;   // `flock`
  std::string_view write;  // `write --wait 0`
};

class Flag {
 public:
  char letter;              // 0: none
  std::string word;         // without dashes
  std::string placeholder;  // empty: a toggle
  bool* set;
  std::optional<Given>* into;
  std::string help;
  std::string variable;
  Suggestions suggested;  // for the value
};

// A word of a command that is no flag.
class Operand {
 public:
  std::string placeholder;  // `LOCK`
  Suggestions suggested;
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
  Flag& value(char letter,
              std::string word,
              std::string placeholder,
              std::optional<Given>* into,
              std::string help,
              std::string variable = {});
  // What is said below the flags: text, exit codes, examples.
  void explain(Explanation with) { explanation_ = std::move(with); }
  // Flags of other tools that parse() answers with the word to write here. The table must outlive
  // the Flags.
  void instead_of(std::span<const ForeignFlag> table) { foreign_ = table; }

  // What the operands can be, for the completion, in their order; the last one may come again if
  // `repeats`. The parser does not use it.
  void operand(std::string placeholder, Suggestions suggested, bool repeats = false);
  // What follows the operands, or stands behind `--` only, is a command.
  enum class CommandPlace { none, after_operands, after_dashes };
  void command(CommandPlace place) { command_place_ = place; }

  // Flags may stand before, between and after the operands. With `command`, all words after
  // `operands_most` operands are a command and are not parsed; a `--` there is dropped. Fails with
  // `usage`.
  Fallible<Arguments> parse(const std::vector<std::string>& words,
                            std::size_t operands_most,
                            bool command = false) const;

  // At most 80 columns.
  std::string help() const;

  // The table itself, for the manual and the completion.
  const std::string& synopsis() const { return synopsis_; }
  const std::string& purpose() const { return purpose_; }
  const std::deque<Flag>& flags() const { return flags_; }
  const Explanation& explanation() const { return explanation_; }
  std::span<const ForeignFlag> foreign() const { return foreign_; }
  const std::vector<Operand>& operands() const { return operands_; }
  bool last_operand_repeats() const { return last_repeats_; }
  CommandPlace command_place() const { return command_place_; }
  // Null: there is none of this name.
  const Flag* find(char letter) const;
  const Flag* find(std::string_view word) const;
  // Gives each flag that was not given the value of its variable, if that is set.
  void read_environment() const;

 private:
  // Returns the first mistake, if there is one. Goes on after it, because a --json may follow.
  std::optional<Failure> read(const std::vector<std::string>& words,
                              std::size_t operands_most,
                              bool command,
                              Arguments& arguments) const;
  // A flag, or several letters; `at` is moved to a value that is a word of its own.
  std::optional<Failure> read_flag(const std::vector<std::string>& words,
                                   std::size_t& at,
                                   Arguments& arguments) const;
  const ForeignFlag* foreign(std::string_view typed) const;
  Failure unknown(const std::string& typed) const;
  std::string name() const;

  std::string synopsis_;
  std::string purpose_;
  Explanation explanation_;
  std::deque<Flag> flags_;
  std::vector<Operand> operands_;
  bool last_repeats_ = false;
  CommandPlace command_place_ = CommandPlace::none;
  std::span<const ForeignFlag> foreign_;
  const bool* json_ = nullptr;
  int json_descriptor_ = -1;
};

}  // namespace interlock::cli
