// How a client acquires several locks at once. The rules are core's (take_all); here are threads
// and coroutines.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "client_core.hpp"
#include "interlock/client.hpp"
#include "interlock/detail/safe_text.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_set.hpp"

namespace interlock {
namespace {

// None: the wait has no end.
std::optional<TimePoint> end_of(const std::optional<Duration>& wait) {
  const TimePoint now = local_now();
  if (!wait || *wait >= TimePoint::max() - now) return std::nullopt;
  return now + std::max(*wait, Duration::zero());
}

}  // namespace

// The locks of one call, and the guards of those that it has.
class WantedLocks : public LockSet {
 public:
  WantedLocks(Client* client, Client::Core* core, std::vector<LockName> names, LockOptions options)
      : client_(*client),
        core_(*core),
        names_(std::move(names)),
        options_(std::move(options)),
        wait_ends_(end_of(options_.wait)) {
    taken_.reserve(names_.size());
  }
  WantedLocks(const WantedLocks&) = delete;
  WantedLocks& operator=(const WantedLocks&) = delete;
  ~WantedLocks() override { drop(); }

  std::size_t count() const { return names_.size(); }

  // --- for take_all ------------------------------------------------------------------------------
  Task<void> give_back() override {
    drop();
    co_return;
  }
  std::optional<std::size_t> lost() const override {
    for (const GuardInHand& each : taken_) {
      if (each.guard.state() == LeaseState::lost) return each.at;
    }
    return std::nullopt;
  }
  TimePoint now() const override { return local_now(); }
  bool may_wait() const override { return !wait_ends_ || local_now() < *wait_ends_; }

  AcquireAllResult result(TakenSet taken) {
    if (!taken) return std::move(taken).error();
    if (*taken) return AcquireAllResult::BusyLock(names_[(*taken)->at], std::move((*taken)->busy));
    std::sort(taken_.begin(), taken_.end(),
              [](const GuardInHand& one, const GuardInHand& other) { return one.at < other.at; });
    std::vector<Guard> guards;
    guards.reserve(taken_.size());
    for (GuardInHand& each : taken_) guards.push_back(std::move(each.guard));
    GuardSet set(std::move(guards));
    taken_.clear();
    return set;
  }

 protected:
  LockOptions options_for(const std::optional<Duration>& limit) const {
    LockOptions options = options_;
    options.wait = limit;
    if (!wait_ends_) return options;
    const Duration left = std::max(*wait_ends_ - local_now(), Duration::zero());
    options.wait = limit ? std::min(*limit, left) : left;
    return options;
  }
  Result<std::optional<Busy>> keep(std::size_t at, AcquireResult acquired) {
    if (const Error* const error = acquired.error()) return told_of(at, *error);
    if (const Busy* const busy = acquired.busy()) return std::optional(*busy);
    taken_.push_back({at, *std::move(acquired)});
    return std::optional<Busy>();
  }
  // The error does not always say which lock it is about.
  Error told_of(std::size_t at, const Error& error) const {
    if (count() == 1) return error;
    return {error.code(), "'" + names_[at].text() + "': " + error.detail()};
  }
  Client& client() const { return client_; }
  const LockName& name(std::size_t at) const { return names_[at]; }

 private:
  class GuardInHand {
   public:
    std::size_t at;
    Guard guard;
  };

  void drop() noexcept {
    for (; !taken_.empty(); taken_.pop_back()) {
      Guard& guard = taken_.back().guard;
      if (!guard.held_) continue;  // result() moved it away, and then memory ran out
      guard.waive_at_least();      // nothing was done under this lock
      core_.give_back(guard.held_);
      guard.held_.reset();
    }
  }

  Client& client_;
  Client::Core& core_;
  const std::vector<LockName> names_;
  const LockOptions options_;
  const std::optional<TimePoint> wait_ends_;
  std::vector<GuardInHand> taken_;
};

namespace {

class LocksOfThread final : public WantedLocks {
 public:
  using WantedLocks::WantedLocks;
  Task<Result<std::optional<Busy>>> take(std::size_t at, std::optional<Duration> limit) override {
    co_return keep(at, client().acquire(name(at), options_for(limit)));
  }
};

class LocksOfLoop final : public WantedLocks {
 public:
  using WantedLocks::WantedLocks;
  Task<Result<std::optional<Busy>>> take(std::size_t at, std::optional<Duration> limit) override {
    AcquireResult acquired = co_await client().acquire_async(name(at), options_for(limit));
    co_return keep(at, std::move(acquired));
  }
};

// Sorts them and leaves each name once: so all callers agree on the order.
std::optional<Error> put_in_order(std::vector<LockName>& names) {
  if (names.empty()) {
    return Error(Errc::invalid_argument, "acquiring several locks: no name is given");
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return std::nullopt;
}

// What was given is no name yet, and may be long or have control characters.
Error refused(std::string_view text, const Error& error) {
  constexpr std::size_t most = 100;
  return {error.code(), "'" + detail::safe_text(text.substr(0, most)) + "': " + error.detail()};
}

template <class Texts>
Result<std::vector<LockName>> parse_all(const Texts& texts) {
  std::vector<LockName> names;
  names.reserve(texts.size());
  for (const auto& each : texts) {
    Result<LockName> name = LockName::parse(each);
    if (!name) return refused(each, name.error());
    names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace

AcquireAllResult Client::acquire_all(std::vector<LockName> names, LockOptions options) {
  if (auto error = put_in_order(names)) return *std::move(error);
  const BlockingCalls::Call call(core_->calls());  // ends after the locks are given back
  LocksOfThread locks(this, core_.get(), std::move(names), std::move(options));
  return locks.result(run(take_all(locks, locks.count())));
}

AcquireAllResult Client::acquire_all(std::initializer_list<std::string_view> names,
                                     LockOptions options) {
  Result<std::vector<LockName>> parsed = parse_all(names);
  if (!parsed) return std::move(parsed).error();
  return acquire_all(*std::move(parsed), std::move(options));
}

AcquireAllResult Client::acquire_all(const std::vector<std::string>& names, LockOptions options) {
  Result<std::vector<LockName>> parsed = parse_all(names);
  if (!parsed) return std::move(parsed).error();
  return acquire_all(*std::move(parsed), std::move(options));
}

Task<AcquireAllResult> Client::acquire_all_async(std::vector<LockName> names, LockOptions options) {
  if (auto error = put_in_order(names)) co_return *std::move(error);
  LocksOfLoop locks(this, core_.get(), std::move(names), std::move(options));
  TakenSet taken = co_await take_all(locks, locks.count());
  co_return locks.result(std::move(taken));
}

}  // namespace interlock
