#include "contenders.hpp"

#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "../raw_locks.hpp"
#include "interlock/client.hpp"
#include "interlock/flawed/source_locks.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/system_token_source.hpp"

namespace interlock::load {
namespace {

[[noreturn]] void give_up_with(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::_Exit(70);
}

void sleep_for(Duration time) {
  timespec left{};
  left.tv_sec = time / std::chrono::seconds{1};
  left.tv_nsec = std::chrono::nanoseconds(time % std::chrono::seconds{1}).count();
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// --- the locks of this library -------------------------------------------------------------------

class Production final : public Contender {
 public:
  Production(const Target& target, bool fair)
      : client_(*redis::backend(target.url)), name_(*LockName::parse(target.lock)) {
    options_.fair = fair;
  }

  bool acquire(TimePoint give_up) override {
    options_.wait = std::max(Duration{0}, give_up - local_now());
    AcquireResult result = client_.acquire(name_, options_);
    if (!result) {
      if (local_now() < give_up) give_up_with("not acquired: " + result.why_not());
      return false;
    }
    guard_.emplace(std::move(*result));
    return true;
  }
  void release() override {
    const auto released = guard_->release();
    if (!released) give_up_with("not released");
    guard_.reset();
  }

 private:
  Client client_;
  LockName name_;
  LockOptions options_;
  std::optional<Guard> guard_;
};

// --- the source locks ----------------------------------------------------------------------------

// All clients are processes of one machine, so that this clock is the same for all of them: clocks
// that differ are not what is measured here.
class LocalTime final : public TimeSource {
 public:
  TimePoint now() override { return local_now(); }
  bool park(PendingSleep& sleep) override {
    const Duration left = sleep.until() - local_now();
    if (left > Duration::zero()) sleep_for(left);
    return false;
  }
  void wake(PendingSleep&) override {}
};

class SourceContender final : public Contender {
 public:
  SourceContender(const Target& target, const flawed::SourceLock& source, Duration pause)
      : store_((*redis::backend(target.url))->open()),
        lock_(source.make(*store_, time_)),
        name_(*LockName::parse(target.lock)),
        ttl_(source.usual_ttl),
        pause_(pause) {}

  bool acquire(TimePoint give_up) override {
    flawed::Polling how(pause_);
    how.wait = give_up - local_now();
    const Result<AcquireOutcome> outcome =
        run(flawed::acquire_by_polling(lock_.get(), &time_, name_, tokens_.fresh(), ttl_, how));
    if (!outcome) give_up_with(std::string(lock_->id()) + ": " + outcome.error().detail());
    const Lease* lease = std::get_if<Lease>(&*outcome);
    if (lease == nullptr) return false;
    lease_ = *lease;
    return true;
  }
  void release() override {
    const Result<ReleaseOutcome> released = run(lock_->release(*lease_));
    if (!released) give_up_with(std::string(lock_->id()) + ": " + released.error().detail());
  }

 private:
  std::unique_ptr<KeyValueStore> store_;
  LocalTime time_;
  SystemTokenSource tokens_;
  std::unique_ptr<LockProtocol> lock_;
  LockName name_;
  Ttl ttl_;
  Duration pause_;
  std::optional<Lease> lease_;
};

// --- plain hiredis -------------------------------------------------------------------------------

class Plain final : public Contender {
 public:
  Plain(const Target& target, Duration pause)
      : redis_(redisConnect(target.host.c_str(), target.port)),
        name_(target.lock),
        owner_(SystemTokenSource().fresh().text()),
        pause_(pause) {}

  bool acquire(TimePoint give_up) override {
    while (!lock_.try_acquire(name_, owner_)) {
      if (local_now() >= give_up) return false;
      if (pause_ > Duration::zero()) sleep_for(pause_);
    }
    return true;
  }
  void release() override { lock_.release(name_, owner_); }

 private:
  benchmark::RawRedis redis_;
  benchmark::PlainLock lock_{redis_};
  std::string name_;
  std::string owner_;
  Duration pause_;
};

std::string pause_text(Duration pause) {
  if (pause == Duration::zero()) return "no pause";
  return std::to_string(pause / milliseconds{1}) + " ms";
}

// The pause of the source. If its language turned 0.3 s into no pause, this gives the 0.3 s.
Duration usual_pause(const flawed::SourceLock& source) {
  const Duration pause = source.usual_polling.pause;
  return pause > Duration::zero() ? pause : Duration(milliseconds{300});
}

}  // namespace

std::vector<ContenderKind> kinds(bool repaired) {
  std::vector<ContenderKind> all;
  for (const bool fair : {false, true}) {
    all.push_back(
        {fair ? "queue-lock" : "lease-lock", "messages", "interlock",
         [fair](const Target& target) { return std::make_unique<Production>(target, fair); }});
  }
  for (const Duration pause : {Duration{0}, Duration(milliseconds{10})}) {
    all.push_back(
        {"SET NX PX, hiredis", pause_text(pause), "hiredis",
         [pause](const Target& target) { return std::make_unique<Plain>(target, pause); }});
  }
  for (const flawed::SourceLock& source : flawed::source_locks()) {
    if (!source.repairs.empty() && !repaired) continue;
    for (const Duration pause : {Duration{0}, usual_pause(source)}) {
      all.push_back({std::string(source.id), pause_text(pause),
                     source.repairs.empty() ? "source" : "repaired",
                     [&source, pause](const Target& target) {
                       return std::make_unique<SourceContender>(target, source, pause);
                     }});
    }
  }
  return all;
}

}  // namespace interlock::load
