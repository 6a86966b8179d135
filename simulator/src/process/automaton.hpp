// A program as a finite automaton, learned lazily: its coroutine is run once for each pair of local
// state and answer, by repeating what led to that state, and never again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/flat_map.hpp"
#include "base/longest.hpp"
#include "process/live_process.hpp"
#include "process/wait.hpp"

namespace interlock::sim {

// What the automata and the tables of the search share, so that numbers mean the same in all.
class Vocabulary {
 public:
  std::uint32_t reply(Reply reply) {
    std::string bytes = encode(reply);
    return replies.add(std::move(reply), std::move(bytes)).first;
  }
  std::uint32_t marks(std::vector<Mark> list);
  std::uint32_t choices(std::vector<Choice> list);
  LiveProcess::Branches branches(std::uint32_t choices) const;

  static constexpr std::uint32_t no_choices = 0;
  static constexpr std::uint32_t no_marks = 0;

  Interner<Reply> replies;
  Interner<std::vector<Mark>> mark_lists;
  Interner<std::vector<Choice>> choice_lists;
};

// The states of a process one instant later, where time has no end: the readings of its clocks are
// counted from the present, and all gaps longer than `longest` are equal.
class Ageing {
 public:
  // A wait of so many instants ends in no scenario, so it equals a wait without end.
  static constexpr int for_ever = 10'000;
  TimePoint first;  // what clocks show at the scenario's beginning
  TimePoint present;
  Duration apart;
  Longest* longest;
};

class ProgramStep;

class Automaton {
 public:
  using Local = std::uint32_t;
  static constexpr Local not_started = 0;
  static constexpr Local done = 1;
  static constexpr std::uint8_t start_slot = 15;

  class LocalStep {
   public:
    Local local;
    std::uint32_t marks;
    std::uint32_t choices;  // a list of the vocabulary
  };
  class LocalSteps {
   public:
    std::vector<LocalStep> results;  // one for each combination of choices
    bool reads_clock = false;
  };

  class Input {
   public:
    std::uint8_t slot = start_slot;
    std::uint32_t reply = 0;
    ClockReading clock;  // zero where a clock was not read
    LiveProcess::Branches branches;
  };

  // `index` is the client whose tokens the program draws here.
  Automaton(const Program& program,
            std::size_t index,
            std::size_t servers,
            std::uint32_t locals_max,
            Vocabulary& vocabulary);

  // Where the program begins after so many restarts of its client. 0: `not_started`.
  Local beginning(Life life);
  bool is_beginning(Local local) const { return beginning_of(local) == local; }
  Local beginning_of(Local local) const { return beginnings_[locals_[local].life]; }
  // How often the client has restarted in a local state other than `done`.
  Life life(Local local) const { return locals_[local].life; }

  // After a failure it has no results.
  const LocalSteps& step(Local local, std::uint8_t slot, std::uint32_t reply, ClockReading now);

  // Wait numbers by slot; 0 means none.
  const std::vector<std::uint32_t>& waits(Local local) const { return locals_[local].waits; }
  const Wait& wait(std::uint32_t id) const { return waits_[id]; }
  // Where in the sources the task in a slot waits, on the first way to the local state.
  detail::SourceLine line(Local local, std::uint8_t slot) const {
    return locals_[local].lines[slot];
  }
  // The differences from the automaton's run with which a run still counts as the same.
  class Comparison {
   public:
    Permutation permutation;  // clients have other names in its answers and requests
    Duration later{0};        // its clocks are ahead by so much
  };
  // Empty: the process waits for what the local state says.
  std::string difference_in_waits(const LiveProcess& process,
                                  Local expected,
                                  const Comparison& how) const;
  bool are_same_marks(const std::vector<Mark>& expected,
                      const std::vector<Mark>& got,
                      const Comparison& how) const;
  std::uint32_t wait_count() const { return waits_.size(); }
  std::uint32_t add_wait(Wait wait);

  // Which other clients the local state may remember, one bit for each.
  std::uint32_t mentions(Local local) const { return locals_[local].mentions; }
  // The state of a client that has seen the same under other names. `names` leaves its own alone.
  Local rename(Local local, const Permutation& permutation);

  void let_age(Ageing how) { ageing_ = how; }
  // The state of a client that has seen the same an instant earlier. The client itself is run again
  // with its clocks set so; if it asks for something else then, see broken_promise().
  Local aged(Local local);
  // Empty, or which program does not use times as time_without_end() says.
  const std::string& broken_promise() const { return broken_promise_; }

  // --- for comparing repeated runs --------------------------------------------------------------
  const Program& program() const { return program_; }
  std::size_t client() const { return index_; }
  std::size_t servers() const { return servers_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::optional<Ageing>& ageing() const { return ageing_; }
  // Everything that was learned: each answer in each local state. Loop heads are left out, because
  // they take no step.
  std::vector<ProgramStep> learned() const;
  // A step of the way that first led to a local state.
  class Waypoint {
   public:
    Local from;
    Input input;
    Local local;
  };
  Waypoint step_to(Local local) const;
  std::vector<Waypoint> way_to(Local local) const;
  const std::string& memory(Local local) const { return locals_[local].memory; }
  // Whether some state stands for more than one past, because of a promise of the program.
  bool takes_pasts_as_one() const { return merges_at_loop_heads_ || merges_in_memory_; }
  // The calls by which it promised that: `loop_head`, `remembers` or both.
  std::vector<std::string> promises() const;

  // It drew jitter, of which the search tries only the ends: JitterAtItsEnds.
  bool cuts_jitter() const { return cuts_jitter_; }

  // Empty, or why the program cannot be explored.
  const std::string& failure() const { return failure_; }
  bool too_large() const { return too_large_; }
  // The steps of the longest way to a local state.
  std::uint32_t longest() const { return longest_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(locals_.size()); }
  std::uint32_t runs() const { return runs_; }

 private:
  class LocalState {
   public:
    Local parent = 0;
    Input input;
    std::vector<std::uint32_t> waits;
    std::vector<detail::SourceLine> lines;  // of the waits
    std::uint32_t marks = 0;
    std::uint32_t choices = 0;
    bool loop_head = false;
    std::string memory;  // what stands for the past, if the program has promised it
    std::uint32_t mentions = 0;
    std::uint32_t steps = 0;  // that led to it
    Life life = 0;
  };
  class Ran {
   public:
    LocalStep result;
    bool reads_clock = false;
  };
  using Question = std::tuple<Local, std::uint8_t, std::uint32_t>;
  using TimedQuestion = std::tuple<Local, std::uint8_t, std::uint32_t, std::int64_t, std::int64_t>;

  LocalSteps learn(Local local, std::uint8_t slot, std::uint32_t reply, ClockReading now);
  bool add_untried(std::vector<LiveProcess::Branches>& untried,
                   std::size_t given,
                   const LocalSteps& step,
                   const Ran& ran) const;
  Ran run_once(Local local, const Input& input);
  Local intern(LiveProcess& process, Local parent, const Input& input);
  void follow_loop_head(LocalSteps& step, const Ran& ran, ClockReading now);
  void feed(LiveProcess& process, const Input& input) const;
  std::vector<Local> path(Local local) const;
  bool replay(LiveProcess& process, const std::vector<Local>& path);
  std::string difference(const LiveProcess& process, Local expected) const;
  bool is_same_time(TimePoint expected, TimePoint got, Duration later) const;
  bool is_same_wait(const Wait& expected, const Wait& got, const Comparison& how) const;
  void check_renamed(Local before, const Ran& after, const Permutation& permutation);
  void break_promise(Local local, std::uint8_t slot);
  void fail(std::size_t step, const std::string& what);
  bool is_mistaken(const LiveProcess& process, Local local, std::uint8_t slot);
  void blame(const Mistake& mistake, Local local, std::uint8_t slot);
  // What the clocks have shown on the way, and what they would have shown an instant earlier.
  using Moved = std::map<TimePoint, TimePoint>;
  Moved moved_back(const std::vector<Local>& path) const;
  void check_aged(Local before, Local after, const Moved& moved);

  const Program& program_;
  std::size_t index_;
  std::size_t servers_;
  std::uint32_t locals_max_;
  Vocabulary& vocabulary_;
  Interner<Wait> waits_;
  std::vector<LocalState> locals_;
  std::vector<Local> beginnings_{not_started};  // by life
  std::map<std::string, Local> known_;
  std::map<Question, LocalSteps> steps_;
  std::map<TimedQuestion, LocalSteps> timed_steps_;
  bool merges_at_loop_heads_ = false;
  bool merges_in_memory_ = false;
  bool cuts_jitter_ = false;
  int loop_heads_in_a_row_ = 0;
  std::optional<Ageing> ageing_;
  std::map<Local, Local> aged_;
  std::string broken_promise_;
  std::string failure_;
  bool too_large_ = false;
  std::uint32_t longest_ = 0;
  std::uint32_t runs_ = 0;
};

// A step that an automaton says is possible: an answer, or, where time has no end, an instant that
// passes.
class ProgramStep {
 public:
  Automaton::Local from = 0;
  std::uint8_t slot = 0;
  std::uint32_t reply = 0;
  std::optional<ClockReading> clock;  // none: it was not read
  Automaton::LocalStep result{};
  bool passes_time = false;
};

}  // namespace interlock::sim
