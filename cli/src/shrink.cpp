// interlock shrink: the least that still goes wrong.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "commands.hpp"
#include "flags.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/fault_text.hpp"
#include "search_flags.hpp"
#include "search_watch.hpp"
#include "signals.hpp"
#include "simulated.hpp"
#include "talk.hpp"

namespace interlock::cli {
namespace {

constexpr const char* epilogue =
    R"(Leaves out clients, attempts, instants and faults, one at a time, as long as
the same property is violated, and searches what is left for its shortest run.
Exit code: 1 shrunk (the run violates its property), 0 nothing is violated,
2 a limit came first, 64 and more: the run could not be replayed.
)";

// Only the faults that a run has.
std::string faults_of(const sim::Run& run) {
  sim::FaultBudget budget;
  std::map<sim::Fault, std::size_t> used;
  for (const sim::RunStep& step : run.steps) {
    if (step.fault) ++used[*step.fault];
  }
  for (const auto& [fault, count] : used) {
    if (fault == sim::Fault::pause) {
      budget.pauses(count);
    } else {
      budget.allow(fault, count);
    }
  }
  return sim::to_text(budget);
}

class Shrinker {
 public:
  Shrinker(const Loaded& loaded, sim::Limits limits)
      : options_(loaded.chosen.all_options()),
        scenario_(loaded.chosen.entry.name),
        property_(loaded.run.steps.back().violates),
        limits_(std::move(limits)) {}

  // False: a limit came first.
  bool shrink() {
    if (!accept(options_)) return false;
    while (one_less()) {
    }
    return !limited_;
  }
  const sim::Verdict& verdict() const { return verdict_; }
  Outcome<Chosen> chosen() const { return choose_scenario(scenario_, options_); }

 private:
  bool one_less() {
    for (std::size_t at = 0; at < options_.size(); ++at) {
      sim::ScheduleOptions less = options_;
      std::string& value = less[at].second;
      if (less[at].first == "faults") {
        value = faults_of(verdict_.run);
      } else {
        std::size_t count = 0;
        std::from_chars(value.data(), value.data() + value.size(), count);
        if (count <= 1) continue;
        value = std::to_string(count - 1);
      }
      if (less != options_ && accept(less)) return true;
    }
    return false;
  }

  bool accept(const sim::ScheduleOptions& options) {
    const auto chosen = choose_scenario(scenario_, options);
    if (!chosen) return false;
    sim::Verdict verdict = sim::explore(chosen->scenario, limits_);
    if (verdict.outcome == sim::Outcome::incomplete) limited_ = true;
    if (verdict.outcome != sim::Outcome::violated || verdict.property != property_) return false;
    verdict_ = std::move(verdict);
    options_ = options;
    return true;
  }

  sim::ScheduleOptions options_;
  std::string scenario_;
  std::string property_;
  sim::Limits limits_;
  sim::Verdict verdict_;
  bool limited_ = false;
};

int shrink(const Invocation& given) {
  SearchFlags search;
  DrawingFlags drawing;
  Flags flags("shrink [flags] RUN", "Finds the least that still goes wrong as in RUN.");
  flags.value(0, "max-states", "N", &search.max_states, "give up after so many states a search",
              "INTERLOCK_MAX_STATES");
  flags.value(0, "seconds", "S", &search.max_seconds, "give up after so many seconds",
              "INTERLOCK_SECONDS");
  drawing.add_to(flags);
  flags.epilogue(epilogue);
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no run given: write NAME:STEPS or a schedule's file"));
  }
  const auto loaded = load_run(arguments->operands.front());
  if (!loaded) return fail(loaded.error());
  auto limits = search.limits();
  if (!limits) return fail(limits.error());
  const auto seconds = search.seconds();
  if (!seconds) return fail(seconds.error());
  if (loaded->run.empty() || loaded->run.steps.back().violates.empty()) {
    say("nothing to shrink: the run violates nothing");
    return holds;
  }
  ignore_broken_pipes();
  SearchWatch watch(*seconds);
  limits->proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  Shrinker shrinker(*loaded, *limits);
  const bool fixed = shrinker.shrink();
  const sim::Run& run = shrinker.verdict().run.empty() ? loaded->run : shrinker.verdict().run;
  const auto chosen = shrinker.chosen();
  if (!chosen) return fail(chosen.error());
  const auto drawn = drawing.draw(*chosen, run, nullptr);
  if (!drawn) return fail(drawn.error());
  const int written = drawing.write(*drawn);
  if (written != success) return written;
  say(fmt::format("{} steps, from {}; {}", run.steps.size(), loaded->run.steps.size(),
                  fixed ? "without any one step, fault, client, attempt or instant nothing "
                          "is violated"
                        : "a limit came first: there may be less"));
  return fixed ? violated : undecided;
}

}  // namespace

extern const Command shrink_command;
const Command shrink_command{"shrink [flags] RUN", "the least that still goes wrong", shrink};

}  // namespace interlock::cli
