// interlock demo: the best-known race of Redis locks, its repair, what the repair still gets wrong,
// and the lock of this library, all searched while the user watches. Needs no store.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interactive/console.hpp"
#include "interlock/sim/explore.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Takes about two seconds, and needs no store. Nothing is recorded: the search
finds each run and each proof while you watch.
)";
  all.exits = and_usual({{"0", "it was shown"}}, {usage, operating_system});
  all.environment = drawing_variables();
  all.examples = {{"See it", "interlock demo"}, {"Page by page", "interlock demo --ascii | less"}};
  all.see_also = "interlock-play(1), interlock-explore(1)";
  return all;
}

class DemoPart {
 public:
  const char* title;
  const char* text;
  const char* scenario;
  sim::ScheduleOptions options;
  sim::Outcome expected;
};

const std::vector<DemoPart>& parts() {
  static const std::vector<DemoPart> all{
      {"The race",
       "A client that crashed has left an expired lock behind: the key holds the instant at which "
       "it ended. Clients A and B find it, delete it, and take it. This is the shortest of their "
       "runs that goes wrong; a thick bar means 'believes that it holds':",
       "del-setnx-lock",
       {},
       sim::Outcome::violated},
      {"The repair",
       "GETSET writes the new instant and returns the old one in a single step, so that only one "
       "client gets the expired one. The search visits every run:",
       "stamp-lock",
       {},
       sim::Outcome::proved},
      {"What the repair still gets wrong",
       "Now time passes. Nobody tells a client that is slow in its section that its lease has "
       "ended, and nothing stops it:",
       "stamp-lock",
       {{"instants", "5"}},
       sim::Outcome::violated},
      {"The lock of this library",
       "Time passes here, too; a client may crash, an answer may be lost, a request may arrive "
       "late. No lock with a time limit can keep a slow client out of its section. This one gives "
       "each client a fencing token, a number that grows, and the protected resource refuses "
       "smaller ones. Proved: no stale write lands, only the owner releases, no lock is left "
       "behind "
       "for ever, no waiter is forgotten:",
       "lease-lock",
       {{"faults", "1/crash,lost-reply,late-execution"}},
       sim::Outcome::proved},
  };
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Failure not_as_said(const DemoPart& part, const sim::Verdict& verdict) {
  if (verdict.outcome == sim::Outcome::incomplete) {
    return {operating_system,
            fmt::format("'{}' was not searched to its end: {}: raise the limit (ulimit -v) or end "
                        "something else",
                        part.scenario, verdict.reason)};
  }
  return {internal, fmt::format("internal error: '{}' has another result than its text: please "
                                "report it",
                                part.scenario)};
}

std::optional<Failure> show(const DemoPart& part, std::size_t number, Console& console) {
  console.print(fmt::format("{}. {}\n", number, part.title));
  console.say_words(part.text);
  console.print("\n");
  const auto chosen = choose_scenario(part.scenario, part.options);
  if (!chosen) return chosen.error();
  const auto begin = std::chrono::steady_clock::now();
  const sim::Verdict verdict = sim::explore(chosen->scenario);
  const double seconds = seconds_since(begin);
  sim::Remarks remarks;
  if (!verdict.run.empty()) {
    remarks.replay = "interlock replay " + sim::print_short(verdict.run, chosen->needed_options());
  }
  console.print(sim::draw_text(verdict.run, &verdict, remarks, console.style()));
  console.print(
      fmt::format("  explored  {} in {:.2f} s\n\n", counted(verdict.states, "state"), seconds));
  if (verdict.outcome != part.expected) return not_as_said(part, verdict);
  return std::nullopt;
}

int demo(const Invocation& given) {
  bool ascii = false;
  Flags flags("demo [flags]", "Breaks a lock, repairs it, and proves another, in two seconds.");
  flags.toggle(0, "ascii", &ascii, "draw with plain characters");
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 0);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  ignore_broken_pipes();
  sim::TextStyle style = standard_style();
  style.ascii = style.ascii || ascii;
  Console console(style);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t number = 0;
  for (const DemoPart& part : parts()) {
    const auto failure = show(part, ++number, console);
    if (console.failure() != 0) return console.failure();
    if (failure) return fail(*failure);
  }
  console.print(fmt::format("All of it in {:.1f} s. Your turn:  interlock play del-setnx-lock\n",
                            seconds_since(begin)));
  return console.failure();
}

}  // namespace

extern const Command demo_command;
const Command demo_command{"demo", "a lock broken, repaired and proved, in two seconds", demo};

}  // namespace interlock::cli
