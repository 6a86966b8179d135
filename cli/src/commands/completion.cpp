// interlock completion: the script that makes a shell complete the words of interlock.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "completion/shell_scripts.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Completes commands, flags and their values: the names of held locks, which it
asks the store for, their tokens, scenarios, faults, properties, formats and
files; behind LOCK, or behind --, what the shell knows of the command. A store
that does not answer within 0.3 s is not waited for. A password file that is
no plain file is not read.

A package installs these scripts where the shells look for them.
)";
  all.exits = and_usual({{"0", "the script was printed"}}, {usage, operating_system});
  all.environment = {
      {"INTERLOCK_STORE, INTERLOCK_STORE_FILE", "the store that is asked, if the line names none"}};
  all.examples = {{"In this bash", "source <(interlock completion bash)"},
                  {"In this zsh, after compinit", "source <(interlock completion zsh)"},
                  {"In this fish", "interlock completion fish | source"},
                  {"In each bash of this user, with the package bash-completion",
                   "dir=~/.local/share/bash-completion/completions\n"
                   "mkdir -p \"$dir\" && interlock completion bash >\"$dir/interlock\""}};
  all.see_also = "interlock-manual(1), bash(1), zsh(1), fish(1)";
  return all;
}

int completion(const Invocation& given) {
  Flags flags("completion bash|zsh|fish",
              "Prints a script for a shell, which then completes the words of interlock.");
  flags.operand("SHELL", {"bash", "zsh", "fish"});
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  const std::string shell = arguments->operands.empty() ? "" : arguments->operands.front();
  if (shell == "bash") return answer(scripts::bash);
  if (shell == "zsh") return answer(scripts::zsh);
  if (shell == "fish") return answer(scripts::fish);
  const std::string fact = shell.empty()
                               ? "no shell given"
                               : fmt::format("'{}' is not a known shell", printable(shell, 60));
  return fail(Failure(usage, fact + "; write interlock completion bash, zsh or fish"));
}

}  // namespace

extern const Command completion_command;
const Command completion_command{"completion bash|zsh|fish",
                                 "a script by which a shell completes these words", completion};

}  // namespace interlock::cli
