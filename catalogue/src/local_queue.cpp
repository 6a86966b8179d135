#include "interlock/sim/catalogue/local_queue.hpp"

#include <algorithm>
#include <map>

#include "interlock/detail/number.hpp"
#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "watched_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

QueuePolicy queue_policy(const HandOverPolicy& hand_over) {
  QueuePolicy policy = simulated_queue_policy();
  policy.fencing_block = hand_over.sections;
  return policy;
}

std::int64_t number(TimePoint time) {
  return time.time_since_epoch().count();
}

// Which of the process's tokens it is: `il1:A3/fair` and a wake-up channel of its name are of the
// third of A.
std::int64_t number(const std::string& token) {
  const std::size_t mark = token.find(OwnerToken::mark);
  if (mark == std::string::npos) return 0;
  const std::size_t from = token.find_first_of("0123456789", mark + OwnerToken::mark.size());
  if (from == std::string::npos) return 0;
  std::string_view rest = std::string_view(token).substr(from);
  return detail::take_number<std::int64_t>(rest).value_or(0);
}

// The store, and a look at what is asked of it: a protocol gives up after some lost answers, and
// what a waiter claims with does not show while it waits for a message.
class SeenStore final : public KeyValueStore {
 public:
  explicit SeenStore(KeyValueStore& store) : store_(store) {}
  Submitted submit(PendingOperation& pending) override {
    const Operation& operation = pending.operation();
    if (operation.kind == OperationKind::run) {
      owner = number(operation.arguments.front());
      ++sent[owner];
      // Another thread may release meanwhile; its token is not the one of the claim.
      if (operation.script->name().find("claim") != std::string::npos) asks_with = owner;
    } else if (operation.kind == OperationKind::subscribe) {
      wake_up = number(operation.key.text());
      busy();
    } else if (operation.kind == OperationKind::await_message) {
      busy();
    }
    return store_.submit(pending);
  }
  // How much was sent, by owner token: one thread may release while another one claims.
  std::map<std::int64_t, int> sent;
  std::int64_t owner = 0;
  std::int64_t asks_with = 0;
  std::int64_t wake_up = 0;
  bool was_told_busy = false;

 private:
  // Only after such an answer does it listen: that try is over.
  void busy() {
    was_told_busy = true;
    sent.erase(asks_with);
  }
  KeyValueStore& store_;
};

// A mutex that keeps its grant.
class SimulatedKeptGrant final : public KeptGrant {
 public:
  Lease lease() const { return grant->after(section()); }
  std::optional<Lease> grant;  // as the store or another caller gave it
  TimePoint until;
};

// What the threads of a process share.
class QueueingProcess {
 public:
  QueueingProcess(Client& me, const LocalQueueOptions& options)
      : store(me.store()),
        protocol(store, me.time(), SafetyMargin(), queue_policy(options.policy)),
        watched(protocol, me.time()),
        client(store, watched, me.time(), me.tokens(), nullptr, simulated_wait_policy()),
        queues(options.policy),
        queue(queues, me.time()) {}

  SeenStore store;
  QueueLock protocol;
  WatchedLock watched;
  LockClient client;
  LocalQueues queues;
  LocalQueueClient queue;
  bool is_held(TimePoint now) const {
    return std::any_of(inside.begin(), inside.end(),
                       [&](const Lease& lease) { return lease.state(now) != LeaseState::lost; });
  }
  std::vector<Lease> inside;  // of sections that go on
  FencingToken greatest;
  const std::shared_ptr<SimulatedKeptGrant> kept = std::make_shared<SimulatedKeptGrant>();
  std::optional<Channel> recalled_on;  // set if its threads keep their grants
  std::optional<SubscriptionId> listens;
  int threads_left = 0;
  int asked = 0;  // as many owner tokens were drawn
};

class Thread final : public LocalWaiter {
 public:
  Thread(Client& me, QueueingProcess& process, const LocalQueueThread& with)
      : LocalWaiter(with.ttl, nullptr, with.keeps ? process.kept : nullptr),
        me_(me),
        process_(process) {}
  void notify() override { wake(me_.time()); }
  Task<Result<AcquireOutcome>> acquire_at_store(LockName name, AcquireOptions options) override {
    asked = true;
    process_.watched.forget();
    process_.store.was_told_busy = false;
    ++process_.asked;
    std::string mark(process_.protocol.owner_mark());
    if (keeps_grants()) mark = detail::keep_mark_with(*process_.recalled_on) + mark;
    const OwnerToken owner = me_.tokens().fresh_with(mark);
    Result<AcquireOutcome> outcome = co_await process_.client.acquire(name, owner, options);
    process_.watched.forget();
    process_.store.sent.erase(process_.store.asks_with);
    co_return outcome;
  }
  Task<Result<ReleaseOutcome>> release_at_store(Lease lease) override {
    const std::int64_t owner = number(lease.owner().text());
    process_.store.sent.erase(owner);
    Result<ReleaseOutcome> outcome = co_await process_.client.release(lease);
    process_.store.sent.erase(owner);
    co_return outcome;
  }
  bool asked = false;

 private:
  Client& me_;
  QueueingProcess& process_;
};

// All that decides what a thread does next and that does not show in what it waits for.
class ThreadProgress {
 public:
  std::int64_t began = 0;  // matters only to a wait with a limit
  int sections_left = 0;
  int phase = 0;
  int joined = 0;  // the how manieth of its process
  std::shared_ptr<Thread> thread;
  std::optional<Lease> lease;
  TimePoint hand_over_until;
};

class ProcessState {
 public:
  ProcessState(Client& me, const LocalQueueOptions& options) : process(me, options) {}
  mutable QueueingProcess process;
  std::vector<ThreadProgress> threads;
  int joined = 0;

  std::vector<std::int64_t> memory() const {
    std::vector<std::int64_t> values = process.watched.remembers();
    values.insert(values.end(), {process.store.owner, process.store.asks_with,
                                 process.store.wake_up, process.store.was_told_busy ? 1 : 0,
                                 static_cast<std::int64_t>(process.inside.size()),
                                 static_cast<std::int64_t>(process.greatest.value()),
                                 process.queues.sections_left(*LockName::parse(lease_lock_name)),
                                 static_cast<std::int64_t>(process.store.sent.size())});
    remember_kept(values);
    for (const auto& [owner, count] : process.store.sent) {
      values.insert(values.end(), {owner, count});
    }
    for (const ThreadProgress& one : threads) {
      values.insert(values.end(), {one.began, one.sections_left, one.phase});
      values.push_back(one.thread && one.thread->asked ? 1 : 0);
      values.push_back(waiting_before(one));
      if (!one.lease) continue;
      values.push_back(number(one.lease->owner().text()));
      values.push_back(number(one.lease->sent()));
      values.push_back(static_cast<std::int64_t>(one.lease->fencing().value()));
      values.push_back(one.lease->reserved());
      values.push_back(number(one.lease->certain_until()));
    }
    return values;
  }

 private:
  void remember_kept(std::vector<std::int64_t>& values) const {
    if (!process.recalled_on) return;
    const SimulatedKeptGrant& kept = *process.kept;
    values.insert(values.end(), {kept.is_open() ? 1 : 0, kept.is_kept() ? 1 : 0,
                                 kept.was_taken() ? 1 : 0, kept.section(), number(kept.until),
                                 process.threads_left, process.listens ? 1 : 0});
    for (const ThreadProgress& one : threads) {
      values.push_back(one.thread && process.queues.was_recalled(*one.thread) ? 1 : 0);
    }
    values.push_back(process.asked);
    if (!kept.grant) return;
    values.insert(values.end(), {number(kept.grant->owner().text()), number(kept.grant->sent()),
                                 static_cast<std::int64_t>(kept.grant->fencing().value()),
                                 kept.grant->reserved()});
  }
  // 0: it does not wait.
  std::int64_t waiting_before(const ThreadProgress& one) const {
    std::int64_t before = 0;
    for (const ThreadProgress& other : threads) {
      if (waits(one) && waits(other) && other.joined <= one.joined) ++before;
    }
    return before;
  }
  bool waits(const ThreadProgress& one) const {
    return one.thread && process.queues.turn_of(*one.thread) == LocalWaiter::Turn::waits;
  }
};

Task<void> look(Client& me, Lease lease) {
  const Result<std::optional<std::string>> value = co_await me.store().get(lock_key(lease.name()));
  const bool mine = value && *value && **value == lease.owner().text();
  const bool certain = lease.state(me.time().now()) != LeaseState::lost;
  me.reach(broken_queue::lease_truth, value && certain && !mine);
}

Task<void> section(Client& me,
                   QueueingProcess* process,
                   ThreadProgress* self,
                   LocalQueueThread with,
                   LocalQueueOptions options) {
  const Lease lease = *self->lease;
  if (lease.state(me.time().now()) != LeaseState::lost) {
    const bool overlaps = process->is_held(me.time().now()) && options.store_keeps_keys;
    me.reach(broken_queue::overlap, overlaps);
    me.reach(broken_queue::same_token, lease.fencing() <= process->greatest);
    process->greatest = lease.fencing();
  }
  process->inside.push_back(lease);
  me.reach(broken_queue::other_ttl, lease.ttl() != with.ttl);
  if (!self->thread->asked) {
    if (options.tells) me.reach(handed_over);
    me.reach(broken_queue::old_lease, me.time().now() >= lease.renewal_due());
  }
  me.enter(lease_lock_name, lease.fencing(), lease.certain_until());
  if (options.looks) co_await look(me, lease);
  co_await me.write(lease_lock_resource, lease.fencing());
  if (with.stays > Duration::zero()) {
    const TimePoint until = me.time().now() + with.stays;
    const TimePoint handed_over_until = std::min(until, self->hand_over_until);
    co_await me.time().sleep_until(handed_over_until);
    if (options.watched && handed_over_until < until) {
      static_cast<void>(process->queue.stop_handing_over(lease));
    }
    co_await me.time().sleep_until(until);
  }
  self->phase = 2;
  co_await me.leave(lease_lock_name);
  std::erase_if(process->inside,
                [&](const Lease& other) { return other.fencing() == lease.fencing(); });
}

// The grant was kept, and is this task's now.
Task<void> give_back(Client* me, QueueingProcess* process, LocalQueueThread with) {
  const auto releases = std::make_shared<Thread>(*me, *process, with);
  const Lease lease = process->kept->lease();
  static_cast<void>(co_await process->queue.release(releases, lease));
}

// Between two sections, while the grant is kept.
Task<void> rest(Client* me,
                QueueingProcess* process,
                ThreadProgress* self,
                LocalQueueThread with,
                bool watched) {
  const Lease lease = process->kept->lease();
  const TimePoint until = process->kept->until;
  const bool is_last = self->sections_left == 1;
  TimePoint wakes = me->time().now() + with.rests;
  if (is_last || (watched && until < wakes)) wakes = until;
  co_await me->time().sleep_until(wakes);
  const bool is_over = me->time().now() >= until;
  if (!is_over || !(watched || is_last)) co_return;
  if (process->queue.stop_handing_over(lease)) co_await give_back(me, process, with);
}

// True: the section has begun.
Task<bool> begin_with_kept(Client* me,
                           QueueingProcess* process,
                           ThreadProgress* self,
                           LocalQueueThread with) {
  using Begins = KeptGrant::Begins;
  const Begins begins = process->kept->begin_section(me->time().now());
  if (begins == Begins::too_late) co_await give_back(me, process, with);
  if (begins != Begins::in_time) co_return false;
  me->reach(begun_with_kept);
  self->lease = process->kept->lease();
  self->hand_over_until = process->kept->until;
  co_return true;
}

Task<bool> begin_by_acquiring(QueueingProcess* process,
                              ThreadProgress* self,
                              LocalQueueThread with,
                              bool takes_offers) {
  const LockName name = *LockName::parse(lease_lock_name);
  AcquireOptions options(with.ttl);
  options.wait = with.wait;
  options.takes_offers = takes_offers;
  const auto waiter = self->thread;
  const Result<AcquireOutcome> outcome = co_await process->queue.acquire(waiter, name, options);
  const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (lease == nullptr) co_return false;
  self->lease = *lease;
  self->hand_over_until = waiter->hand_over_until();
  if (with.keeps) {
    process->kept->grant = *lease;
    process->kept->until = self->hand_over_until;
  }
  co_return true;
}

Task<void> work(Client& me, ProcessState* state, std::size_t number_of, LocalQueueOptions all) {
  const LocalQueueThread with = all.threads[number_of];
  QueueingProcess& process = state->process;
  ThreadProgress& self = state->threads[number_of];
  if (with.comes_after > Duration::zero()) {
    const TimePoint comes = me.time().now() + with.comes_after;
    co_await me.time().sleep_until(comes);
  }
  for (self.sections_left = with.sections; self.sections_left > 0; --self.sections_left) {
    if (with.wait) self.began = number(me.time().now());
    self.thread = std::make_shared<Thread>(me, process, with);
    self.joined = ++state->joined;
    self.phase = 0;
    bool holds = false;
    if (with.keeps) holds = co_await begin_with_kept(&me, &process, &self, with);
    if (!holds) holds = co_await begin_by_acquiring(&process, &self, with, all.takes_offers);
    if (!holds) continue;
    self.phase = 1;
    co_await section(me, &process, &self, with, all);
    self.phase = 3;
    if (with.keeps && process.kept->keep()) {
      self.lease.reset();
      co_await rest(&me, &process, &self, with, all.watched);
      continue;
    }
    static_cast<void>(co_await process.queue.release(self.thread, *self.lease));
    self.lease.reset();
  }
  self.thread.reset();
  self.phase = 4;
  if (--process.threads_left > 0 || !process.listens) co_return;
  static_cast<void>(co_await me.store().interrupt(*process.listens));
}

// Runs as long as the process has threads that work. Uses the client's own store, and not the one
// that records the requests of waiters.
Task<void> hear_recalls(Client& me, QueueingProcess* process) {
  while (process->threads_left > 0) {
    const Result<bool> heard =
        co_await me.store().await_message(*process->listens, TimePoint::max());
    if (!heard) break;
    if (!*heard) continue;
    for (const auto& kept : process->queues.stop_keeping_all(LocalQueues::Recall::now)) {
      static_cast<void>(kept);  // the process has one
      me.reach(recalled);
      const LocalQueueThread any;
      co_await give_back(&me, process, any);
    }
  }
  process->listens.reset();
}

// By then every thread has been served.
Task<void> look_back(Client& me, ProcessState* state) {
  const TimePoint later = me.time().now() + std::chrono::seconds{3};
  co_await me.time().sleep_until(later);
  if (!state->process.inside.empty()) co_return;
  for (const ThreadProgress& one : state->threads) {
    me.reach(broken_queue::left_waiting, one.phase == 0);
  }
  const LockName name = *LockName::parse(lease_lock_name);
  const Result<std::optional<std::string>> value = co_await me.store().get(lock_key(name));
  me.reach(broken_queue::left_behind, value && *value);
}

// Before its threads begin, so that its subscription has the same number in each run.
Task<void> listen(Client& me, QueueingProcess* process) {
  const Channel channel = *process->recalled_on;
  const Result<SubscriptionId> subscribed = co_await me.store().subscribe(channel);
  if (!subscribed) co_return;
  process->listens = *subscribed;
  me.spawn("recalls", hear_recalls(me, process));
}

Task<void> run_process(Client& me, LocalQueueOptions options) {
  ProcessState state(me, options);
  state.threads.resize(options.threads.size());
  me.remembers([&state] { return state.memory(); });
  state.process.threads_left = static_cast<int>(options.threads.size());
  const auto keeps = [](const LocalQueueThread& thread) { return thread.keeps; };
  if (std::any_of(options.threads.begin(), options.threads.end(), keeps)) {
    state.process.recalled_on = detail::wake_up_channel_of(me.tokens().fresh());
    if (options.is_recalled) co_await listen(me, &state.process);
  }
  for (std::size_t one = 0; one < options.threads.size(); ++one) {
    me.spawn("thread " + std::to_string(one + 1), work(me, &state, one, options));
  }
  if (options.alone) co_await look_back(me, &state);
  co_await me.joined();
}

}  // namespace

LocalQueueOptions::LocalQueueOptions() : threads(2) {
  policy.sections = 2;
  policy.within = std::chrono::hours{1};  // so that the lease decides
}

Program local_queue_process(LocalQueueOptions options) {
  return [=](Client& me) { return run_process(me, options); };
}

Scenario local_queue_scenario(std::size_t processes,
                              LocalQueueOptions options,
                              std::size_t instants) {
  Scenario scenario("local-queue");
  scenario.clients(processes, local_queue_process(options)).instants(instants);
  require_lease_promises(scenario);
  for (const char* broken :
       {broken_queue::overlap, broken_queue::same_token, broken_queue::lease_truth,
        broken_queue::old_lease, broken_queue::other_ttl, broken_queue::left_waiting,
        broken_queue::left_behind}) {
    scenario.require(never(broken));
  }
  return scenario;
}

}  // namespace interlock::sim::catalogue
