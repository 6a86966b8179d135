// interlock version: prints the version.
#include <fmt/format.h>
#include <unistd.h>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "lock/store.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.exits = and_usual({{"0", "it was printed"}}, {usage, operating_system});
  all.examples = {{"For a script", "interlock version --json"}};
  return all;
}

int version(const Invocation& given) {
  bool json = false;
  Flags flags("version [flags]", "Says which version this is and which stores it knows.");
  flags.json(&json, STDOUT_FILENO);
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 0);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (json) {
    return answer(fmt::format(R"({{"v":1,"version":"{}","stores":"{}"}})"
                              "\n",
                              INTERLOCK_VERSION, store_kinds()));
  }
  return answer(fmt::format("interlock {} (stores: {})\n", INTERLOCK_VERSION, store_kinds()));
}

}  // namespace

extern const Command version_command;
const Command version_command{"version", "which version this is", version};

}  // namespace interlock::cli
