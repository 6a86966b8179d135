// interlock top: who holds what, again and again. Changes nothing in the store.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "console/duration_text.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/local_clock.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/store.hpp"
#include "supervision/supervise.hpp"
#include "system/full_screen.hpp"
#include "system/signals.hpp"
#include "system/timer_descriptor.hpp"
#include "top/lock_watch.hpp"
#include "top/top_text.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Shows the held locks of a store, those with most waiters first, until q or
Ctrl-C. Without a terminal it looks once, or --count times. USER and COMMAND are
those of a holder on this machine. WAIT counts the places in the lock's queue;
those that wait with --unfair have none. A look sees at most one grant of a lock
since the look before, so GRANTS/S is a lower bound ("+"), of the last 10 s.

A look costs the store little, whatever else is in it. On Redis it goes through
10000 keys in a second, on from where the last look ended, and reads the locks
that it knows. In a store with a million keys the first round takes 100 s; until
then the first line tells how much was seen. To list everything at once, use
interlock status. Locks of other programs are shown if they are named.
)";
  all.exits = and_usual({{"0", "all looks are done, or q was typed"},
                         {"128+n", "ended by signal n, as by Ctrl-C: 130"}},
                        {usage, unreachable, operating_system, refused, bad_configuration});
  all.environment = {{"TERM", "a dumb terminal gets one look, as a pipe does"}};
  all.examples = {{"All locks of this machine", "interlock top"},
                  {"Two locks of a server, every 5 seconds",
                   "interlock top --store redis://db/0 --interval 5s deploy nightly"}};
  all.see_also = "interlock-status(1), interlock-stores(7)";
  return all;
}

class TopSettings {
 public:
  StoreFlags store;
  std::optional<Given> interval;
  std::optional<Given> count;
  bool json = false;
};

class TopPlan {
 public:
  std::vector<LockName> names;
  Duration interval;
  std::optional<std::uint64_t> looks;  // none: until it is ended
};

Fallible<TopPlan> make_plan(const Arguments& arguments, const TopSettings& settings) {
  constexpr milliseconds shortest{100};
  constexpr milliseconds longest{std::chrono::hours{24}};
  TopPlan plan{{}, std::chrono::seconds{1}, {}};
  for (const std::string& word : arguments.operands) {
    auto name = parse_lock_name(word);
    if (!name) return name.error();
    plan.names.push_back(*std::move(name));
  }
  if (settings.interval) {
    const auto interval = parse_duration(*settings.interval);
    if (!interval) return interval.error();
    if (*interval < shortest || *interval > longest) {
      return Failure(
          usage, fmt::format("{} is out of range; choose 100ms to 1d", settings.interval->said()));
    }
    plan.interval = *interval;
  }
  if (settings.count) {
    plan.looks = detail::parse_number<std::uint64_t>(settings.count->text, 1,
                                                     std::numeric_limits<std::int64_t>::max());
    if (!plan.looks) {
      return Failure(
          usage, fmt::format("{} is no number of looks; write 1 or more", settings.count->said()));
    }
  }
  return plan;
}

class Top {
 public:
  Top(const TopSettings& settings, TopPlan plan, Store store)
      : settings_(settings), plan_(std::move(plan)), store_(std::move(store)) {
    if (!settings_.json && FullScreen::is_possible()) screen_ = std::make_unique<FullScreen>();
    if (!screen_ && !plan_.looks) plan_.looks = 1;
  }

  int run() {
    for (std::uint64_t number = 1;; ++number) {
      if (auto failure = look()) {
        if (!screen_ || !has_looked_) {
          screen_.reset();
          return fail(*failure);
        }
        trouble_ = failure->message;
      }
      if (const int code = show(); code != success) return code;
      if (plan_.looks && number >= *plan_.looks) return success;
      if (const auto code = wait()) return *code;
    }
  }

 private:
  std::optional<Failure> look() {
    trouble_.reset();
    // The file may have been made since.
    if (!store_.backend) {
      auto chosen = choose_store(settings_.store, Purpose::look);
      if (!chosen) return chosen.error();
      store_ = std::move(*chosen);
    }
    if (store_.backend) {
      if (!watch_) watch_.emplace(*store_.backend, plan_.names);
      auto seen = watch_->look(local_now(), plan_.interval);
      if (!seen) return store_failure("locks not listed", seen.error(), store_);
      look_ = *std::move(seen);
    }
    has_looked_ = true;
    return std::nullopt;
  }

  int show() const {
    if (settings_.json) return answer(top_json(look_, store_.description));
    if (!screen_) return answer(top_text(look_, store_.description, trouble_, std::nullopt) + "\n");
    const TopSize size{terminal_columns().value_or(80), FullScreen::rows()};
    return FullScreen::draw(top_text(look_, store_.description, trouble_, size));
  }

  // Until the next look is due. An exit code: the user ends it.
  std::optional<int> wait() {
    alarm_.arm(plan_.interval);
    for (;;) {
      std::array<pollfd, 3> files{
          {{signals_.descriptor(), POLLIN, 0},
           {alarm_.descriptor(), POLLIN, 0},
           {screen_ && screen_->has_keys() ? STDIN_FILENO : -1, POLLIN, 0}}};
      ::poll(files.data(), files.size(), -1);
      for (const Taken& each : signals_.take()) {
        if (asks_to_end(each.signal)) return ended_by_signal(each.signal);
        if (each.signal == SIGTSTP) stop();
        if (each.signal != SIGTSTP && each.signal != SIGWINCH) continue;
        if (const int code = show(); code != success) return code;
      }
      if (files[2].revents != 0) {
        const char key = FullScreen::key();
        // End of the terminal.
        if (key == '\0' && (files[2].revents & POLLHUP) != 0) return success;
        if (key == 'q' || key == 'Q') return success;
      }
      if (alarm_.take()) return std::nullopt;
    }
  }

  void stop() {
    if (screen_) screen_->end();
    stop_ourselves();
    if (screen_) screen_->begin();
  }

  const TopSettings& settings_;
  TopPlan plan_;
  Store store_;
  Signals signals_;
  TimerDescriptor alarm_;
  std::optional<LockWatch> watch_;
  LockLook look_;
  bool has_looked_ = false;
  std::optional<std::string> trouble_;
  std::unique_ptr<FullScreen> screen_;
};

int top(const Invocation& given) {
  TopSettings settings;
  Flags flags("top [flags] [LOCK...]", "Shows who holds which lock, and who waits, every second.");
  settings.store.add_to(flags);
  flags.value(0, "interval", "DUR", &settings.interval, "time between two looks; default: 1s");
  flags.value(
      0, "count", "N", &settings.count,
      "end after N looks; default: one look without a terminal or with --json, else no end");
  flags.json(&settings.json, STDOUT_FILENO, "one JSON object for each look, a line each");
  flags.operand("LOCK", held_locks_of(settings.store), true);
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, std::numeric_limits<std::size_t>::max());
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  auto plan = make_plan(*arguments, settings);
  if (!plan) return fail(plan.error());
  auto store = choose_store(settings.store, Purpose::look);
  if (!store) return fail(store.error());
  ignore_broken_pipes();
  return Top(settings, std::move(*plan), std::move(*store)).run();
}

}  // namespace

extern const Command top_command;
const Command top_command{"top [flags] [LOCK...]", "who holds and who waits, every second", top};

}  // namespace interlock::cli
