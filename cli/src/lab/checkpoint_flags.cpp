#include "lab/checkpoint_flags.hpp"

#include <fmt/format.h>

#include <chrono>

#include "console/lines.hpp"
#include "console/safe_text.hpp"
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
    if (*given && (*given)->text.empty())
      return Failure(usage, (*given)->name + " names no file: name one, as search.ckpt");
  }
  if (!asked()) return std::nullopt;
  if (partial.asked()) return contradiction("is for the exhaustive search", partial.names());
  if (equal_futures) return contradiction("keeps no guesses of a search", "--equal-futures");
  if (drawing.is_report()) return contradiction("is for one search", drawing.format->said());
  return std::nullopt;
}

Failure CheckpointFlags::contradiction(const char* what, const std::string& other) const {
  return Failure(usage, fmt::format("{} {}: leave it out, or {}",
                                    file ? "--checkpoint" : "--resume", what, other));
}

sim::Verdict CheckpointFlags::explore(const sim::Scenario& scenario,
                                      const sim::Limits& limits,
                                      const std::string& words,
                                      SearchWatch& watch) {
  if (is_searched_) return sim::explore(scenario, limits);
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
  if (file) watch.also_end_at_sigterm();
  auto verdict = sim::explore_resumable(scenario, limits, how);
  if (verdict) return std::move(*verdict);
  failure_ = Failure(usage, printable(verdict.error().detail()));
  return sim::Verdict();
}

void CheckpointFlags::tell(const sim::CheckpointNews& news, SearchWatch& watch) {
  is_lost_ = !news.failure.empty();
  if (!is_lost_ && !news.at_end) return;
  watch.wipe();
  if (is_lost_) return say(printable(news.failure));
  say(fmt::format("{} are kept in {}: go on with --resume {}", counted(news.states, "state"),
                  printable(file->text), printable(file->text)));
}

int CheckpointFlags::exit_code(int code) const {
  return is_lost_ ? static_cast<int>(operating_system) : code;
}

}  // namespace interlock::cli
