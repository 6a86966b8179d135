// interlock run: a command that runs only while its lock is held.
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
    R"(Exit codes: the command's own if it ended by itself and the lock was held
throughout; 128+n if signal n ended it, or came to interlock while it waited
for the lock, or for what the command had left behind (--left-behind wait); else
  64 usage                            75 lock not acquired (-E)
  69 store unreachable                77 refused by the store's access control
  70 internal error, 71 system error  78 bad configuration
  79 lock lost while the command ran, even if it returned 0; or something of
     the command could not be ended and runs on without the lock
  126 command not executable          127 command, or its interpreter, not found

The command finds in its environment INTERLOCK_LOCK, INTERLOCK_TOKEN (the
fencing token, which grows with every grant), INTERLOCK_OWNER, INTERLOCK_TTL_MS,
and in INTERLOCK_HELD the owners of all locks that it runs under. If it asks for
one of these locks again, it gets exit code 75 at once, because it would wait
for itself. With --all, the first three have a value for each lock, with commas
between them, in the order of the locks' names.

"The command" is all that it starts, daemons and background jobs included. A
small process, il-watch, is the command's parent. It kills all of the command at
once if interlock is killed (kill -9, out of memory), or if interlock is stopped
until its lease ends. Limits:
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
  - interlock kills 1 % of the ttl and 5 ms before the store can grant the lock
    to another (25 ms of a ttl of 2 s); if the machine does not let it run for
    so long, the command runs on for as much longer: use a longer ttl

Examples:
  interlock run deploy -- ./deploy.sh
  interlock run --every 20h nightly -- ./backup.sh
  interlock run --all accounts/1,accounts/2 -- ./transfer 1 2
  interlock run -w 0 nightly -c 'backup | gzip >/backup/today.gz'
  interlock run --store redis://db.example/0 --ttl 10s orders/42 ./settle 42
)";

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
  flags.epilogue(epilogue);

  const auto arguments = flags.parse(given.words, 1, true);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  return run_guarded(given, *arguments, settings);
}

}  // namespace

extern const Command run_command;
const Command run_command{"run [flags] LOCK [--] COMMAND...", "run COMMAND while holding LOCK",
                          run};

}  // namespace interlock::cli
