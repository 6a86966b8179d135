// interlock hold: holds a lock as long as a pipe is open, for scripts.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "console/duration_text.hpp"
#include "console/flags.hpp"
#include "console/json_line.hpp"
#include "console/talk.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "lock/acquire.hpp"
#include "lock/holder.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_json.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/ready_file.hpp"
#include "lock/store.hpp"
#include "metrics/metrics_output.hpp"
#include "supervision/run_report.hpp"
#include "supervision/supervise.hpp"
#include "system/event_descriptor.hpp"
#include "system/heap.hpp"
#include "system/report_file.hpp"
#include "system/signals.hpp"
#include "system/standard_input.hpp"
#include "system/timer_descriptor.hpp"

namespace interlock::cli {
namespace {

// Three dots stand for the work.
constexpr std::string_view coprocess_recipe = R"(coproc lock { exec interlock hold deploy; }
holder=$!
read -r -u "${lock[0]-}" 2>/dev/null || { wait $holder; exit; }
...
{ exec {lock[1]}>&-; } 2>/dev/null || :
wait $holder || exit)";

constexpr std::string_view descriptor_recipe = R"(ready=$(mktemp)
exec {lock}> >(exec interlock hold deploy --ready-file $ready \
  >/dev/null)
holder=$!
until [ -s $ready ]; do
  kill -0 $holder 2>/dev/null || { wait $holder; exit; }
  sleep 0.1
done
...
exec {lock}>&-
wait $holder || exit)";

constexpr std::string_view pipes_recipe = R"(pipes=$(mktemp -d)
mkfifo "$pipes/in" "$pipes/out"
interlock hold deploy <"$pipes/in" >"$pipes/out" &
holder=$!
exec 8>"$pipes/in" 9<"$pipes/out"
rm -r "$pipes"
read -r line <&9 || { wait $holder; exit; }
...
exec 8>&- 9<&-
wait $holder || exit)";

Explanation explanation() {
  Explanation all;
  all.text = R"(Prints one line when the lock is held. If the script dies, the pipe closes, and
the lock is released, or no longer waited for (75). A standard input that has
ended before hold begins is refused (64). Programs that cannot read a pipe use
--ready-file: the file exists while the lock is held. If interlock is killed, or
stopped until its lease ends, its watcher, il-watch, removes the file. The file
names the process, in case il-watch is killed or stopped, too.

If the store is silent, hold exits with 79 before the store can grant the lock
to anybody else. A release that failed is 69, 71 or 77: the lock ends with its
ttl.

In each of the scripts below, the script has the lock where three dots stand. If
the lock cannot be had, interlock has printed why, and the script ends with
its exit code. It also ends with 79 if the lock was found to be lost at the end.
All three work under set -eu. With -w 0 they do not wait.
)";
  all.exits = and_usual(
      {{"0", "released"},
       {"75",
        "the lock was not acquired: somebody else holds it, or standard input has ended before (-E "
        "chooses another code)"},
       {"79", "the lock was lost while it was held"},
       {"128+n", "ended by signal n"}},
      {usage, unreachable, internal, operating_system, refused, bad_configuration});
  all.examples = {
      {"In bash, by a coprocess; the script's commands do not inherit the pipe", coprocess_recipe},
      {"In bash, by a file descriptor; to what the script leaves in the background, "
       "write {lock}>&- behind its command, or it keeps the lock",
       descriptor_recipe},
      {"In any shell (sh), by named pipes; again 8>&- for what stays in the background",
       pipes_recipe}};
  all.see_also = "interlock-run(1), interlock-status(1), interlock-stores(7)";
  return all;
}

enum class Over { input_closed, lost, signal };

class Hold {
 public:
  Hold(const LockFlags& settings,
       LockName name,
       LockOptions options,
       ClientOptions client_options,
       int conflict_code,
       std::optional<ReadyFile> ready,
       std::optional<MetricsPlace> metrics,
       Store store)
      : settings_(settings),
        name_(std::move(name)),
        options_(std::move(options)),
        client_options_(client_options),
        conflict_code_(conflict_code),
        ready_(std::move(ready)),
        metrics_place_(std::move(metrics)),
        store_(std::move(store)),
        news_(settings.verbose) {}

  int run() {
    if (ready_) {
      if (const auto failure = ready_->begin()) return fail(*failure);
    }
    client_options_.events = &news_;
    if (metrics_place_) {
      auto output = MetricsOutput::begin(*std::move(metrics_place_), news_);
      if (!output) return fail(output.error());
      metrics_ = std::move(*output);
      client_options_.events = metrics_.get();
    }
    const auto client = Client::open(store_.backend, client_options_);
    if (!client) return fail({operating_system, client.error().detail()});
    news_.is_told(HeldAroundUs(*store_.backend, {name_}, options_));
    const TimePoint began = local_now();
    Acquired acquired =
        acquire(**client, news_, {name_}, options_, signals_, settings_.quiet, &input_);
    auto* const guards = std::get_if<GuardSet>(&acquired);
    if (guards == nullptr) return without(acquired, local_now() - began);
    const int code = with(*guards);
    if (ready_) ready_->remove_ours();
    return code;
  }

 private:
  std::string shown_name() const { return printable(name_.text(), 100); }

  int without(const Acquired& acquired, Duration waited) const {
    if (const auto* const interrupted = std::get_if<Interrupted>(&acquired)) {
      return ended_by_signal(interrupted->signal);
    }
    if (const auto* const busy = std::get_if<BusyLock>(&acquired)) {
      if (settings_.quiet) return conflict_code_;
      Failure failure(not_acquired, not_acquired_text(name_, busy->busy, waited, store_));
      failure.fields = nlohmann::ordered_json{{"busy", busy_json(busy->busy)}}.dump();
      return fail(failure, conflict_code_);
    }
    if (std::holds_alternative<InputEnded>(acquired)) {
      if (settings_.quiet) return conflict_code_;
      return fail(Failure(not_acquired,
                          fmt::format("'{}' not acquired: standard input has closed after {}: the "
                                      "script that wanted it has ended",
                                      shown_name(), readable(waited))),
                  conflict_code_);
    }
    return fail(store_failure(fmt::format("'{}' not acquired", shown_name()),
                              std::get<Error>(acquired), store_));
  }

  int with(GuardSet& guards) {
    const Guard& guard = guards[0];
    const TimePoint acquired = local_now();
    const TimePoint granted = guard.certain_until() - SafetyMargin().certain_lifetime(guard.ttl());
    if (const int code = announce(guard); code != success) return code;
    const Over over = wait(guard);
    // Programs rely on the lock while the file exists.
    if (ready_) ready_->remove_ours();
    Loss if_lost = loss(guard, acquired, granted);
    if (over == Over::lost) lose(std::move(if_lost), guard);
    const TimePoint certain_until = guard.certain_until();
    const Result<ReleaseOutcome> released = guards.release();
    const bool found_gone = released && *released == ReleaseOutcome::not_holder;
    // The lease was certain until the release began: it ended by itself while that was late.
    const bool expired_since = found_gone && local_now() >= certain_until;
    if (if_lost.why || (found_gone && !expired_since)) return fail_with(if_lost);
    if (expired_since) say(released_late_text(name_.text()));
    if (!released) {
      say(not_released_text(name_.text(), released.error(), guard.ttl().duration(), Stays::no));
      if (over == Over::input_closed) return store_failure("", released.error(), store_).code;
    }
    return over == Over::signal ? ended_by_signal(signal_) : success;
  }

  // The report if the lock is found to be lost.
  Loss loss(const Guard& guard, TimePoint acquired, TimePoint granted) const {
    const TimePoint now = local_now();
    Loss told;
    told.lock = name_.text();
    told.store = store_.description;
    told.token = guard.fencing();
    told.why = guard.loss();
    told.held = now - acquired;
    told.unconfirmed = now - news_.renewed(name_).value_or(granted);
    told.renewal_refused = news_.renewal_refused(name_);
    return told;
  }

  static int fail_with(const Loss& told) {
    Failure failure(lost, fmt::format("{}: what relied on it must stop; token was {}",
                                      lost_cause(told), told.token.value()));
    failure.fields =
        nlohmann::ordered_json{
            {"token", std::to_string(told.token.value())},
            {"held_ms", std::chrono::duration_cast<milliseconds>(told.held).count()}}
            .dump();
    return fail(failure);
  }

  // The end of this process is what tells a script. It must stop before the store grants the lock
  // to anybody else, so nothing here waits for the store: neither a release nor a client's
  // destructor. If the store keeps the lock, it keeps it until the ttl ends. The metrics have a
  // quarter of the time that is left until then.
  [[noreturn]] void lose(Loss told, const Guard& guard) const {
    if (!told.why) told.why = LossReason::not_renewed_in_time;
    const int code = fail_with(told);
    const Duration left = guard.ttl().duration() - SafetyMargin().certain_lifetime(guard.ttl());
    if (metrics_) {
      metrics_->count_end(guard, told.held);
      metrics_->write_within(left / 4);
    }
    write_kept_messages();
    ::_exit(code);
  }

  // Tells the waiting process that the lock is held. If that fails, the lock is released, because
  // nobody would use it.
  int announce(const Guard& guard) {
    nlohmann::ordered_json object{{"v", 1},
                                  {"lock", name_.text()},
                                  {"token", std::to_string(guard.fencing().value())},
                                  {"owner", guard.owner().text()},
                                  {"ttl_ms", guard.ttl().duration().count()},
                                  {"pid", ::getpid()}};
    const std::string line = json_line(object) + "\n";
    if (ready_ && !ready_->write(line, guard.certain_until())) {
      return fail(
          Failure(operating_system,
                  fmt::format("--ready-file {} not written: {}: '{}' is released again",
                              printable(ready_->path(), 100), std::strerror(errno), shown_name())));
    }
    const int code = answer(settings_.json ? line
                                           : fmt::format("holding {}, token {}\n", shown_name(),
                                                         guard.fencing().value()));
    return ready_ ? static_cast<int>(success) : code;
  }

  Over wait(const Guard& guard) {
    const EventDescriptor lost_wake;
    const std::stop_callback ring(guard.lost_token(), [&] { lost_wake.ring(); });
    TimerDescriptor alarm;
    for (;;) {
      const TimePoint now = local_now();
      const TimePoint certain_until = guard.certain_until();
      if (guard.loss() || now >= certain_until) return Over::lost;
      alarm.arm(next_look(now, certain_until) - now);
      std::array<pollfd, 4> files{{{signals_.descriptor(), POLLIN, 0},
                                   {alarm.descriptor(), POLLIN, 0},
                                   {lost_wake.descriptor(), POLLIN, 0},
                                   {input_.descriptor(), POLLIN, 0}}};
      ::poll(files.data(), files.size(), -1);
      for (const Taken& each : signals_.take()) {
        if (each.signal == SIGTSTP) stop_ourselves();
        if (!asks_to_end(each.signal)) continue;
        signal_ = each.signal;
        return Over::signal;
      }
      if (files[3].revents != 0 && StandardInput::has_ended()) return Over::input_closed;
    }
  }

  // When to look at the lease again. Tells the watcher of the file until when the lease is certain,
  // so often that it learns of a renewal long before it would act.
  TimePoint next_look(TimePoint now, TimePoint certain_until) const {
    constexpr milliseconds least{5};
    if (!ready_) return certain_until;
    ready_->keep_until(certain_until);
    if (certain_until - now <= least) return certain_until;
    return now + (certain_until - now) / 2;
  }

  const LockFlags& settings_;
  LockName name_;
  LockOptions options_;
  ClientOptions client_options_;
  int conflict_code_;
  std::optional<ReadyFile> ready_;
  std::optional<MetricsPlace> metrics_place_;
  Store store_;
  Signals signals_;
  StandardInput input_;
  News news_;
  std::unique_ptr<MetricsOutput> metrics_;
  int signal_ = 0;
};

int hold(const Invocation& given) {
  share_one_heap();
  LockFlags settings;
  std::optional<Given> ready_file;
  Flags flags("hold [flags] LOCK", "Holds LOCK until standard input closes.");
  settings.add_to(flags, STDOUT_FILENO);
  settings.add_groups_to(flags);
  flags
      .value(0, "ready-file", "F", &ready_file,
             "a file that exists while the lock is held; replaces one of that name")
      .suggested = Suggestions::files();
  flags.operand("LOCK", held_locks_of(settings.store));
  flags.explain(explanation());

  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no lock given; write interlock hold LOCK"));
  }
  auto name = parse_name_to_acquire(arguments->operands.front());
  if (!name) return fail(name.error());
  name_lock_in_failures(name->text());
  auto options = settings.options();
  if (!options) return fail(options.error());
  auto client_options = settings.client_options();
  if (!client_options) return fail(client_options.error());
  const auto conflict = settings.conflict_code();
  if (!conflict) return fail(conflict.error());
  std::optional<ReadyFile> ready;
  if (ready_file) {
    auto file = ReportFile::prepare(ready_file->text, ready_file->said(), usage);
    if (!file) return fail(file.error());
    ready.emplace(std::move(*file));
  }
  auto metrics = MetricsPlace::prepare_if_given(settings, {*name});
  if (!metrics) return fail(metrics.error());
  auto store = choose_store(settings.store, Purpose::hold);
  if (!store) return fail(store.error());
  if (const auto failure = settings.ttl_too_long(*store)) return fail(*failure);
  if (StandardInput::has_ended_already()) {
    return fail(Failure(usage,
                        "standard input has ended already, and would end the lock at once: give "
                        "hold a pipe that stays open, as in interlock hold --help; a shell gives "
                        "/dev/null to a command in the background (&)"));
  }
  return Hold(settings, *name, *options, *client_options, *conflict, std::move(ready),
              std::move(*metrics), std::move(*store))
      .run();
}

}  // namespace

extern const Command hold_command;
const Command hold_command{"hold [flags] LOCK", "hold LOCK until standard input closes", hold};

}  // namespace interlock::cli
