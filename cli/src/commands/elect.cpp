// interlock elect: a command that runs on the leader, and on nobody else.
#include <optional>

#include "commands/commands.hpp"
#include "commands/guarded_run.hpp"
#include "commands/run_plan.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "system/heap.hpp"

namespace interlock::cli {
namespace {

constexpr const char* epilogue =
    R"(Start it on each machine that may lead. It waits until it leads, first come,
first served, tells the observers (interlock watch), and runs COMMAND. NAME is a
lock's name, and the leader holds that lock. What is said of interlock run holds
for elect: COMMAND is ended before another can lead, and the exit codes are the
same (79: the lead was lost while COMMAND ran). When COMMAND ends, the leader
resigns and the next one leads. To campaign again, start elect again (systemd:
Restart=always).

The command finds in its environment what it finds with interlock run;
INTERLOCK_TOKEN is the epoch, which grows from leader to leader. Give it to what
the leader changes: a leader that was stopped for a while may act once more
before it is ended.

Examples:
  interlock elect scheduler --value "$(hostname):9000" -- ./scheduler
  interlock watch scheduler
)";

int elect(const Invocation& given) {
  share_one_heap();
  RunSettings settings;
  settings.elects = true;
  Flags flags("elect [flags] NAME [--] COMMAND...",
              "Waits until this process leads, and runs COMMAND.");
  flags.value(0, "value", "TEXT", &settings.value,
              "what the observers are told of this leader: an address, say; at most 4096 bytes");
  settings.add_to(flags);
  flags.epilogue(epilogue);

  const auto arguments = flags.parse(given.words, 1, true);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  return run_guarded(given, *arguments, settings);
}

}  // namespace

extern const Command elect_command;
const Command elect_command{"elect [flags] NAME [--] COMMAND...",
                            "run COMMAND while this process leads", elect};

}  // namespace interlock::cli
