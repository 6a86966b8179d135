#include "lab/checkpoint_flags.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "console/lines.hpp"
#include "console/safe_text.hpp"
#include "console/shell_words.hpp"
#include "console/talk.hpp"
#include "system/own_digest.hpp"

namespace interlock::cli {
namespace {

// True every ten minutes: what a crash can cost at most. Writing takes some seconds for a large
// search.
class TenMinutes {
 public:
  bool are_over() {
    constexpr std::chrono::minutes period(10);
    const auto now = std::chrono::steady_clock::now();
    if (now - begin_ < period) return false;
    begin_ = now;
    return true;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Whether both name one file, which is there.
bool are_one_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  return std::filesystem::equivalent(one, other, unknown);
}

std::string is_or_are(std::uint64_t states) {
  return counted(states, "state") + (states == 1 ? " is" : " are");
}

}  // namespace

void CheckpointFlags::add_to(Flags& flags) {
  flags
      .value(0, "checkpoint", "FILE", &file,
             "keep the search in FILE when a limit or Ctrl-C ends it, and every 10 minutes")
      .suggested = Suggestions::files();
  flags
      .value(0, "resume", "FILE", &resumed,
             "go on with the search that --checkpoint has kept in FILE")
      .suggested = Suggestions::files();
}

std::optional<Failure> CheckpointFlags::check(const PartialFlags& partial,
                                              bool equal_futures,
                                              const DrawingFlags& drawing) const {
  for (const std::optional<Given>* given : {&file, &resumed}) {
    if (!*given) continue;
    const std::string& name = (*given)->text;
    if (name.empty() || name == "-")
      return Failure(usage, (*given)->name + " names no file: name one, as search.ckpt");
    const bool is_output = drawing.output && (drawing.output->text == name ||
                                              are_one_file(drawing.output->text, name));
    if (is_output)
      return Failure(usage, (*given)->name + " and --output name one file: name another one");
  }
  if (!asked()) return std::nullopt;
  if (partial.asked()) return contradiction("is for the exhaustive search", partial.names());
  if (equal_futures) return contradiction("keeps no guesses of a search", "--equal-futures");
  if (drawing.is_report()) return contradiction("is for one search", drawing.format->said());
  return would_replace();
}

// A checkpoint that the search does not go on with may be worth hours.
std::optional<Failure> CheckpointFlags::would_replace() const {
  std::error_code unknown;
  if (!file || !std::filesystem::is_regular_file(file->text, unknown)) return std::nullopt;
  if (resumed && are_one_file(file->text, resumed->text)) return std::nullopt;
  const std::string name = printable(file->text);
  return Failure(usage, fmt::format("--checkpoint {}: the file is there already: go on with "
                                    "--resume {}, remove it, or name a new one",
                                    name, quoted(name)));
}

Failure CheckpointFlags::contradiction(const char* what, const std::string& other) const {
  return Failure(usage, fmt::format("{} {}: leave it out, or {}",
                                    file ? "--checkpoint" : "--resume", what, other));
}

sim::Verdict CheckpointFlags::explore(const sim::Scenario& scenario,
                                      const sim::Limits& limits,
                                      const std::string& words,
                                      SearchWatch& watch) {
  if (is_searched_) return explore_rest(scenario, limits, watch);
  is_searched_ = true;
  const auto digest = digest_of_program();
  if (!digest) {
    failure_ = digest.error();
    return sim::Verdict();
  }
  sim::Checkpoints how;
  how.file = file ? file->text : "";
  how.resumed = resumed ? resumed->text : "";
  how.identity = *digest + " " + words;
  TenMinutes period;
  how.is_due = [&period] { return period.are_over(); };
  how.tell = [this, &watch](const sim::CheckpointNews& news) { tell(news, watch); };
  if (file) watch.take_more_signals();
  auto verdict = sim::explore_resumable(scenario, limits, how);
  if (verdict) return std::move(*verdict);
  failure_ = Failure(usage, printable(verdict.error().detail()));
  return sim::Verdict();
}

// Without the vacuous properties, so these are other states.
sim::Verdict CheckpointFlags::explore_rest(const sim::Scenario& scenario,
                                           const sim::Limits& limits,
                                           SearchWatch& watch) const {
  sim::Verdict verdict = sim::explore(scenario, limits);
  if (file && verdict.outcome == sim::Outcome::incomplete) {
    watch.wipe();
    say(
        fmt::format("nothing is kept in {}: a search without vacuous properties is not: choose the "
                    "others by --property",
                    printable(file->text)));
  }
  return verdict;
}

void CheckpointFlags::tell(const sim::CheckpointNews& news, SearchWatch& watch) {
  is_lost_ = !news.failure.empty();
  if (!is_lost_ && !news.at_end) return;
  watch.wipe();
  if (is_lost_) return say(printable(news.failure));
  const std::string name = printable(file->text);
  if (news.states > 0) {
    return say(fmt::format("{} kept in {}: go on with --resume {}", is_or_are(news.states), name,
                           quoted(name)));
  }
  if (!resumed) {
    return say(
        fmt::format("nothing is kept in {}: a limit ended the search before its first steps: "
                    "raise it",
                    name));
  }
  say(fmt::format(
      "nothing new is kept in {}: the search was ended before it had gone on: resume {} "
      "with more time or memory",
      name, printable(resumed->text)));
}

int CheckpointFlags::exit_code(int code) const {
  return is_lost_ ? static_cast<int>(operating_system) : code;
}

}  // namespace interlock::cli
