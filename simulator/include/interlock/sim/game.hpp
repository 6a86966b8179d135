// A game: a person is the scheduler, chooses step by step who moves next, and tries to break a
// lock. This class has no terminal and reads one word at a time; `interlock play` is its user
// interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/expected_step.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {

// One step that is possible now.
class Move {
 public:
  // The step as the one-line form of a run writes it: `1`, `t`, `x2`. So the keys of a game's
  // moves, in order, are the one-line form of its run.
  std::string key;
  std::string mover;  // `A`, `A/renewal`, `world`
  std::string text;   // `DEL lock.foo`, `crashes`: what is about to happen, not what comes of it
  bool fault = false;
  std::uint32_t code = 0;  // RunStep::code
};

// The answer to: why is this step not possible?
class MoveAnswer {
 public:
  std::string mover;              // `A`, `A/renewal`, `world`, `server 2`
  std::string what;               // `crash`, `time`, `a late request`; empty: a client's own step
  std::vector<std::string> keys;  // of the moves that are this step; empty: it is not possible
  std::string why;                // why it is not; of a client's own step to be read after its name
};

// The shortest way to a violation from the player's state.
class Advice {
 public:
  // `violated`: there is a way; `next` is its first step. `proved`: no run from here on breaks a
  // property: undo. `incomplete`: a limit was reached first.
  Outcome outcome = Outcome::incomplete;
  std::string reason;        // why it is `incomplete` or `invalid`
  std::size_t steps = 0;     // how many steps are still needed, if it is `violated`
  std::optional<Move> next;  // the first of them
};

// Can be neither copied nor moved. The references that its functions return are valid until the
// next call that changes the game.
class Game {
 public:
  enum class Standing : std::uint8_t {
    open,  // somebody can move
    won,   // the last step broke a property
    over,  // nobody can move any more, and nothing is broken
  };

  // `best` is the verdict of explore() about the scenario: the length of its run is the par.
  Game(Scenario scenario, Verdict best);

  // The player's tasks, one line for each property of the scenario: `make two clients believe at
  // one time that they hold lock.foo`.
  std::vector<std::string> goals() const;

  // `proved`: the player cannot win.
  const Verdict& best() const { return best_; }

  Standing standing() const;
  // In the order of the search: clients, time, then what may go wrong. Empty unless open.
  const std::vector<Move>& moves() const { return moves_; }
  // The names of the clients that cannot move now.
  std::vector<std::string> still() const;

  // Whether each of these steps is possible, and why not: a client's steps and the faults that
  // happen to it (by its name or number), time (`t`), a kind of fault (`crash`, or its letter,
  // `x`), a step by its key (`x1`), or all steps (an empty word). Those of clients come first, and
  // a client's own before its faults. `invalid_argument`: it is none of these, or the lock is
  // broken already.
  Result<std::vector<MoveAnswer>> why(std::string_view word);

  // Takes the step with this key, or the next one of the client with this name. `invalid_argument`:
  // it is not possible, and nothing has changed; why_not() says why. `rejected`: a client or a
  // predicate is not deterministic.
  Result<RunStep> play(std::string_view word);
  // Why play() refuses this word, in one line: `B sleeps: time must pass first, 1000 ms`.
  std::string why_not(std::string_view word);
  // The longest key of a possible move with which `words` begins; empty if there is none. For input
  // such as `1122`, move by move.
  std::string_view first_key(std::string_view words) const;

  // Takes the last step back. False: there is none.
  bool undo();
  void restart();
  // Searches from here on.
  Advice advice(const Limits& limits = {});

  const Scenario& scenario() const { return scenario_; }
  const Snapshot& now() const { return simulation_.now(); }
  const Run& run() const { return simulation_.run(); }
  std::vector<std::vector<TaskLine>> lines() const { return simulation_.lines(); }
  // The content of the keys and resources, one line each: `lock.foo = 103`.
  std::vector<std::string> store() const;

 private:
  void close_loop();
  void look();
  std::optional<std::uint32_t> closing_step();
  const Move* find(std::string_view word) const;
  MoveAnswer answer_about(const ExpectedStep& step) const;

  Scenario scenario_;
  Simulation simulation_;
  Verdict best_;
  std::vector<Move> moves_;
  // The advised steps that are not taken yet. A player who follows the advice gets no other: in the
  // middle of a loop the search would begin the next one.
  std::vector<std::uint32_t> plan_;
};

// The task of breaking a property, in words: `make two clients ...`.
std::string goal_text(const Property& property);

}  // namespace interlock::sim
