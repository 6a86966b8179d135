#include "interlock/election.hpp"

#include <mutex>
#include <utility>

#include "blocking_time.hpp"
#include "client_core.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock {
namespace {

std::string of_election(const LockName& name) {
  return " '" + name.text() + "'";
}

LockOptions for_election(LockOptions options) {
  // No caller of the same client is handed the grant: a leader has said something under its own.
  options.whole_ttl = true;
  // One leads.
  options.shared = false;
  options.permits.reset();
  return options;
}

Error not_led(const LockName& name) {
  return {Errc::unavailable, "campaigning for '" + name.text() +
                                 "': the lock was lost before its holder could be proclaimed"};
}

Error name_was_moved_from(const char* what) {
  return {Errc::invalid_argument, what + std::string(" an election whose name was moved from: give "
                                                     "the Election what the name moved to")};
}

Error moved_from() {
  return {Errc::invalid_argument,
          "an election: the guard was moved from: give the one that it moved to"};
}

// Whether the leader was proclaimed, after some try; else why not.
std::optional<Error> why_not_led(const LockName& name, const Result<OwnerCheck>& said) {
  if (!said) return said.error();
  if (*said != OwnerCheck::done) return not_led(name);
  return std::nullopt;
}

}  // namespace

class Election::ElectionStores {
 public:
  ElectionStores(Backend& backend, LockName name) : backend_(backend), name_(std::move(name)) {}
  ~ElectionStores() {
    if (observer_) run(observer_->end());
  }
  ElectionStores(const ElectionStores&) = delete;
  ElectionStores& operator=(const ElectionStores&) = delete;

  // Runs a task over a blocking store. Any thread.
  template <class Ask>
  auto ask(const Ask& question) {
    const std::lock_guard lock(mutex_);
    if (!store_) store_ = backend_.open();
    return run(question(*store_));
  }

  // For one thread: the store of the observer and it.
  KeyValueStore& observed() {
    if (!observed_) {
      observed_ = backend_.open();
      observer_.emplace(*observed_, time_, name_);
    }
    return *observed_;
  }
  LeaderObserver& observer() { return *observer_; }

  // For the loop's thread.
  std::shared_ptr<LeaderObserver> on_loop(KeyValueStore& store, EventLoop& loop) {
    if (!on_loop_) on_loop_ = std::make_shared<LeaderObserver>(store, loop, name_);
    return on_loop_;
  }
  std::shared_ptr<LeaderObserver> take_on_loop() { return std::exchange(on_loop_, nullptr); }

 private:
  Backend& backend_;
  const LockName name_;
  std::mutex mutex_;  // guards store_
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  std::unique_ptr<KeyValueStore> observed_;
  std::optional<LeaderObserver> observer_;
  std::shared_ptr<LeaderObserver> on_loop_;
};

Election::Election(Client& client, LockName name, LockOptions options)
    : core_(client.core_),
      name_(std::move(name)),
      options_(for_election(std::move(options))),
      stores_(std::make_unique<ElectionStores>(client.core_->backend(), name_)) {}

Election::Election(Client& client, std::string_view name, LockOptions options)
    : Election(client, value_or_throw(LockName::parse(name)), std::move(options)) {}

Election::~Election() {
  if (core_->in_child()) {
    posix::leave_behind(std::move(stores_));
    return;
  }
  const auto end = [](std::shared_ptr<LeaderObserver> observer) -> Task<void> {
    co_await observer->end();
  };
  const BlockingCalls::Call call(core_->calls());
  // The client's end closes the connection of the loop.
  if (!call.may_release()) return;
  if (auto observer = stores_->take_on_loop()) core_->spawn_own(end(std::move(observer)));
}

std::optional<Error> Election::refuses_to_block(const char* what) const {
  if (core_->in_child()) return posix::used_in_child(what + of_election(name_), "its client");
  if (name_.text().empty()) return name_was_moved_from(what);
  if (!core_->loop().on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + of_election(name_) +
                   ": a blocking call on the client's own loop: co_await the one that ends in "
                   "_async there");
}

std::optional<Error> Election::refuses_task(const char* what) const {
  if (core_->in_child()) return posix::used_in_child(what + of_election(name_), "its client");
  if (name_.text().empty()) return name_was_moved_from(what);
  if (core_->loop().on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + of_election(name_) +
                   ": a task of the client's was started outside of its loop: start it by spawn() "
                   "or wait_for()");
}

std::optional<Error> Election::refuses_value(const std::string& value) const {
  if (value.size() <= Leader::value_max) return std::nullopt;
  return Error(Errc::invalid_argument,
               "an election of '" + name_.text() + "': a value of " + std::to_string(value.size()) +
                   " bytes: choose one of at most " + std::to_string(Leader::value_max));
}

// --- to lead -------------------------------------------------------------------------------------

AcquireResult Election::campaign(std::string value) {
  if (auto error = refuses_value(value)) return *std::move(error);
  AcquireResult acquired = core_->acquire(name_, options_);
  if (!acquired) return acquired;
  if (auto error = why_not_led(name_, say(*acquired, std::move(value)))) {
    acquired->waive_at_least();
    static_cast<void>(acquired->release());
    return *std::move(error);
  }
  return acquired;
}

Task<AcquireResult> Election::campaign_async(std::string value) {
  if (auto error = refuses_value(value)) co_return *std::move(error);
  AcquireResult acquired = co_await core_->acquire_async(name_, options_);
  if (!acquired) co_return acquired;
  const Result<OwnerCheck> said =
      co_await say_on_loop(Leader(acquired->owner(), acquired->fencing(), std::move(value)));
  if (auto error = why_not_led(name_, said)) {
    acquired->waive_at_least();
    static_cast<void>(co_await acquired->release_async());
    co_return *std::move(error);
  }
  co_return acquired;
}

Task<Result<OwnerCheck>> Election::say_on_loop(Leader leader) {
  return interlock::proclaim(core_->store().of_loop(), name_, std::move(leader));
}

Result<OwnerCheck> Election::say(const Guard& leading, std::string value) {
  const Leader leader(leading.owner(), leading.fencing(), std::move(value));
  return stores_->ask(
      [&](KeyValueStore& store) { return interlock::proclaim(store, name_, leader); });
}

// Why nothing can be said under this guard.
std::optional<Error> Election::refuses_guard(const Guard& leading) const {
  if (leading.fencing() == FencingToken()) return moved_from();
  if (leading.name() == name_) return std::nullopt;
  return Error(Errc::invalid_argument, "the guard of '" + leading.name().text() +
                                           "' is no leadership of '" + name_.text() + "'");
}

Result<OwnerCheck> Election::proclaim(const Guard& leading, std::string value) {
  if (auto error = refuses_to_block("proclaiming the leader of")) return *std::move(error);
  if (auto error = refuses_guard(leading)) return *std::move(error);
  if (auto error = refuses_value(value)) return *std::move(error);
  if (leading.state() == LeaseState::lost) return OwnerCheck::other;
  return say(leading, std::move(value));
}

namespace {

Task<Result<OwnerCheck>> answer(Result<OwnerCheck> with) {
  co_return with;
}

}  // namespace

Task<Result<OwnerCheck>> Election::proclaim_async(const Guard& leading, std::string value) {
  if (auto error = refuses_task("proclaiming the leader of")) return answer(*std::move(error));
  if (auto error = refuses_guard(leading)) return answer(*std::move(error));
  if (auto error = refuses_value(value)) return answer(*std::move(error));
  if (leading.state() == LeaseState::lost) return answer(OwnerCheck::other);
  return say_on_loop(Leader(leading.owner(), leading.fencing(), std::move(value)));
}

// Whether its release ends the leadership, which other guards of the grant may go on with.
bool Election::is_last(const Guard& leading) {
  return leading.state() != LeaseState::lost && !leading.held_->is_shared();
}

Result<ReleaseOutcome> Election::resign(Guard leading) {
  if (core_->in_child()) return leading.release();
  if (auto error = refuses_to_block("resigning from")) return *std::move(error);
  if (auto error = refuses_guard(leading)) return *std::move(error);
  // If it fails, the value is left, and tells nobody anything once the lock is released.
  if (is_last(leading)) {
    static_cast<void>(stores_->ask(
        [&](KeyValueStore& store) { return interlock::withdraw(store, name_, leading.owner()); }));
  }
  return leading.release();
}

Task<Result<ReleaseOutcome>> Election::resign_async(Guard leading) {
  if (auto error = refuses_task("resigning from")) co_return *std::move(error);
  if (auto error = refuses_guard(leading)) co_return *std::move(error);
  if (is_last(leading)) {
    KeyValueStore& store = core_->store().of_loop();
    static_cast<void>(co_await interlock::withdraw(store, name_, leading.owner()));
  }
  co_return co_await leading.release_async();
}

// --- to observe ----------------------------------------------------------------------------------

namespace {

Task<Result<std::optional<Leader>>> look(KeyValueStore& store, LockName name) {
  BlockingTime unused;  // it does not wait
  LeaderObserver observer(store, unused, std::move(name));
  co_return co_await observer.look();
}

Task<void> interrupt(KeyValueStore& store, SubscriptionId subscription) {
  static_cast<void>(co_await store.interrupt(subscription));
}

class OneAtATime {
 public:
  explicit OneAtATime(std::atomic<bool>& busy) : busy_(busy), is_first_(!busy.exchange(true)) {}
  ~OneAtATime() {
    if (is_first_) busy_ = false;
  }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;
  explicit operator bool() const noexcept { return is_first_; }

 private:
  std::atomic<bool>& busy_;
  const bool is_first_;
};

Error asked_twice(const LockName& name) {
  return {Errc::invalid_argument, "asking who leads '" + name.text() +
                                      "': another call is waiting for the next leader: make an "
                                      "Election for each observer"};
}

Error was_cancelled() {
  return {Errc::cancelled, "asking who leads: the wait was cancelled"};
}

}  // namespace

Result<std::optional<Leader>> Election::leader() {
  if (auto error = refuses_to_block("asking who leads")) return *std::move(error);
  return stores_->ask([&](KeyValueStore& store) { return look(store, name_); });
}

Task<Result<std::optional<Leader>>> Election::leader_async() {
  if (auto error = refuses_task("asking who leads")) co_return *std::move(error);
  co_return co_await look(core_->store().of_loop(), name_);
}

Result<std::optional<Leader>> Election::next_leader(std::stop_token stop) {
  if (auto error = refuses_to_block("asking who leads")) return *std::move(error);
  const OneAtATime mine(observes_);
  if (!mine) return asked_twice(name_);
  const BlockingCalls::Call call(core_->calls());
  if (!call) return was_cancelled();
  KeyValueStore& store = stores_->observed();
  LeaderObserver& observer = stores_->observer();
  const Result<SubscriptionId> subscribed = run(observer.subscribe());
  if (!subscribed) return subscribed.error();
  const auto wake_up = [&] { run(interrupt(store, *subscribed)); };
  const std::stop_callback on_stop(stop, wake_up);
  const std::stop_callback on_close(core_->calls().close_token(), wake_up);
  while (!stop.stop_requested() && call) {
    const Result<bool> is_new = run(observer.wait(TimePoint::max()));
    if (!is_new) return is_new.error();
    if (*is_new) return observer.leader();
  }
  return was_cancelled();
}

Task<Result<std::optional<Leader>>> Election::next_leader_async(std::stop_token stop) {
  if (auto error = refuses_task("asking who leads")) co_return *std::move(error);
  const OneAtATime mine(observes_on_loop_);
  if (!mine) co_return asked_twice(name_);
  EventLoop& loop = core_->loop();
  KeyValueStore& store = core_->store().of_loop();
  const std::shared_ptr<LeaderObserver> observer = stores_->on_loop(store, loop);
  const Result<SubscriptionId> subscribed = co_await observer->subscribe();
  if (!subscribed) co_return subscribed.error();
  const SubscriptionId which = *subscribed;
  const std::stop_callback on_stop(
      stop, [&] { loop.post([&store, which, observer] { run(interrupt(store, which)); }); });
  while (!stop.stop_requested()) {
    const Result<bool> is_new = co_await observer->wait(TimePoint::max());
    if (!is_new) co_return is_new.error();
    if (*is_new) co_return observer->leader();
  }
  co_return was_cancelled();
}

}  // namespace interlock
