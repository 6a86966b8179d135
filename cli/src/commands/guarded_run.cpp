// Runs a command while its lock is held: acquires, starts, watches, releases, reports.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "commands/guarded_run.hpp"
#include "commands/run_plan.hpp"
#include "console/duration_text.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "interlock/client.hpp"
#include "interlock/leader.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lock/acquire.hpp"
#include "lock/holder.hpp"
#include "lock/inspect.hpp"
#include "lock/last_run.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_json.hpp"
#include "lock/store.hpp"
#include "metrics/metrics_output.hpp"
#include "supervision/child.hpp"
#include "supervision/loss_rule.hpp"
#include "supervision/run_report.hpp"
#include "supervision/supervise.hpp"
#include "supervision/watcher.hpp"
#include "system/event_descriptor.hpp"
#include "system/heap.hpp"
#include "system/report_file.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"

namespace interlock::cli {
namespace {

class RunCommand {
 public:
  RunCommand(const Invocation& given, const RunSettings& settings, RunPlan plan, Store store)
      : given_(given),
        settings_(settings),
        plan_(std::move(plan)),
        store_(std::move(store)),
        news_(settings.lock.verbose && !settings.lock.json) {
    report_.lock = plan_.lock;
  }

  // ^C has ended the command.
  bool interrupted_by_key() const { return interrupted_; }

  int run() {
    if (plan_.status_file) plan_.status_file->remove();
    try {
      return watched();
    } catch (const std::system_error& error) {
      return fail_with(system_failure(error));
    }
  }

 private:
  int watched() {
    WatchedCommand command{plan_.lock, plan_.command, given_.standard_files};
    if (terminal_.exists()) command.group = ::getpgrp();
    command.may_stay = plan_.left_behind == LeftBehind::stay;
    auto watcher = Watcher::begin(command, signals_);
    if (!watcher) return fail_with(watcher.error());
    plan_.client_options.events = &news_;
    if (plan_.metrics) {
      auto output = MetricsOutput::begin(*std::move(plan_.metrics), news_);
      if (!output) return fail_with(output.error());
      metrics_ = std::move(*output);
      plan_.client_options.events = metrics_.get();
    }
    const auto client = Client::open(store_.backend, plan_.client_options);
    if (!client) return fail_with({operating_system, client.error().detail()});
    news_.is_told(HeldAroundUs(*store_.backend, plan_.names, plan_.options));
    const TimePoint began = local_now();
    if (auto busy = would_wait_for_itself()) {
      report_.waited = Duration::zero();
      return without(*std::move(busy));
    }
    Acquired acquired =
        acquire(**client, news_, plan_.names, plan_.options, signals_, settings_.lock.quiet);
    report_.waited = local_now() - began;
    if (auto* const guards = std::get_if<GuardSet>(&acquired)) return with(*guards, *watcher);
    return without(acquired);
  }

  // A wait for one lock tells that by itself. Of several, one may be held by another for a long
  // time before this program comes to the one under which it runs itself.
  std::optional<BusyLock> would_wait_for_itself() const {
    if (plan_.names.size() == 1 || !runs_under_locks()) return std::nullopt;
    const auto store = store_.backend->open();
    for (const LockName& name : plan_.names) {
      const Result<LockView> seen = inspect_lock(*store, lock_key(name));
      if (!seen || !seen->holder) continue;
      const Busy busy = news_.around_us().seen_from_inside(
          name, Busy(*seen->holder, seen->remaining, seen->held_for));
      // Readers may be beside each other.
      if (plan_.options.shared && busy.holder != *seen->holder) continue;
      if (held_around_us(busy.holder)) return BusyLock(name, busy);
    }
    return std::nullopt;
  }

  int without(const Acquired& acquired) {
    if (const auto* const interrupted = std::get_if<Interrupted>(&acquired)) {
      report_.result = "interrupted";
      return finish(ended_by_signal(interrupted->signal));
    }
    if (const auto* const busy = std::get_if<BusyLock>(&acquired)) {
      report_.result = result_of(not_acquired);
      report_.error = not_acquired_text(busy->name, busy->busy, *report_.waited, store_);
      auto told = busy_json(busy->busy);
      if (plan_.names.size() > 1) told["lock"] = busy->name.text();
      report_.busy = told.dump();
      tell_last_run(*busy);
      if (settings_.lock.quiet) return finish_silently(plan_.conflict_code);
      return finish(plan_.conflict_code);
    }
    const std::string what = fmt::format("{} not acquired", shown());
    return fail_with(store_failure(what, std::get<Error>(acquired), store_));
  }

  int with(GuardSet& guards, Watcher& watcher) {
    const TimePoint acquired = local_now();
    const TimePoint granted = guards.certain_until() - certain_lifetime();
    report_grants(guards);

    const EventDescriptor lost;
    const std::stop_callback ring(guards.lost_token(), [&] { lost.ring(); });
    const LeaseView lease{local_now, [&] { return guards.certain_until(); },
                          [&] { return store_says_lost(guards); }, lost.descriptor()};
    if (!plan_.on_lost.ignored()) watcher.keep_until(guards.certain_until());
    if (const auto failure = proclaim_if_leader(guards)) {
      guards.waive_at_least();
      static_cast<void>(guards.release());
      return fail_with(*failure);
    }
    const auto child = watcher.start(environment_of_command(guards));
    if (!child) {
      // Nothing has run, so another may try within the period.
      guards.waive_at_least();
      static_cast<void>(guards.release());
      return fail_with(child.error());
    }
    Rules rules{loss_rule(), plan_.left_behind, plan_.kill_after};
    if (!settings_.lock.json) {
      rules.tell = [this](const std::string& line) { say(fmt::format("{}: {}", shown(), line)); };
    }
    rules.lost = [this, &guards] {
      if (metrics_) metrics_->count_loss(lost_or_first_to_end(guards));
    };
    const Ending ending = supervise(watcher, *child, signals_, terminal_, lease, std::move(rules));
    report_.held = ending.ended - acquired;
    report_.left_behind = ending.left_behind;
    report_.refused = ending.refused;
    if (ending.signalled()) {
      report_.child_signal = ending.code() - ended_by_signal(0);
    } else {
      report_.child_exit = ending.code();
    }
    return release(guards, acquired, granted, ending);
  }

  // What the command finds in its environment.
  std::vector<std::pair<std::string, std::string>> environment_of_command(
      const GuardSet& guards) const {
    std::string tokens;
    std::string owners;
    for (const Guard& each : guards) {
      tokens += (tokens.empty() ? "" : ",") + std::to_string(each.fencing().value());
      owners += (owners.empty() ? "" : ",") + each.owner().text();
    }
    return {{"INTERLOCK_LOCK", plan_.lock},
            {"INTERLOCK_TOKEN", tokens},
            {"INTERLOCK_OWNER", owners},
            {"INTERLOCK_TTL_MS", std::to_string(plan_.options.ttl.duration().count())},
            {held_variable, held_with(guards)}};
  }

  // Before the command begins: observers learn of a leader that is ready to lead.
  std::optional<Failure> proclaim_if_leader(const GuardSet& guards) {
    if (!plan_.proclaims) return std::nullopt;
    const Guard& guard = guards[0];
    const Leader leader(guard.owner(), guard.fencing(), *plan_.proclaims);
    const auto store = store_.backend->open();
    const Result<OwnerCheck> said = interlock::run(proclaim(*store, guard.name(), leader));
    const std::string what = fmt::format("{}: the leader is not proclaimed", shown());
    if (!said) return store_failure(what, said.error(), store_);
    if (*said == OwnerCheck::done) return std::nullopt;
    return Failure(lost, what + ": the lock was lost before");
  }

  // If it fails, the value is left at the store, and tells nobody anything: another owner holds the
  // lock, or none.
  void withdraw_if_leader(const GuardSet& guards) {
    if (!plan_.proclaims) return;
    static_cast<void>(
        interlock::run(withdraw(*store_.backend->open(), guards[0].name(), guards[0].owner())));
  }

  void report_grants(const GuardSet& guards) {
    if (!settings_.all) {
      report_.token = guards[0].fencing();
      report_.owner = guards[0].owner().text();
      return;
    }
    for (const Guard& each : guards) {
      report_.locks.push_back({each.name().text(), each.fencing(), each.owner().text()});
    }
  }

  int release(GuardSet& guards, TimePoint acquired, TimePoint granted, const Ending& ending) {
    const Guard& guard = lost_or_first_to_end(guards);
    const std::optional<LossReason> why = guard.loss();
    // Read before the release: afterwards the guard holds nothing, and the events are those of the
    // release.
    const TimePoint certain_until = guards.certain_until();
    TimePoint confirmed = news_.renewed(guard.name()).value_or(granted);
    // A renewal that came after the loss had been noticed was too late.
    if (ending.lost_since && ending.certain_until) {
      confirmed = *ending.certain_until - certain_lifetime();
    }
    Loss if_lost = loss(guard, acquired, ending, certain_until, confirmed, why);
    const bool locks_stay = ending.ended < granted + plan_.options.at_least;
    if (plan_.is_periodic) {
      note_this_run(guards[0], ending);
    } else if (locks_stay) {
      note_the_end(guards, ending);
    }
    if (!ending.lost_since && !why) withdraw_if_leader(guards);
    if (locks_stay) news_.locks_stay();
    const Result<ReleaseOutcome> released = guards.release();
    const bool found_gone = released && *released == ReleaseOutcome::not_holder;
    // The lease was certain when the command ended: it ended by itself while the release was late.
    const bool expired_since = found_gone && local_now() >= certain_until;
    if (ending.lost_since || why || (found_gone && !expired_since)) {
      if (const Guard* const gone = guards.found_gone(); gone != nullptr && !if_lost.why) {
        if_lost.lock = gone->name().text();
        if_lost.token = gone->fencing();
      }
      report_.result = "lost";
      report_.error = lost_text(if_lost);
      return finish(lost);
    }
    if (expired_since) {
      report_.not_released = released_late_text(plan_.lock);
      if (!settings_.lock.json) say(*report_.not_released);
    }
    if (!released) {
      // The command had its lock throughout, so its exit code stays.
      report_.not_released =
          not_released_text(plan_.lock, released.error(), plan_.options.ttl.duration(), stays());
      if (!settings_.lock.json) say(*report_.not_released);
    }
    if (!ending.refused.empty()) {
      report_.result = "lost";
      report_.error = fmt::format("{} released although {} of the command could not be ended",
                                  shown(), process_text(ending.refused.front()));
      return finish(lost);
    }
    if (ending.stopped_waiting) {
      report_.result = "interrupted";
      return finish_silently(ended_by_signal(*ending.stopped_waiting));
    }
    report_.result = "ok";
    interrupted_ = ending.interrupted_by_key;
    return finish_silently(ending.code());
  }

  Loss loss(const Guard& guard,
            TimePoint acquired,
            const Ending& ending,
            TimePoint certain_until,
            TimePoint confirmed,
            std::optional<LossReason> why) const {
    const TimePoint noticed = ending.lost_since.value_or(ending.ended);
    Loss told;
    told.lock = guard.name().text();
    told.store = store_.description;
    told.token = guard.fencing();
    told.why = why;
    // The command was told to stop in time, or this process woke after the lease's end: the client
    // may not have noticed the loss yet.
    if ((!told.why && ending.lost_since) || ending.lost_by_clock) {
      told.why = LossReason::not_renewed_in_time;
    }
    told.held = noticed - acquired;
    told.unconfirmed = noticed - confirmed;
    told.renewal_refused = news_.renewal_refused(guard.name());
    told.ended_in = ending.ended - noticed;
    told.first_signal = ending.first_for_loss;
    told.signal = ending.signal_for_loss;
    if (ending.signalled()) told.ended_by = report_.child_signal;
    if (!ending.refused.empty()) told.refused = process_text(ending.refused.front());
    // The state that the store reports may have begun right after its last confirmation.
    const bool by_clock = told.why == LossReason::not_renewed_in_time;
    const TimePoint ended = told.refused ? TimePoint::max() : ending.ended;
    std::optional<TimePoint> overlap = overlap_from_clock(certain_until, ended);
    if (!by_clock) overlap = ended > confirmed ? std::optional(confirmed) : std::nullopt;
    if (overlap) told.overlap_from = std::chrono::system_clock::now() - (local_now() - *overlap);
    return told;
  }

  std::string shown() const { return fmt::format("'{}'", printable(plan_.lock, 100)); }

  // Killing takes milliseconds, on a busy machine tens of them. A short lease has no room for more.
  LossRule loss_rule() const {
    constexpr milliseconds usual{50};
    return {plan_.on_lost, plan_.kill_after, std::min(usual, plan_.options.ttl.duration() / 20)};
  }

  Duration certain_lifetime() const { return SafetyMargin().certain_lifetime(plan_.options.ttl); }
  Stays stays() const { return plan_.options.at_least > Duration::zero() ? Stays::yes : Stays::no; }

  // While the lock is still kept: so its release, which follows, finds the store as soon as it is
  // back. The run has happened, whether it can be noted or not.
  void note_this_run(const Guard& guard, const Ending& ending) {
    constexpr std::chrono::seconds patience{5};
    const TimePoint give_up = local_now() + patience;
    std::optional<Error> error;
    for (;;) {
      error = note_run_under(guard, ending);
      const bool may_come_back = error && is_out_of_reach(*error) && guard.remaining() > Duration{};
      if (!may_come_back || local_now() >= give_up) break;
      std::this_thread::sleep_for(milliseconds{100});
    }
    if (!error) return;
    report_.not_noted =
        fmt::format("{}: this run is not noted: {}", shown(), printable(error->detail(), 400));
    if (!settings_.lock.json) say(*report_.not_noted);
  }

  // For `interlock status`, which cannot see that these locks are kept without their command. If it
  // fails, status shows them like locks of a command that still runs: nobody asked for the note.
  void note_the_end(const GuardSet& guards, const Ending& ending) const {
    for (const Guard& each : guards) static_cast<void>(note_run_under(each, ending));
  }

  std::optional<Error> note_run_under(const Guard& guard, const Ending& ending) const {
    return note_run(*store_.backend->open(), guard.name(), guard.owner(),
                    std::chrono::ceil<milliseconds>(*report_.held), ending.code(),
                    std::chrono::ceil<milliseconds>(plan_.options.at_least),
                    store_.backend->retention());
  }

  void tell_last_run(const BusyLock& busy) {
    const auto last = look_for_run(*store_.backend->open(), busy.name);
    if (!last || !*last) return;
    // Else the holder's command is under way.
    const bool is_kept = (*last)->owner == busy.busy.holder;
    if (plan_.is_periodic) {
      tell_last_run_of_period(**last, is_kept, busy.busy.remaining);
    } else if (is_kept) {
      *report_.error += "; its command has ended: the lock is kept (--every, --at-least)";
    }
  }

  void tell_last_run_of_period(const LastRun& last,
                               bool is_kept,
                               std::optional<milliseconds> remaining) {
    report_.last_run = last_run_json(last).dump();
    const std::string text = last_run_text(last);
    if (!is_kept) {
      *report_.error += "; " + text;
      return;
    }
    report_.result = "has_run";
    report_.error = fmt::format("{} has run in this period: {}", shown(), text);
    if (remaining) {
      *report_.error += fmt::format("; the next run can begin in {}", readable(*remaining));
    }
  }

  int fail_with(const Failure& failure) {
    report_.result = result_of(failure.code);
    report_.error = failure.message;
    return finish(failure.code);
  }

  int finish(int code) {
    if (report_.error && !settings_.lock.json) say(*report_.error);
    return finish_silently(code);
  }

  int finish_silently(int code) {
    report_.exit = code;
    if (settings_.lock.json) say_object(report_.json());
    if (plan_.status_file && !plan_.status_file->write(report_.json() + "\n")) {
      say(fmt::format("--status-file {} not written: {}: the exit code {} stands",
                      printable(plan_.status_file->path(), 100), std::strerror(errno), code));
    }
    return code;
  }

  const Invocation& given_;
  const RunSettings& settings_;
  RunPlan plan_;
  Store store_;
  Terminal terminal_;
  // Made before the client: the client's threads must not get signals, and its events come here.
  Signals signals_;
  News news_;
  std::unique_ptr<MetricsOutput> metrics_;
  RunReport report_;
  bool interrupted_ = false;
};

}  // namespace

int run_guarded(const Invocation& given, const Arguments& arguments, const RunSettings& settings) {
  auto plan = make_run_plan(arguments, settings);
  if (!plan) return fail(plan.error());
  auto store = choose_store(settings.lock.store, Purpose::hold);
  if (!store) return fail(store.error());
  if (const auto failure = settings.lock.ttl_too_long(*store)) return fail(*failure);
  if (const auto failure = stays_too_long(settings, plan->options, *store)) return fail(*failure);
  int code = internal;
  bool interrupted = false;
  {
    RunCommand work(given, settings, std::move(*plan), std::move(*store));
    code = work.run();
    interrupted = work.interrupted_by_key();
  }
  if (interrupted) {
    write_kept_messages();
    interrupt_ourselves();
  }
  return code;
}

}  // namespace interlock::cli
