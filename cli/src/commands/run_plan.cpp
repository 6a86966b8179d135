#include "commands/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "console/duration_text.hpp"
#include "console/talk.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/leader.hpp"
#include "lock/holder.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Fallible<OnLost> parse_on_lost(const std::optional<Given>& given) {
  if (!given || given->text == "term") return OnLost::send(SIGTERM);
  if (given->text == "ignore") return OnLost::ignore();
  const int signal = parse_signal(given->text.c_str());
  if (signal == 0) {
    return Failure(
        usage,
        fmt::format("{} is not known; write term, kill, ignore or a signal's name", given->said()));
  }
  return OnLost::send(signal);
}

Fallible<Duration> parse_kill_after(const std::optional<Given>& given, Ttl ttl) {
  constexpr milliseconds usual{5000};
  if (!given) {
    // A short lease has no room for the usual grace.
    return Duration(std::min(usual, ttl.duration() / 4));
  }
  const auto grace = parse_duration(*given);
  if (!grace) return grace.error();
  if (*grace >= ttl.duration() / 2) {
    return Failure(
        usage, fmt::format("{} leaves too little of a ttl of {}; choose less than {} or "
                           "a longer --ttl",
                           given->said(), readable(ttl.duration()), readable(ttl.duration() / 2)));
  }
  return Duration(*grace);
}

// How long the lock stays held at least.
Fallible<milliseconds> parse_stay(const RunSettings& settings) {
  if (settings.at_least && settings.every) {
    return Failure(usage, "--every PERIOD holds the lock for a whole period: --at-least is no use");
  }
  const std::optional<Given>& given = settings.every ? settings.every : settings.at_least;
  if (!given) return milliseconds{0};
  const auto duration = parse_duration(*given);
  if (!duration) return duration.error();
  if (Ttl::parse(*duration)) return *duration;
  return Failure(given->fault_code(),
                 fmt::format("{} is out of range; choose 1ms to 365d", given->said()));
}

// A job that waits would run late, when its period is over. And it takes no place in the queue:
// waiters that are dead could keep the lock from all who try once, and those who wait for a lock
// that stays held would ask the store again and again, because its holder hands over to nobody.
void decide_waiting(const LockFlags& flags, LockOptions& options) {
  options.fair = flags.fair;
  const bool waits = flags.wait && !flags.wait->from_environment;
  if (!waits) options.wait = Duration::zero();
}

Fallible<LeftBehind> parse_left_behind(const std::optional<Given>& given) {
  if (!given || given->text == "end") return LeftBehind::end;
  if (given->text == "wait") return LeftBehind::wait;
  if (given->text == "stay") return LeftBehind::stay;
  return Failure(usage, fmt::format("{} is not known; write end, wait or stay", given->said()));
}

Fallible<CommandLine> parse_command(const Arguments& arguments,
                                    const std::optional<Given>& shell,
                                    const char* verb) {
  CommandLine command;
  if (!shell) {
    command.words = arguments.command;
    if (command.words.empty()) {
      return Failure(usage,
                     fmt::format("no command given; write interlock {} LOCK -- COMMAND", verb));
    }
    return command;
  }
  if (!arguments.command.empty()) {
    return Failure(usage, fmt::format("both -c and the command '{}' given; write one of them",
                                      printable(arguments.command.front(), 60)));
  }
  command.words = {"/bin/sh", "-c", shell->text};
  return command;
}

// None: it is no leader.
Fallible<std::optional<std::string>> parse_value(const RunSettings& settings) {
  if (!settings.elects) return std::nullopt;
  std::string value = settings.value ? settings.value->text : std::string();
  if (value.size() <= Leader::value_max) return value;
  return Failure(usage, fmt::format("--value of {} bytes is too long; choose one of at most {}",
                                    value.size(), Leader::value_max));
}

Fallible<std::vector<LockName>> parse_names(const std::string& operand,
                                            const RunSettings& settings) {
  if (!settings.all) {
    auto name = parse_name_to_acquire(operand);
    if (!name) return name.error();
    return std::vector<LockName>{*std::move(name)};
  }
  if (settings.every) {
    return Failure(usage,
                   "--all with --every: a period belongs to one lock; guard the other locks "
                   "by an interlock run of their own in the command");
  }
  return parse_names_to_acquire(operand);
}

}  // namespace

std::vector<ExplainedWord> exits_of_guarded_runs() {
  std::vector<ExplainedWord> codes{
      {"N", "the command's own, if it ended by itself and the lock was held throughout"},
      {"128+n",
       "signal n ended the command, or came to interlock while it waited for the lock, or for "
       "what the command had left behind (--left-behind wait)"},
      {"75", "the lock was not acquired: somebody else holds it (-E chooses another code)"},
      {"79",
       "the lock was lost while the command ran, even if it returned 0; or something of the "
       "command could not be ended and runs on without the lock"}};
  return and_usual(std::move(codes), {usage, unreachable, internal, operating_system, refused,
                                      bad_configuration, not_executable, not_found});
}

std::vector<ExplainedWord> given_to_commands() {
  return {{"INTERLOCK_LOCK",
           "the lock's name; with --all, all of them in the order of their names, "
           "with commas between them, and so are the next two"},
          {"INTERLOCK_TOKEN",
           "the fencing token, a number that grows with every grant: give it to "
           "what you protect"},
          {"INTERLOCK_OWNER", "what the store has as the holder"},
          {"INTERLOCK_TTL_MS", "the lease's length in milliseconds"},
          {held_variable, "the owners of all locks that the command runs under"},
          {"INTERLOCK_STORE", "as it was, without user and password, if it was set"}};
}

void RunSettings::add_to(Flags& flags) {
  lock.add_to(flags, STDERR_FILENO);
  flags
      .value(0, "on-lost", "WHAT", &on_lost,
             "what to send if the lock cannot be kept: term, kill, ignore or a signal's name; "
             "default: term")
      .suggested = {"term", "kill", "ignore", "int", "hup", "usr1"};
  flags.value('k', "kill-after", "DUR", &kill_after,
              "time between that signal and KILL, which is sent before the lease ends; default: "
              "5s, or a quarter of the ttl if that is less");
  flags
      .value(0, "left-behind", "WHAT", &left_behind,
             "what to do before the release with processes that the command leaves behind: end "
             "(TERM, then KILL), wait for them, or let them stay; default: end")
      .suggested = {"end", "wait", "stay"};
  flags.value('c', "command", "STR", &shell, "run STR with /bin/sh -c");
  flags
      .value(0, "status-file", "F", &status_file,
             "write the result as JSON to F at the end; a new file replaces F")
      .suggested = Suggestions::files();
}

namespace {

// The command gets the owners of all its locks in one variable, for which the system has 128 KiB.
std::optional<Failure> refuses_note(const std::string& note, std::size_t locks) {
  constexpr std::size_t most = 64UL * 1024;
  if (HolderNote::in_token(note).size() * locks <= most) return std::nullopt;
  return Failure(usage, fmt::format("--note is too long for {} locks, whose owner tokens all have "
                                    "it: write a shorter one",
                                    locks));
}

}  // namespace

Fallible<RunPlan> make_run_plan(const Arguments& arguments, const RunSettings& settings) {
  const char* const verb = settings.elects ? "elect" : "run";
  if (arguments.operands.empty()) {
    return Failure(usage, fmt::format("no lock given; write interlock {} LOCK -- COMMAND", verb));
  }
  auto names = parse_names(arguments.operands.front(), settings);
  if (!names) return names.error();
  name_lock_in_failures(text_of(*names));
  auto options = settings.lock.options();
  if (!options) return options.error();
  if (auto failure = refuses_note(options->note, names->size())) return *std::move(failure);
  const auto stay = parse_stay(settings);
  if (!stay) return stay.error();
  options->at_least = *stay;
  if (settings.every && (options->shared || options->permits)) {
    return Failure(usage,
                   fmt::format("--every with {}: of a period one run is enough; leave one of "
                               "them out",
                               options->shared ? "--shared" : "--permits"));
  }
  if (settings.all && options->permits) {
    return Failure(usage,
                   "--all with --permits: the permits belong to one lock; guard the other locks by "
                   "an interlock run of their own in the command");
  }
  if (settings.every) decide_waiting(settings.lock, *options);
  auto client_options = settings.lock.client_options();
  if (!client_options) return client_options.error();
  const auto conflict = settings.lock.conflict_code();
  if (!conflict) return conflict.error();
  const auto on_lost = parse_on_lost(settings.on_lost);
  if (!on_lost) return on_lost.error();
  const auto kill_after = parse_kill_after(settings.kill_after, options->ttl);
  if (!kill_after) return kill_after.error();
  const auto left_behind = parse_left_behind(settings.left_behind);
  if (!left_behind) return left_behind.error();
  auto command = parse_command(arguments, settings.shell, verb);
  if (!command) return command.error();
  auto value = parse_value(settings);
  if (!value) return value.error();

  RunPlan plan{*names,
               text_of(*names),
               *options,
               *client_options,
               *conflict,
               *on_lost,
               *kill_after,
               *left_behind,
               std::move(*command),
               {},
               {},
               {}};
  if (settings.status_file) {
    auto file =
        ReportFile::prepare(settings.status_file->text, settings.status_file->said(), usage);
    if (!file) return file.error();
    plan.status_file = std::move(*file);
  }
  auto metrics = MetricsPlace::prepare_if_given(settings.lock, plan.names);
  if (!metrics) return metrics.error();
  plan.metrics = std::move(*metrics);
  plan.is_periodic = settings.every.has_value();
  plan.proclaims = std::move(*value);
  return plan;
}

std::optional<Failure> stays_too_long(const RunSettings& settings,
                                      const LockOptions& options,
                                      const Store& store) {
  const auto quarantine = store.backend->quarantine();
  if (!quarantine || options.at_least <= quarantine->longest_ttl.duration()) return std::nullopt;
  const Given& given = settings.every ? *settings.every : *settings.at_least;
  return Failure(usage, fmt::format("{} is longer than the longest-ttl of the store, {}: choose a "
                                    "shorter time, or a greater longest-ttl for all its clients",
                                    given.said(), readable(quarantine->longest_ttl.duration())));
}

}  // namespace interlock::cli
