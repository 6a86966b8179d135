// A worker of the fault suite: a process with one client, whose threads contend for locks and write
// down what happens to them.
// usage: fault_worker STORE PIPE NUMBER SEED TTL_MS CONTENDER...
// CONTENDER: LOCK and a HoldMode, as in LOCK:fair, with :stays at the end if the lock stays held
// for a while after its section. SIGUSR1: sections last, from now on; SIGUSR2: they end again.
// SIGHUP: the next section of each contender forks, except of `set` and `leads`. SIGTERM: leave.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/election.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "record.hpp"

namespace interlock::test {
namespace {

std::int64_t count(TimePoint at) {
  return at.time_since_epoch().count();
}

// For how long a lock stays held, and how long after its grant a contender may enter it on a busy
// machine.
constexpr milliseconds held_at_least{300};
constexpr milliseconds late_entry{50};

class Contender {
 public:
  Contender(Client& client,
            const std::atomic<bool>& lasting,
            const std::atomic<int>& forks,
            int pipe,
            std::uint16_t worker,
            std::uint8_t number)
      : client_(client),
        lasting_(lasting),
        forks_(forks),
        pipe_(pipe),
        worker_(worker),
        number_(number) {}

  void run(const std::string& what, Ttl ttl, std::uint64_t seed, const std::stop_token& stop) {
    const std::size_t colon = what.find(':');
    const std::string lock = what.substr(0, colon);
    LockOptions options(ttl);
    options.fair = what.find(":fair") != std::string::npos;
    options.shared = what.ends_with(":shared");
    if (what.ends_with(":1of2")) options.permits = Permits(1, 2);
    if (what.ends_with(":2of2")) options.permits = Permits(2, 2);
    if (what.ends_with(":stays")) options.at_least = held_at_least;
    options.stop = stop;
    chance_.seed(seed);
    while (!stop.stop_requested()) {
      write(record(RecordKind::waits));
      if (what.ends_with(":set")) {
        visit_both(lock, options, stop);
      } else if (what.ends_with(":leads")) {
        lead(lock, options, stop);
      } else {
        visit(lock, options, stop);
      }
      pause(milliseconds{between(0, 30)}, stop);
    }
  }

 private:
  void visit(const std::string& lock, const LockOptions& options, const std::stop_token& stop) {
    AcquireResult acquired = client_.acquire(lock, options);
    if (const Error* error = acquired.error()) return fail(*error, stop);
    if (!acquired) return;
    Guard& guard = *acquired;
    const auto release = [&] { return guard.release(); };
    enter(guard);
    if (forked_ != forks_) fork_inside(guard);
    live_through(guard, release, options.at_least, stop);
  }
  // This lock and another one, for which nobody else contends by itself. Only this one is recorded.
  void visit_both(const std::string& lock,
                  const LockOptions& options,
                  const std::stop_token& stop) {
    AcquireAllResult acquired = client_.acquire_all({lock, lock + "-too"}, options);
    if (const Error* error = acquired.error()) return fail(*error, stop);
    if (!acquired) return;
    GuardSet& guards = *acquired;
    const Guard& guard = *guards.find(lock);
    enter(guard);
    const auto release = [&] { return guards.release(); };
    live_through(guard, release, options.at_least, stop);
  }

  void lead(const std::string& lock, const LockOptions& options, const std::stop_token& stop) {
    Election election(client_, *LockName::parse(lock), options);
    AcquireResult acquired = election.campaign(std::to_string(worker_));
    const Error* const error = acquired.error();
    // It had the lock, and could not say so: then it does not lead.
    if (error != nullptr && is_out_of_reach(*error)) return pause(milliseconds{50}, stop);
    if (error != nullptr) return fail(*error, stop);
    if (!acquired) return;
    Guard leading = *std::move(acquired);
    enter(leading);
    const auto resign = [&] { return election.resign(std::move(leading)); };
    live_through(leading, resign, options.at_least, stop);
  }

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(chance_() % static_cast<std::uint64_t>(most - least + 1));
  }
  // Mostly short, so that there are many; some long enough to be renewed.
  Duration section_length() {
    const std::int64_t kind = between(0, 9);
    if (kind < 6) return milliseconds{between(1, 10)};
    if (kind < 9) return milliseconds{between(20, 100)};
    return milliseconds{between(700, 1200)};
  }
  static void pause(Duration length, const std::stop_token& stop) {
    const TimePoint until = local_now() + length;
    while (local_now() < until && !stop.stop_requested()) {
      std::this_thread::sleep_for(std::min<Duration>(until - local_now(), milliseconds{5}));
    }
  }

  void fail(const Error& error, const std::stop_token& stop) {
    if (error.code() == Errc::cancelled) return;
    Record failed = record(RecordKind::failed);
    failed.detail = static_cast<std::int32_t>(error.code());
    error.detail().copy(failed.why.data(), failed.why.size() - 1);
    write(failed);
    pause(milliseconds{50}, stop);
  }

  void enter(const Guard& guard) {
    Record entered = record(RecordKind::entered, guard);
    entered.sent = entered.certain_until - SafetyMargin().certain_lifetime(guard.ttl()).count();
    entered_ = TimePoint(Duration(entered.at));
    write(entered);
  }

  void live_through(const Guard& guard,
                    const std::function<Result<ReleaseOutcome>()>& release,
                    Duration at_least,
                    const std::stop_token& stop) {
    const TimePoint end = local_now() + section_length();
    const Duration overslept = work_until(end, guard, stop);
    Record left = record(RecordKind::left, guard);
    left.overslept = overslept.count();
    // The lease first, as anybody would look at it; the reason is told by the loop.
    const bool lost = guard.state() == LeaseState::lost;
    if (lost && !is_told(guard)) write(record(RecordKind::untold, guard));
    if (lost) left.detail = static_cast<std::int32_t>(guard.loss().value_or(LossReason()));
    write(left);
    const Result<ReleaseOutcome> outcome = release();
    Record released = record(RecordKind::released);
    const bool stays =
        at_least > Duration::zero() && outcome && *outcome == ReleaseOutcome::released;
    const TimePoint stays_until = entered_ + at_least - late_entry;
    if (stays) released.certain_until = stays_until.time_since_epoch().count();
    write(released);
  }

  // The child leaves the section as the parent will, and may do nothing by that.
  void fork_inside(Guard& guard) {
    forked_ = forks_;
    const pid_t child = ::fork();
    if (child == 0) {
      const auto released = guard.release();
      const AcquireResult another = client_.try_acquire("of-a-child");
      const bool refused = !released && released.error().code() == Errc::forked &&
                           another.error() != nullptr && another.error()->code() == Errc::forked;
      { const Guard gone = std::move(guard); }
      ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
    if (child > 0 && status == 0) return;
    Record failed = record(RecordKind::failed);
    failed.detail = static_cast<std::int32_t>(Errc::forked);
    const std::string_view why = "a child of its does more than nothing";
    why.copy(failed.why.data(), failed.why.size() - 1);
    write(failed);
  }

  Duration work_until(TimePoint end, const Guard& guard, const std::stop_token& stop) {
    constexpr milliseconds slice{5};
    Duration overslept{0};
    std::int64_t beaten = 0;
    for (TimePoint now = local_now();
         (now < end || is_told_to_last() || lasting_) && !stop.stop_requested();) {
      if (guard.state() == LeaseState::lost) break;
      std::this_thread::sleep_for(now < end ? std::min<Duration>(slice, end - now) : slice);
      const TimePoint woken = local_now();
      overslept = std::max<Duration>(overslept, woken - now - slice);
      now = woken;
      const Record beat = record(RecordKind::beats, guard);
      if (beat.certain_until != beaten) write(beat);
      beaten = beat.certain_until;
    }
    return overslept;
  }

  // The order has come, and the thread that takes it has not run yet: on a busy machine a section
  // that is to outlast its lease would end before.
  static bool is_told_to_last() {
    sigset_t pending;
    ::sigpending(&pending);
    return sigismember(&pending, SIGUSR1) == 1;
  }

  // A bound against hanging, not a measure.
  static bool is_told(const Guard& guard) {
    const TimePoint give_up = local_now() + std::chrono::seconds{20};
    while (!guard.lost_token().stop_requested()) {
      if (local_now() > give_up) return false;
      std::this_thread::sleep_for(milliseconds{1});
    }
    return true;
  }

  Record record(RecordKind kind) const {
    Record made;
    made.kind = kind;
    made.worker = worker_;
    made.contender = number_;
    made.detail = not_lost;
    made.at = count(local_now());
    return made;
  }
  Record record(RecordKind kind, const Guard& guard) const {
    Record made = record(kind);
    made.certain_until = count(guard.certain_until());
    made.fencing = guard.fencing().value();
    return made;
  }
  void write(const Record& record) const {
    // Nobody reads any more: the process that started this one is gone.
    if (::write(pipe_, &record, sizeof record) != sizeof record) std::_Exit(1);
  }

  Client& client_;
  const std::atomic<bool>& lasting_;
  const std::atomic<int>& forks_;
  int forked_ = 0;
  TimePoint entered_{};
  const int pipe_;
  const std::uint16_t worker_;
  const std::uint8_t number_;
  std::mt19937_64 chance_;
};

int work(const std::vector<std::string>& words) {
  const auto backend = redis::backend(words[0]);
  if (!backend) {
    std::fprintf(stderr, "fault_worker: %s\n", backend.error().detail().c_str());
    return 64;
  }
  const int pipe = std::stoi(words[1]);
  const auto number = static_cast<std::uint16_t>(std::stoul(words[2]));
  const std::uint64_t seed = std::stoull(words[3]);
  const Ttl ttl{milliseconds{std::stol(words[4])}};

  Client client(*backend);
  std::stop_source stop;
  std::atomic<bool> lasting = false;
  std::atomic<int> forks = 0;
  std::vector<std::jthread> threads;
  for (std::size_t each = 5; each < words.size(); ++each) {
    const auto contender = static_cast<std::uint8_t>(each - 5);
    threads.emplace_back(
        [&client, &stop, &lasting, &forks, &words, pipe, number, contender, each, ttl, seed] {
          Contender(client, lasting, forks, pipe, number, contender)
              .run(words[each], ttl, seed * 1000 + number * 10 + contender, stop.get_token());
        });
  }
  // Blocked since before this program began, so that none comes too early.
  sigset_t orders;
  sigemptyset(&orders);
  for (const int each : {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}) sigaddset(&orders, each);
  for (int order = 0; order != SIGTERM; sigwait(&orders, &order)) {
    if (order == SIGHUP) {
      ++forks;
    } else {
      lasting = order == SIGUSR1;
    }
  }
  stop.request_stop();
  threads.clear();
  return 0;
}

}  // namespace
}  // namespace interlock::test

int main(int count, char** words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  if (count < 7) {
    std::fprintf(stderr, "usage: fault_worker STORE PIPE NUMBER SEED TTL_MS CONTENDER...\n");
    return 64;
  }
  return interlock::test::work(std::vector<std::string>(words + 1, words + count));
}
