// What a simulated process sees of its world. Programs are ordinary coroutines over the seam of
// core; the production protocols run here as they are.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
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

// A wait for the simulated world that is not a store operation.
class PendingStep : public detail::Pending {
 public:
  enum class Kind : std::uint8_t { leave, write, loop_head, joined };
  PendingStep(Kind of, std::string on) : kind(of), subject(std::move(on)) {}

  // For the simulator: the answer. Runs the waiting coroutine.
  void complete(std::int64_t answer) {
    answer_ = answer;
    waiting_.resume();
  }

  Kind kind;
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
              Kind of,
              std::string on,
              FencingToken with = {},
              std::vector<std::int64_t> alive = {})
      : PendingStep(of, std::move(on)), client_(client) {
    fencing = with.value();
    live = std::move(alive);
  }
  bool await_ready() const noexcept { return false; }
  inline void await_suspend(std::coroutine_handle<> coroutine);
  T await_resume() const { return static_cast<T>(answer_); }

 private:
  Client& client_;
};

// Which of a client's own clocks an instant is of. Fault says how each may go wrong.
enum class OwnClock : std::uint8_t {
  time,        // Client::time()
  wall_clock,  // Client::wall_clock()
};

// A process must be deterministic, and shares no memory with others: all it learns comes through
// this object. It is run again many times, and must ask the same questions after the same answers.
//
// No time passes between two waits: a loop must await, in each round, something that is still to
// come, or the scenario is `invalid`.
//
// A task of it that waits must not be destroyed, nor awaited after Task::start(), before the answer
// has come: it would be `invalid`. What runs besides the main task is for spawn().
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  // The seam. time() never jumps and wall_clock() may be set: see Fault.
  virtual KeyValueStore& store(std::size_t server = 0) = 0;
  virtual TimeSource& time() = 0;
  virtual TimeSource& wall_clock() = 0;
  virtual TokenSource& tokens() = 0;

  // Starts a second task of this process and runs it up to its first wait.
  virtual void spawn(std::string name, Task<void> task) = 0;
  // Waits until every spawned task is done. What the tasks use must live that long. For the main
  // task: a spawned one would wait for itself, and the scenario would be `invalid`.
  StepAwaiter<void> joined() { return {*this, PendingStep::Kind::joined, ""}; }

  // This client holds `lock` from now on and acts on it. Takes no step of its own: belief begins
  // with the answer that grants.
  virtual void enter(std::string lock, FencingToken fencing = {}) = 0;
  // The same, with a belief that ends by itself: at `until`, and later, by the client's own clock
  // it does not count as a holder any more, whether it has come to leave() or is paused. For a
  // lease of core: `enter(lock, lease.fencing(), lease.certain_until())`. Only lease_exclusion()
  // asks for it; to every other property the client is inside until it leaves.
  void enter(std::string lock,
             FencingToken fencing,
             TimePoint until,
             OwnClock by = OwnClock::time) {
    enter(lock, fencing);
    believes_until(std::move(lock), until, by);
  }
  // The end of that belief is another one from now on: the lease has been renewed. Does nothing
  // while the client is not inside, and takes no step. (No world but the simulator's need keep it.)
  virtual void believes_until(std::string, TimePoint, OwnClock = OwnClock::time) {}
  // This client is a waiter for `lock` from now on, until it enters it, gives up or ends: see
  // every_waiter_acquires(). Both take no step.
  virtual void wants(std::string lock) = 0;
  virtual void gives_up(std::string lock) = 0;
  // The section is over. What comes before it in the program may be delayed at will, so a section
  // with nothing but leave() in it can already be paused.
  StepAwaiter<void> leave(std::string lock) {
    return {*this, PendingStep::Kind::leave, std::move(lock)};
  }
  // Writes to a protected resource. False: the resource checks fencing tokens, and has seen a
  // greater one.
  StepAwaiter<bool> write(std::string resource, FencingToken fencing) {
    return {*this, PendingStep::Kind::write, std::move(resource), fencing};
  }

  // Some number in [0, bound), and each of them in some run: a branch of the search.
  // tokens().below() is the same. All choices between two waits together may go at most 1024 ways;
  // a client that has more makes the scenario `invalid`. See JitterAtItsEnds.
  virtual std::uint64_t choose(std::uint64_t bound) = 0;

  // Promises that from here on nothing of the past matters but `live`. Runs that come here with
  // the same values are then one. Takes no step. It has no effect while other tasks of the process
  // are alive. At the end of a search the promise is checked: what follows the first run that came
  // here must follow the others as well, and also one that has come back 256 times. If that finds a
  // counter, a flag or a time that was left out, the scenario is `invalid`. The check cannot prove
  // that nothing was left out, so the verdict names the promise in Verdict::trusts.
  template <class... Numbers>
  StepAwaiter<void> loop_head(Numbers... live) {
    return {*this, PendingStep::Kind::loop_head, "loop", FencingToken(),
            std::vector<std::int64_t>{static_cast<std::int64_t>(live)...}};
  }

  // Promises that from now on what the process will do depends on nothing but what it waits for,
  // since when, the errors it was told, and the numbers that `memory` gives. Runs that agree in
  // these are then one, at every step and with any number of tasks. Called between steps, until the
  // main task is done. The promise is checked as loop_head's is.
  virtual void remembers(std::function<std::vector<std::int64_t>()> memory) = 0;

  // Marks a goal of Scenario::sometimes as reached, or reports an event that never() forbids.
  // `happened` false: the program has checked for the event, and it has not happened. Report that,
  // too: if no program reports anything of an event in any run, never() of it is proved, but would
  // be for a misspelt event as well, so that the verdict names it in Verdict::trusts.
  virtual void reach(std::string event, bool happened = true) = 0;

 private:
  template <class T>
  friend class StepAwaiter;
  friend class JitterAtItsEnds;
  virtual void submit(PendingStep& step) = 0;
  virtual void cut_jitter() {}
};

// The tokens of a client for production code that draws jitter, in microseconds or finer: of the
// numbers in [0, bound) it draws the first and the last alone. What lies between them ends at the
// same instant as one of the two, or is found with instants that are closer together. The verdict
// says that the search rests on this (Verdict::trusts). Lives as long as who draws from it.
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
void StepAwaiter<T>::await_suspend(std::coroutine_handle<> coroutine) {
  waiting_ = coroutine;
  client_.submit(*this);
}

}  // namespace interlock::sim
