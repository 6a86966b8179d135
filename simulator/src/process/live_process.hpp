// One process that really runs: its coroutines, and the half of the world that is inside it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/client.hpp"
#include "interlock/sim/run.hpp"
#include "process/wait.hpp"

namespace interlock::sim {

// The readings of a process's clocks.
class ClockReading {
 public:
  TimePoint monotonic{};
  TimePoint wall{};
};

enum class MarkKind : std::uint8_t {
  enter,
  believes_until,
  wants,
  gives_up,
  told,
  ghost,
  invokes,
  returns,
  leaves_open
};

// Something that a process did in a step and that took no step of its own.
class Mark {
 public:
  Mark(MarkKind is, std::string of, std::uint64_t with)
      : kind(is), subject(std::move(of)), fencing(with) {}
  Mark(std::string of, TimePoint end, OwnClock clock)
      : kind(MarkKind::believes_until), subject(std::move(of)), until(end), by(clock) {}
  // An operation on an object begins or ends.
  Mark(MarkKind is, std::string of, std::string called, std::optional<std::int64_t> with)
      : kind(is), subject(std::move(of)), operation(std::move(called)), number(with) {}
  MarkKind kind;
  std::string subject;
  std::uint64_t fencing = 0;  // for `told`: 1 if the event has happened; for `ghost`: its value
  TimePoint until{};          // for `believes_until`
  OwnClock by = OwnClock::time;
  std::string operation;               // for `invokes`
  std::optional<std::int64_t> number;  // of `invokes` the argument, of `returns` the result
  friend bool operator==(const Mark&, const Mark&) = default;
};

// One choice: which branch was taken, out of how many.
class Choice {
 public:
  std::uint64_t taken;
  std::uint64_t of;
  friend bool operator==(const Choice&, const Choice&) = default;
};

// Something that a program must not do. What it does from then on means nothing.
class Mistake {
 public:
  std::string what;        // `leaves lock.foo without having entered it`
  std::string what_to_do;  // `call Client::enter first`
};

class LiveProcess final : public Client, private detail::Pending::Observer {
 public:
  enum class LoopHeads : std::uint8_t { stop_at, run_through };
  LiveProcess(const Program& program,
              std::size_t index,
              std::size_t servers,
              LoopHeads loop_heads = LoopHeads::stop_at);
  ~LiveProcess() override;

  // Before it starts: the client has restarted so often. The owner tokens that it draws say so.
  void begin_life(Life life) { life_ = life; }

  // What it waits for, by slot. A task that asks again gets its slot again.
  std::vector<Wait> waits() const;
  std::size_t slots() const { return slots_.size(); }
  const Wait& wait_of(std::size_t slot) const { return slots_[slot].wait; }
  // Where in the sources the task in a slot waits.
  detail::SourceLine line_of(std::size_t slot) const;
  // At which lines its tasks wait now.
  std::vector<TaskLine> lines() const;
  bool done() const;

  // What happened in the last step.
  class StepRecord {
   public:
    std::vector<Mark> marks;
    bool read_monotonic = false;
    bool read_wall = false;
    std::vector<Choice> choices;
    bool cut_jitter = false;
  };
  const StepRecord& last_step() const { return step_; }
  // The first mistake of its author, if there is any.
  const std::optional<Mistake>& mistake() const { return mistake_; }

  // Whether Client::remembers() is in force, and what then stands for the whole past.
  bool has_memory() const { return static_cast<bool>(memory_); }
  std::string memory();

  // Takes one step: gives the answer to the wait of a slot. `branches`: the branch of each choice,
  // in order; further choices take the first branch.
  using Branches = std::vector<std::uint64_t>;
  // Calls the program, which start() does else: it takes the first branch of all choices.
  void make(ClockReading now);
  void start(ClockReading now, Branches branches);
  void answer(std::size_t slot, Reply with, ClockReading now, Branches branches);

  KeyValueStore& store(std::size_t server) override;
  TimeSource& time() override { return monotonic_; }
  TimeSource& wall_clock() override { return wall_; }
  TokenSource& tokens() override { return tokens_; }
  void spawn(std::string name, Task<void> task) override;
  void enter(std::string lock, FencingToken fencing) override;
  void believes_until(std::string lock, TimePoint until, OwnClock by) override;
  void wants(std::string lock) override;
  void gives_up(std::string lock) override;
  std::uint64_t choose(std::uint64_t bound) override;
  void remembers(std::function<std::vector<std::int64_t>()> memory) override;
  void reach(std::string event, bool happened) override;
  void note(std::string ghost, std::int64_t value) override;
  void invokes(std::string object,
               std::string operation,
               std::optional<std::int64_t> argument) override;
  void returns(std::string object, std::optional<std::int64_t> result) override;
  void leaves_open(std::string object) override;

 private:
  class SimulatedStore final : public KeyValueStore {
   public:
    SimulatedStore(LiveProcess& process, std::size_t index) : process_(process), index_(index) {}
    Submitted submit(PendingOperation& pending) override;

   private:
    LiveProcess& process_;
    std::size_t index_;
  };
  class Clock final : public TimeSource {
   public:
    Clock(LiveProcess& process, bool wall) : process_(process), wall_(wall) {}
    TimePoint now() override;
    bool park(PendingSleep& sleep) override;
    void wake(PendingSleep& sleep) override { process_.wake(sleep); }

   private:
    LiveProcess& process_;
    bool wall_;
  };
  class SimulatedTokens final : public TokenSource {
   public:
    explicit SimulatedTokens(LiveProcess& process) : process_(process) {}
    OwnerToken fresh() override;
    std::uint64_t below(std::uint64_t bound) override { return process_.choose(bound); }
    std::uint64_t drawn() const { return drawn_; }

   private:
    LiveProcess& process_;
    std::uint64_t drawn_ = 0;
  };
  class Slot {
   public:
    Wait wait;
    std::int64_t since = 0;  // the clock that was read in the step in which it began to wait
    detail::Pending* pending = nullptr;  // what it waits in: one of the next three
    PendingOperation* operation = nullptr;
    PendingSleep* sleep = nullptr;
    PendingStep* step = nullptr;
  };
  class Ready {
   public:
    Slot slot;
    Reply reply;
  };

  void submit(PendingStep& step) override;
  void gone(const detail::Pending& pending) noexcept override;
  void cut_jitter() override { step_.cut_jitter = true; }
  void blame(std::string what, std::string what_to_do);
  void leave(const std::string& lock);
  void end_call(const std::string& object, const std::string& how);
  void blame_for_throwing(const std::string& who, const std::string& what);
  void check_that_nothing_was_thrown();
  void check_that_it_can_go_on();
  bool goes_round();
  Submitted submit_to(std::size_t server, PendingOperation& pending);
  Submitted interrupt(PendingOperation& pending);
  void wake(PendingSleep& sleep);
  Slot& take_slot(detail::Pending& pending);
  void check_end(const Slot& slot, TimePoint until, TimePoint now);
  std::size_t slots_in_use() const;
  void note_answer(const Slot& slot, const Reply& reply);
  void begin_step(ClockReading now, Branches branches);
  void make();
  void resume(Slot slot, Reply reply);
  void run_until_quiet();
  void note_times();
  std::int64_t time_read_in_step() const;
  void forget_read_times();
  Slot* find(WaitKind kind);
  bool spawned_done() const;

  std::size_t index_;
  Life life_ = 0;
  const Program& program_;
  LoopHeads loop_heads_;
  std::vector<std::unique_ptr<SimulatedStore>> stores_;
  Clock monotonic_{*this, false};
  Clock wall_{*this, true};
  SimulatedTokens tokens_{*this};
  std::vector<Slot> slots_;
  std::deque<Ready> ready_;
  std::vector<SubscriptionId> interrupted_;
  std::function<std::vector<std::int64_t>()> memory_;
  std::string errors_;  // every error that it was told, and when
  bool error_is_new_ = false;
  std::int64_t subscriptions_ = 0;
  std::string task_;  // which task is running
  ClockReading now_;
  Branches branches_;
  StepRecord step_;
  // Which clocks were read since the step began, or since the last loop head in it.
  class TimeRead {
   public:
    bool monotonic = false;
    bool wall = false;
  };
  TimeRead time_read_;
  std::optional<Mistake> mistake_;
  Slot one_too_many_;  // of a task for which there is no slot: nobody answers it
  std::vector<std::pair<std::string, int>> entered_;  // sections, and how often more than left
  std::set<std::string> called_;                      // objects on which an operation is pending
  int answers_at_once_ = 0;                           // in this step
  bool is_made_ = false;
  std::string thrown_when_made_;
  std::optional<Task<void>> main_;
  std::vector<std::pair<std::string, Task<void>>> spawned_;
};

}  // namespace interlock::sim
