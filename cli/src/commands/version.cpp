// interlock version: prints the version.
#include <fmt/format.h>
#include <unistd.h>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "lock/store.hpp"

namespace interlock::cli {
namespace {

int version(const Invocation& given) {
  bool json = false;
  Flags flags("version [flags]", "Says which version this is and which stores it knows.");
  flags.json(&json, STDOUT_FILENO);
  const auto arguments = flags.parse(given.words, 0);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
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
