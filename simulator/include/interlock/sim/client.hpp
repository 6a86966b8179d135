// The interface of a simulated process to its world. Programs are ordinary coroutines over the
// interfaces of core; the production protocols run here unchanged.
//
// Threads: every object of the simulator (Scenario, Simulation, Game, Run, ...) is for one thread
// at a time, and so is each call of a search. Separate searches may run on separate threads. A
// search starts no threads; Limits::team lends it some.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/detail/pending.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"
#include "interlock/token_source.hpp"

namespace interlock::sim {

class Client;

enum class PendingStepKind : std::uint8_t { leave, write, loop_head, joined };

// What a client learns of its write to a protected resource. It converts to `true` if the resource
// has answered that it accepted the write, and to `false` if it has refused the write, or if no
// answer has come (Fault::lost_write, Fault::late_write). Then the write may still be accepted.
class WriteAnswer {
 public:
  static constexpr std::int64_t missing = -1;
  // For the simulator: 1, 0 or `missing`.
  explicit WriteAnswer(std::int64_t answer) : answer_(answer) {}

  operator bool() const noexcept { return answer_ == 1; }  // NOLINT(google-explicit-constructor)
  // Whether an answer has come.
  bool is_known() const noexcept { return answer_ != missing; }

 private:
  std::int64_t answer_;
};

// A wait for the simulated world that is no store operation.
class PendingStep : public detail::Pending {
 public:
  PendingStep(PendingStepKind of, std::string on) : kind(of), subject(std::move(on)) {}

  // For the simulator: the answer. Runs the waiting coroutine.
  void complete(std::int64_t answer) {
    answer_ = answer;
    waiting_.resume();
  }

  PendingStepKind kind;
  std::string subject;  // a lock's or resource's name, or the label of a loop
  std::uint64_t fencing = 0;
  std::vector<std::int64_t> live;

 protected:
  std::coroutine_handle<> waiting_;
  std::int64_t answer_ = 0;
};

// Awaiting one takes a step of the run, except at a loop head, which takes none.
template <class T>
class [[nodiscard]] StepAwaiter : public PendingStep {
 public:
  StepAwaiter(Client& client,
              PendingStepKind of,
              std::string on,
              FencingToken with = {},
              std::vector<std::int64_t> alive = {})
      : PendingStep(of, std::move(on)), client_(client) {
    fencing = with.value();
    live = std::move(alive);
  }
  bool await_ready() const noexcept { return false; }
  inline void await_suspend(std::coroutine_handle<> coroutine,
                            detail::SourceLine line = detail::SourceLine::here());
  T await_resume() const { return static_cast<T>(answer_); }

 private:
  Client& client_;
};

// Which of a client's clocks an instant is measured by. Fault says how each clock may go wrong.
enum class OwnClock : std::uint8_t {
  time,        // Client::time()
  wall_clock,  // Client::wall_clock()
};

// A process must be deterministic and must not share memory with others: all that it learns comes
// through this object. The search runs it many times; after the same answers it must make the same
// requests.
//
// No time passes between two waits: in each round of a loop a process must await something that has
// not come yet, or the scenario is `invalid`.
//
// A task that waits must not be destroyed, nor awaited after Task::start(), before its answer has
// come: the scenario would be `invalid`. Start further tasks by spawn().
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  // All that a process can learn comes from these. Servers are counted from 0; a number that the
  // scenario does not have makes it `invalid`. time() never jumps, but Fault::drift can slow it
  // down; wall_clock() may also be set (Fault::clock_jump, Fault::clock_back).
  virtual KeyValueStore& store(std::size_t server = 0) = 0;
  virtual TimeSource& time() = 0;
  virtual TimeSource& wall_clock() = 0;
  virtual TokenSource& tokens() = 0;

  // Starts a further task of this process and runs it up to its first wait. At most 14 tasks of a
  // process may wait at the same time; with more the scenario is `invalid`.
  virtual void spawn(std::string name, Task<void> task) = 0;
  // Waits until every spawned task is done. All that the tasks use must live that long. Only for
  // the main task: a spawned one would wait for itself, and the scenario would be `invalid`.
  StepAwaiter<void> joined() { return {*this, PendingStepKind::joined, ""}; }

  // From now on this client believes that it holds `lock`, and acts on it. Takes no step of its
  // own: the belief begins with the answer that grants the lock.
  virtual void enter(std::string lock, FencingToken fencing = {}) = 0;
  // The same, with a belief that ends by itself: from `until` on, by the client's own clock, it no
  // longer counts as a holder, whether it has reached leave() or is paused. For a lease of core:
  // `enter(lock, lease.fencing(), lease.certain_until())`. Only lease_exclusion() uses that end;
  // for every other property the client is inside until it leaves.
  void enter(std::string lock,
             FencingToken fencing,
             TimePoint until,
             OwnClock by = OwnClock::time) {
    enter(lock, fencing);
    believes_until(std::move(lock), until, by);
  }
  // Moves the end of that belief, because the lease has been renewed. Does nothing while the client
  // is not inside, and takes no step. (Other implementations of Client may ignore it.)
  virtual void believes_until(std::string, TimePoint, OwnClock = OwnClock::time) {}
  // From now on this client waits for `lock`, until it enters it, gives up or ends: see
  // every_waiter_acquires(). wants() and gives_up() take no step.
  virtual void wants(std::string lock) = 0;
  virtual void gives_up(std::string lock) = 0;
  // The section is over. The search may delay this step as long as it likes, so a client can be
  // paused even in a section with nothing but leave() in it.
  StepAwaiter<void> leave(std::string lock) {
    return {*this, PendingStepKind::leave, std::move(lock)};
  }
  // Writes to a protected resource. False: the resource checks fencing tokens, and has seen a
  // greater one; or no answer has come, which only Fault::lost_write and Fault::late_write bring
  // about.
  StepAwaiter<WriteAnswer> write(std::string resource, FencingToken fencing) {
    return {*this, PendingStepKind::write, std::move(resource), fencing};
  }

  // A number in [0, bound), bound at least 1; each occurs in some run, as a branch of the search.
  // tokens().below() is the same. All choices between two waits together may have at most 1024
  // branches; with more the scenario is `invalid`. See JitterAtItsEnds.
  virtual std::uint64_t choose(std::uint64_t bound) = 0;

  // Promises that the process depends from here on only on `live`, and on nothing else of its past.
  // The search then merges runs that come here with the same values. Takes no step. It has no
  // effect while other tasks of the process are alive. At its end the search checks the promise:
  // what follows the first run that came here must follow the others as well, and also one that has
  // come back 256 times. If the check finds a counter, a flag or a time that was left out, the
  // scenario is `invalid`. The check cannot prove that nothing was left out, so the verdict names
  // the promise in Verdict::trusts. Only the values count, and not the place: two loop heads with
  // the same values are the same point, so give the heads of different loops different numbers.
  // What cannot be told in numbers, such as a token or a text that was read, cannot be told here.
  template <class... Numbers>
  StepAwaiter<void> loop_head(Numbers... live) {
    return {*this, PendingStepKind::loop_head, "loop", FencingToken(),
            std::vector<std::int64_t>{static_cast<std::int64_t>(live)...}};
  }

  // Promises that from now on the process depends only on what it waits for and since when, on the
  // errors that it got, and on the numbers that `memory` returns. The search then merges runs that
  // agree in these, at every step and with any number of tasks. It calls `memory` between steps,
  // until the main task is done, and checks the promise as that of loop_head().
  virtual void remembers(std::function<std::vector<std::int64_t>()> memory) = 0;

  // Marks a goal of Scenario::sometimes as reached, or reports an event that never() forbids.
  // `happened` false: the program has checked for the event, and it has not happened. Report this,
  // too. If no program reports anything about an event in any run, never() of it is proved, as it
  // would be for a misspelt event; the verdict then names it in Verdict::trusts. An event that no
  // never() and no sometimes() names makes the scenario `invalid`.
  virtual void reach(std::string event, bool happened = true) = 0;

  // Sets a ghost variable of this client (also called an auxiliary variable): a number for
  // properties and readers alone, which no program can read. Takes no step: it has its new value
  // when the client has come to its next wait, and keeps that after the client has ended or
  // crashed; one that begins again (Fault::client_restart) has none. Each client has variables of
  // its own, and ClientView::ghosts shows them. States that differ in a ghost variable are
  // different states, so a variable that grows in each round of a loop makes the search infinite.
  // Under identical clients its value must not depend on which of them this is; where time has no
  // end, not on what time it is. (Other implementations of Client may ignore it.)
  virtual void note(std::string, std::int64_t) {}

  // An operation begins on an object that the programs implement together, such as a counter in the
  // store: for linearizable(). Takes no step, and no program can read it. The operation has begun
  // when the client takes its next step, and before that if time passes: until then the client
  // could as well not have called it yet. A client has at most one operation on an object at a
  // time, whichever of its tasks calls it; else the scenario is `invalid`. Under identical clients
  // an argument must not depend on which of them this is. (Other implementations of Client may
  // ignore these three.)
  virtual void invokes(std::string /*object*/,
                       std::string /*operation*/,
                       std::optional<std::int64_t> /*argument*/ = std::nullopt) {}
  // The client's operation on the object ends with this result; none: it returns nothing.
  virtual void returns(std::string /*object*/,
                       std::optional<std::int64_t> /*result*/ = std::nullopt) {}
  // The client does not learn how its operation has ended, as after Errc::indeterminate: it may
  // have taken effect, may do so at any time to come, or never.
  virtual void leaves_open(std::string /*object*/) {}

 private:
  template <class T>
  friend class StepAwaiter;
  friend class JitterAtItsEnds;
  virtual void submit(PendingStep& step) = 0;
  virtual void cut_jitter() {}
};

// A TokenSource for production code that draws jitter, in microseconds or finer: of the numbers in
// [0, bound) it draws only the first and the last. A number between them ends at the same instant
// as one of the two, or is found with instants that are closer together. The verdict says that the
// search rests on this (Verdict::trusts). It must outlive the code that draws from it.
class JitterAtItsEnds final : public TokenSource {
 public:
  explicit JitterAtItsEnds(Client& client) : client_(client) {}
  OwnerToken fresh() override { return client_.tokens().fresh(); }
  std::uint64_t below(std::uint64_t bound) override {
    if (bound <= 2) return client_.choose(bound);
    client_.cut_jitter();
    return client_.choose(2) == 0 ? 0 : bound - 1;
  }

 private:
  Client& client_;
};

// Makes the coroutine of one process. Called once for each replay.
using Program = std::function<Task<void>(Client& client)>;

template <class T>
void StepAwaiter<T>::await_suspend(std::coroutine_handle<> coroutine, detail::SourceLine line) {
  begun_at(line);
  waiting_ = coroutine;
  client_.submit(*this);
}

}  // namespace interlock::sim
