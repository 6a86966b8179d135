// interlock elect: a command that runs on the leader, and on nobody else.
#include <optional>

#include "commands/commands.hpp"
#include "commands/guarded_run.hpp"
#include "commands/run_plan.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "lock/lock_suggestions.hpp"
#include "system/heap.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Start it on each machine that may lead. It waits until it leads, first come,
first served, tells the observers (interlock watch), and runs COMMAND. NAME is a
lock's name, and the leader holds that lock. What is said of interlock run holds
for elect: COMMAND is ended before another can lead. When COMMAND ends, the
leader resigns and the next one leads. To campaign again, start elect again
(systemd: Restart=always).

INTERLOCK_TOKEN is the epoch, which grows from leader to leader. Give it to what
the leader changes: a leader that was stopped for a while may act once more
before it is ended.
)";
  all.exits = exits_of_guarded_runs();
  all.given = given_to_commands();
  all.examples = {{"On each machine that may run the scheduler",
                   "interlock elect scheduler --value \"$(hostname):9000\" -- ./scheduler"},
                  {"Who leads now, and whenever that changes", "interlock watch scheduler"}};
  all.see_also = "interlock-run(1), interlock-watch(1), interlock-stores(7)";
  return all;
}

int elect(const Invocation& given) {
  share_one_heap();
  RunSettings settings;
  settings.elects = true;
  Flags flags("elect [flags] NAME [--] COMMAND...",
              "Waits until this process leads, and runs COMMAND.");
  flags.value(0, "value", "TEXT", &settings.value,
              "what the observers are told of this leader: an address, say; at most 4096 bytes");
  settings.add_to(flags);
  flags.operand("NAME", locks_to_acquire(settings.lock.store));
  flags.command(Flags::CommandPlace::after_operands);
  flags.explain(explanation());

  const auto arguments = flags.parse(given.words, 1, true);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  return run_guarded(given, *arguments, settings);
}

}  // namespace

extern const Command elect_command;
const Command elect_command{"elect [flags] NAME [--] COMMAND...",
                            "run COMMAND while this process leads", elect};

}  // namespace interlock::cli
