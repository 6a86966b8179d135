// Locks as programs use them: blocking calls, and awaitables on an event loop.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "interlock/event_loop.hpp"
#include "interlock/events.hpp"
#include "interlock/guard.hpp"
#include "interlock/guard_set.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/permits.hpp"
#include "interlock/policies.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class Backend;  // interlock/store/backend.hpp

// How a client works. Each field has a range, and so have those of the policies; no client is made
// if a value is outside of its range.
class ClientOptions {
 public:
  SafetyMargin margin;       // how much sooner than its ttl a lease ends for its holder
  WaitPolicy wait_policy;    // how often waiters ask, and how long a store may be away
  QueuePolicy queue_policy;  // of fair locks
  // Handing over, for fair locks with renewal and waiting. Callers of this client that want the
  // same lock form a local queue. One of them asks the store, and a release hands the grant over to
  // the next caller without a command; in the store's queue the client has one place. Other
  // processes then wait for a burst of short sections instead of for one section: by default for at
  // most 48, one for each caller that was in the local queue when the store granted the lock, the
  // last begun within 50 ms. `hand_over.sections = 1` turns it off: each caller then has a place of
  // its own. docs/adr/0006.
  HandOverPolicy hand_over;
  // How long release() waits for the store, 1 ms to 365 days. A release before the first renewal is
  // due runs on the caller's own connection and is bounded by that store's limits instead: on Redis
  // up to three times its connect and command timeouts, on SQLite 10 s if the file stays locked. If
  // the store did not answer, release() returns an error, and the client's loop repeats the release
  // until the store has answered or the lease has certainly ended. ~Client waits for that, and for
  // the answers to the releases of guards that were dropped, at most until this limit has passed
  // since the loop took the last release over.
  Duration release_limit = std::chrono::seconds{5};
  // How many connections blocking calls may have of their own, 0 to 65536. Further callers use the
  // connection of the loop, which takes any number at once, at the cost of a change of threads.
  std::size_t connections_max = 32;
  // A connection of a blocking call is closed when it was idle for this time (1 ms to 365 days), or
  // up to half as long again. On a store without an event loop (SQLite, memory) each waiter that
  // listens has a thread and a connection, which end by the same limit, except those that are kept
  // for the next fair wait (WaitPolicy::idle_wake_up_channels).
  Duration connection_idle_limit = std::chrono::seconds{30};
  // Must outlive the client; called on any thread. Null: events are dropped.
  EventSink* events = nullptr;
  // False: the client starts no thread; the program turns its loop, on one of its own event loops,
  // in two lines: docs/event-loops.md. The thread that makes the client, or the one that called
  // loop().turn() last, is the loop's. (A store without an event loop, which SQLite and memory are,
  // has threads of its own all the same.)
  bool own_thread = true;
  // An event loop of the program's on whose thread the client is to run, which turns it by itself:
  // as with own_thread = false. Only its watch() is used, once. Must outlive the client, which is
  // made and destroyed on its thread, or while it does not run. Null: none.
  Reactor* reactor = nullptr;

  // `invalid_argument`: the first field that is out of its range, with value and range.
  std::optional<Error> wrong() const;
};

// How one lock is acquired and held.
class LockOptions {
 public:
  LockOptions() = default;  // makes the class no aggregate: see vocabulary.hpp
  explicit LockOptions(Ttl lasts) : ttl(lasts) {}

  // How long the store keeps the lock without a renewal. A renewal is due after every third of it.
  // `invalid_argument`: ClientOptions::margin leaves nothing of it; the default one needs 6 ms.
  Ttl ttl{std::chrono::seconds{30}};
  // How long to wait while another client holds the lock. None: for ever. Zero or less: one try,
  // which takes as long as the store's limits allow: with Redis at most six times its connect and
  // command timeouts (12 s by default), usually less than a millisecond. A wait beyond the clock's
  // last instant has no end. WaitPolicy::outage_limit (10 s) bounds how long the store may be away.
  std::optional<Duration> wait;
  // A request to stop ends the wait: the result is `cancelled`.
  std::stop_token stop;
  // True: first come, first served, by protocol `queue-lock`. Waiters queue at the store, and a
  // release offers the lock to the first (see also ClientOptions::hand_over). A section that had to
  // wait costs two commands, however many wait; see also `enters_by_offer`. False: protocol
  // `lease-lock`, which keeps no queue at the store, and costs up to a tenth less while nobody
  // waits. There all waiters try anew at each release (a thundering herd, if there are many), and
  // one of them may wait for ever. Both exclude each other on one name, but callers that do not
  // queue may overtake those that do.
  bool fair = true;
  // True: for a reader, protocol `shared-lock`. Readers have the lock together, and exclude all who
  // want it alone. Both queue in one order, so `fair` has no effect: a reader that comes while
  // somebody waits for the lock alone waits behind that one. All readers that have the lock
  // together have one fencing token, which is greater than those of the writers before and smaller
  // than those of the writers after: a resource that refuses tokens smaller than the greatest it
  // has seen is safe from stale readers and writers. Nobody is handed a lease by another caller of
  // this client, and each reader has a place of its own. docs/kinds-of-locks.md.
  bool shared = false;
  // So many permits of so many, protocol `permit-lock`: several have the lock together while there
  // are permits for all of them. They are served in the order in which they came, also one that
  // wants many; `fair` has no effect. Each has a fencing token of its own. Readers, and who wants
  // the lock alone, are excluded. `invalid_argument`: those that have permits now say that there is
  // another number of them; or `shared` is set, too.
  std::optional<Permits> permits;
  // False: the lease is not renewed and ends after its ttl, which is reported like any other loss.
  bool renew = true;
  // For how long the lock stays held from its grant on, also if its guard ends sooner (but see
  // Guard::waive_at_least). Zero: until the release. At most 365 days, and in a store with a
  // quarantine at most its longest ttl; else `invalid_argument`. If the process or the client ends
  // first, the lock ends with its ttl. No caller of this client is handed it before its time is
  // over, and a waiter may enter up to 5 s later. Jobs that try once: docs/once-per-period.md.
  Duration at_least{0};
  // True: a waiter may enter by the message of its offer, without the command that confirms it. A
  // section that had to wait then costs two commands instead of three, and begins a round trip
  // earlier. Its lease begins with what is left of the offer: at least half of the claim window of
  // the client that made it (or of the ttl, if that is shorter), less the safety margin; 245 ms by
  // default. A renewal gives it the whole ttl after 10 ms, or, while other callers of this client
  // wait to be handed it, after ClientOptions::hand_over's 50 ms. If the store goes away before
  // that (a failover, say), a section that is not over when the offer ends is lost, and its
  // holder is notified. Has an effect on fair locks that are renewed, and on stores whose messages
  // have a text (Redis, memory). False: waiters confirm their offer first, with a third command.
  // docs/adr/0008.
  bool enters_by_offer = true;
  // True: the lease has its whole ttl when it begins, whatever the other options say. The caller
  // then enters by no offer, and no caller of its client hands it a grant. A lease without renewal
  // always has its whole ttl.
  bool whole_ttl = false;
  // What the holder tells people of itself: why it holds the lock, for whom, by which command. Part
  // of its owner token, so `interlock status` shows it while it holds the lock, and everybody may
  // read it who may read the store: no passwords. Others get it by HolderNote::of(busy->holder), in
  // interlock/holder_note.hpp.
  // Nobody is handed the lock by another caller of this client then, nor are grants kept, because
  // those have one owner. `invalid_argument`: more than HolderNote::bytes_max bytes, which is 256.
  std::string note;
};

// What with_lock() did.
class [[nodiscard]] SectionResult {
 public:
  // True only if the section ran, and the lock was held from before it began until it had ended.
  explicit operator bool() const noexcept {
    return ran && !released_early && !loss && !busy && !error;
  }

  bool ran = false;  // the section was called
  // The section ran and released the lock itself, by its guard or by another guard to which it
  // moved that one. False if that other guard still lives: then the lock stays held.
  bool released_early = false;
  std::optional<LossReason> loss;  // the section ran, and the lock was lost meanwhile
  std::optional<Busy> busy;    // it did not run: somebody else held the lock until the wait ended
  std::optional<Error> error;  // it did not run

  // For people: which of these it was, as AcquireResult::why_not() says it. Empty if all was well.
  std::string why_not() const;
};

namespace detail {
// Keeps the object whose call makes the task until the task has ended.
template <class T, class MakesTask>
Task<T> run_kept(MakesTask makes_task) {
  co_return co_await makes_task();
}
template <class T>
T result_of_task(Task<T> task);  // names T alone
}  // namespace detail

// Acquires locks in one store. One client for each process and store is enough: any number of
// threads may use it. An acquire that is granted at once and its release cost two round trips on a
// connection of the calling thread, without a change of threads; waiting and renewal happen on the
// client's one loop.
//
// After a fork(), _Fork() or clone() the client is the parent's. In the child its calls answer
// `forked`, or throw it if they have no Result; its destructor returns at once, sends nothing and
// uses no descriptor of the parent. Make a new client in the child. After fork() it can have the
// same Backend; after _Fork() or clone() it needs a new one, because the system does not notify the
// old one, which answers `forked` there and keeps its descriptors open until exec. If the parent
// had SQLite open, a new backend for SQLite answers `forked`, too, until exec. A child that shares
// its parent's memory (vfork()) cannot be distinguished from it, and must call nothing of this
// class. A child that was forked on the client's loop (in a task, or a callback of lost_token())
// must end by exec or _exit(): returning to the loop ends it with a message.
//
// If memory runs out, a call throws std::bad_alloc. A lock that it was granted, or was to release,
// ends with its ttl. But the process ends if memory runs out on the loop, in a destructor, or where
// another waiter has to be notified. pthread_cancel() in a call may end the process.
class Client {
 public:
  // `unavailable`: the system has no descriptor or no thread left. `invalid_argument`: `backend` is
  // null, or an option is out of its range. Sends nothing to the store.
  static Result<std::unique_ptr<Client>> open(std::shared_ptr<Backend> backend,
                                              ClientOptions options = {});
  // As open(), but throws LockFailure with those errors.
  explicit Client(std::shared_ptr<Backend> backend, ClientOptions options = {});
  // Ends the waits of other threads' calls and of acquire_then() with `cancelled`, and refuses new
  // ones in the same way. Then waits for the tasks of spawn() and wait_for(), however long they
  // take (after 10 s a line on standard error says so). An acquire_async() in such a task is not
  // cancelled: if it waits for the lock of a guard, that guard must end on another thread. Until
  // the tasks have ended, guards are renewed, and one that ends is released, on whichever thread.
  // Waits last for calls and releases that are under way; a store that does not answer delays this
  // by release_limit and by its own limits. Guards that are left then are lost. Must not be called
  // on the client's own loop: that ends the process with a message; but on a loop without a thread
  // it must be called on the loop's thread, or when nobody turns the loop any more: it then turns
  // the loop by itself for as long as it waits. Must not be called in an event that is reported
  // inside a call of this client either: it would wait for that call for ever.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // --- blocking ----------------------------------------------------------------------------------
  // Waits as long as the options say. `unavailable`: the store was out of reach for
  // WaitPolicy::outage_limit, or when the wait was over. `indeterminate`: a claim was not answered,
  // and the lock may be held in this caller's name until its ttl ends. `rejected`: the store
  // refused it. `cancelled`: LockOptions::stop, or the client is being destroyed.
  // `invalid_argument`: called on the client's own loop, the name was moved from, or an option is
  // out of its range. `forked`: see above.
  AcquireResult acquire(const LockName& name, LockOptions options = {});
  // One try: ignores LockOptions::wait.
  AcquireResult try_acquire(const LockName& name, LockOptions options = {});
  // `invalid_argument` for a name that LockName::parse refuses.
  AcquireResult acquire(std::string_view name, LockOptions options = {});
  AcquireResult try_acquire(std::string_view name, LockOptions options = {});
  // The same with LockOptions::shared, and with LockOptions::permits.
  AcquireResult acquire_shared(std::string_view name, LockOptions options = {});
  AcquireResult acquire_permits(std::string_view name, Permits permits, LockOptions options = {});
  // Several names are for acquire_all(); without this, two would be taken for the ends of one text.
  AcquireResult acquire(std::initializer_list<std::string_view> names,
                        LockOptions options = {}) = delete;
  AcquireResult try_acquire(std::initializer_list<std::string_view> names,
                            LockOptions options = {}) = delete;

  // All of these locks, or none: for work on several things at once. In whatever order callers name
  // their locks, they do not wait for each other in a circle. While a lock is busy, the caller
  // waits in its queue with nothing in hand. But a caller that has some of its locks waits
  // for the others, whose names come later, for 50 ms in all. Then it gives back what it has,
  // begins anew, and waits twice as long, up to 5 s. A name that is given twice counts once. The
  // options hold for each lock, except that `wait` is for all together, and that `at_least` counts
  // only once all are held. Events and metrics count each lock by itself, also those that are given
  // back. A wait of zero tries each lock once. Costs as many acquires and releases as there are
  // locks, one after the other. Not promised: that a caller gets its locks if they are always busy
  // and their queues together are longer than 5 s, or if others take them without queueing. Errors:
  // as of acquire(), and nothing is held; with several names the text names the lock. Also
  // `invalid_argument`: no name is given; `unavailable`: a lease ended while the others were
  // acquired, and the wait was over; all were given back. docs/adr/0012.
  AcquireAllResult acquire_all(std::initializer_list<std::string_view> names,
                               LockOptions options = {});
  AcquireAllResult acquire_all(const std::vector<std::string>& names, LockOptions options = {});
  AcquireAllResult acquire_all(std::vector<LockName> names, LockOptions options = {});

  // Makes the guard of a lock that is held alone that of a reader. In between nobody else has the
  // lock, and the readers that wait in front of all others may enter. The lease has its whole ttl
  // again, and another owner and fencing token. The guard that is given holds nothing then. If the
  // result holds no guard, the lock is not held any more. busy(): the lease was lost before, and
  // the holder is empty if nobody has the lock now. error(): the store did not answer. But
  // `invalid_argument`, and the guard is as before: it holds nothing, or is that of a reader, of
  // permits or of another client, or another guard of its grant is there (Guard::share); or this is
  // called on the client's loop. There is no way back without a release: two readers that both wait
  // to become writers would wait for each other.
  AcquireResult downgrade(Guard&& guard);

  // Runs `section(guard)` while holding the lock. If the section throws, the lock is released and
  // the exception passes on. An empty `section` ends the process with a message.
  SectionResult with_lock(std::string_view name,
                          const std::function<void(Guard&)>& section,
                          LockOptions options = {});
  SectionResult with_lock(std::initializer_list<std::string_view> names,
                          const std::function<void(Guard&)>& section,
                          LockOptions options = {}) = delete;

  // --- coroutines, on the client's loop ----------------------------------------------------------
  // As acquire(); `invalid_argument` if called elsewhere than on the client's loop.
  Task<AcquireResult> acquire_async(LockName name, LockOptions options = {});
  // `name` is copied before this returns.
  Task<AcquireResult> acquire_async(std::string_view name, LockOptions options = {});
  // As downgrade(), but a guard that is refused is released. `invalid_argument` if called elsewhere
  // than on the client's loop.
  Task<AcquireResult> downgrade_async(Guard guard);
  // As acquire_all(). GCC 12 wants `names` to be a variable: it refuses to compile a list in an
  // awaiting expression.
  Task<AcquireAllResult> acquire_all_async(std::vector<LockName> names, LockOptions options = {});

  // --- callbacks, for programs with an event loop of their own -----------------------------------
  // Acquires, and calls `done` with the result: once, on the client's loop, also for an error. It
  // must be short, and usually posts the result to the caller's loop. This returns at once and
  // sends nothing itself. Errors as of acquire(); also `unavailable`: memory ran out. If `done`
  // throws, the exception goes where that of a task of spawn() goes. Any thread. In a child of
  // fork(): throws LockFailure, and `done` is not called. An empty `done` ends the process with a
  // message. For Asio there is interlock/asio.hpp.
  void acquire_then(std::string_view name,
                    LockOptions options,
                    std::function<void(AcquireResult)> done);
  // Releases a guard of this client in the same way; the result is as of Guard::release(). A guard
  // that is dropped is released too, but on the thread that drops it: see ~Guard.
  void release_then(Guard guard, std::function<void(Result<ReleaseOutcome>)> done);

  // Starts a task on the loop. Any thread. An exception of the task goes to the event sink, or, if
  // there is none, to standard error; the loop goes on. In a child of fork(): throws LockFailure.
  void spawn(Task<void> task);
  // The same for a coroutine that is a lambda, which is given and not called:
  // `client.spawn([name, &client]() -> Task<void> { ... });`. It lives, with what it has captured
  // by value, until its task has ended.
  template <class MakesTask>
  requires std::is_invocable_v<MakesTask&>
  void spawn(MakesTask coroutine) {
    static_assert(std::is_same_v<std::invoke_result_t<MakesTask&>, Task<void>>,
                  "give spawn() a coroutine: write `-> interlock::Task<void>` behind the "
                  "parameters of the lambda, and co_await or co_return in it");
    spawn(detail::run_kept<void>(std::move(coroutine)));
  }
  // Runs a task on the loop and waits for its result; throws what the task threw. Throws
  // LockFailure in a child of fork(), and if called on the client's own loop.
  template <class T>
  T wait_for(Task<T> task);
  // The same for a lambda, as in spawn().
  template <class MakesTask>
  auto wait_for(MakesTask coroutine) -> decltype(detail::result_of_task(coroutine())) {
    using T = decltype(detail::result_of_task(coroutine()));
    return wait_for(detail::run_kept<T>(std::move(coroutine)));
  }

  // The loop, for sleeping (`co_await client.loop().sleep_until(...)`) and for the user's own work.
  EventLoop& loop() noexcept;

  class [[gnu::visibility("hidden")]] Core;

 private:
  friend class Election;
  friend class Mutex;
  friend class SharedMutex;
  enum class Takes : bool { core };
  Client(Takes, std::shared_ptr<Core> core);
  bool in_child() const noexcept;
  void wait_for_end(Task<void> task);

  std::shared_ptr<Core> core_;
};

namespace detail {
template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>* result) {
  result->emplace(co_await task);
}
}  // namespace detail

template <class T>
T Client::wait_for(Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    wait_for_end(std::move(task));
  } else {
    std::optional<T> result;
    wait_for_end(detail::keep_result(std::move(task), &result));
    return *std::move(result);
  }
}

}  // namespace interlock

#pragma GCC visibility pop
