// interlock run: a command that runs only while its lock is held.
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

// Also of elect.
constexpr std::string_view text =
    R"(A command is all that it starts, daemons and background jobs included. A small
process, il-watch, is the command's parent. It kills all of the command at once
if interlock is killed (kill -9, out of memory), or if interlock is stopped
until its lease ends.

If the command asks for a lock that it runs under, it gets exit code 75 at once,
because it would wait for itself.

A password belongs into the file of --store-file, or into a descriptor: every
user can read a command line (ps), and a command inherits variables. The command
gets neither the file's descriptor nor a password from INTERLOCK_STORE.

# Limits
- il-watch cannot end processes of another user, as sudo starts them, unless
  the user has a control group (systemd user services have one). interlock
  warns about them: write sudo interlock run ..., not interlock run ... sudo
- if il-watch is killed, too, or both are stopped until the lease ends, the
  system kills the command's first process, unless that has changed its user;
  the processes that it had started run on
- il-watch does not see processes that the command starts in the PID namespace
  of another (nsenter --pid, docker exec)
- processes that the command starts through a server (docker, systemctl, at)
  do not belong to the command
- interlock kills 1 % of the ttl and 55 ms before the store can grant the lock
  to another (75 ms of a ttl of 2 s; 6 % and 5 ms of a ttl under 1 s); if the
  machine does not let it run for so long, the command runs on for as much
  longer: use a longer ttl
)";

Explanation explanation() {
  Explanation all;
  all.text = text;
  all.exits = exits_of_guarded_runs();
  all.given = given_to_commands();
  all.examples = {
      {"Deploy, and wait while another does", "interlock run deploy -- ./deploy.sh"},
      {"Once in 20 hours, on the first machine that asks",
       "interlock run --every 20h nightly -- ./backup.sh"},
      {"Only if nobody does it now; the shell needs -c for its pipe",
       "interlock run -w 0 nightly -c 'tar c /srv | gzip >/backup/srv.tgz'"},
      {"Two locks, or none", "interlock run --all accounts/1,accounts/2 -- ./transfer 1 2"},
      {"The store's URL with its password from a file that others cannot read",
       "interlock run --store-file ~/.interlock-store deploy -- ./deploy.sh"}};
  all.see_also =
      "interlock-elect(1), interlock-hold(1), interlock-status(1), interlock-stores(7), flock(1)";
  return all;
}

int run(const Invocation& given) {
  share_one_heap();
  RunSettings settings;
  Flags flags("run [flags] LOCK [--] COMMAND...", "Runs COMMAND while holding LOCK.");
  settings.add_to(flags);
  flags.value(0, "at-least", "DUR", &settings.at_least,
              "keep the lock for this time from its grant on, also if the command ends sooner");
  flags.value(0, "every", "PERIOD", &settings.every,
              "run once in a period: keep the lock until PERIOD after its grant, and note how the "
              "run ended; exit code 75 if it has run, or runs. It waits only with --wait, and "
              "queues only with --fair");
  settings.lock.add_groups_to(flags);
  flags.toggle(0, "all", &settings.all,
               "LOCK is several names, as in a,b: hold all of them, or none");
  flags.operand("LOCK", locks_to_acquire(settings.lock.store, &settings.all));
  flags.command(Flags::CommandPlace::after_operands);
  flags.explain(explanation());

  const auto arguments = flags.parse(given.words, 1, true);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  return run_guarded(given, *arguments, settings);
}

}  // namespace

extern const Command run_command;
const Command run_command{"run [flags] LOCK [--] COMMAND...", "run COMMAND while holding LOCK",
                          run};

}  // namespace interlock::cli
