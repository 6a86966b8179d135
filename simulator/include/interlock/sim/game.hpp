// The search turned round: a person is the scheduler, chooses step by step who moves next, and
// tries to break a lock. No terminal, no text input beyond one word at a time: the faces are
// elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {

// One step that is possible now.
class Move {
 public:
  // The step as the one-line form of a run writes it: `1`, `t`, `x2`. So the moves of a game, one
  // after the other, are the address of its run.
  std::string key;
  std::string mover;  // `A`, `A/renewal`, `world`
  std::string text;   // `DEL lock.foo`, `crashes`: what is about to happen, not what comes of it
  bool fault = false;
  std::uint32_t code = 0;  // RunStep::code
};

// A client that cannot move now.
class Still {
 public:
  std::string client;
  std::string why;  // `has crashed`, `waits until more time has passed`
};

// What the shortest way on looks like, from where the player stands.
class Advice {
 public:
  // `violated`: `moves` leads there. `proved`: nothing that happens from here on breaks anything:
  // undo. `incomplete`: a limit came first.
  Outcome outcome = Outcome::incomplete;
  std::string reason;        // of `incomplete` and `invalid`
  std::size_t steps = 0;     // still needed
  std::optional<Move> next;  // the first of them
};

class Game {
 public:
  enum class Standing : std::uint8_t {
    open,  // somebody can move
    won,   // the last step broke a property
    over,  // nobody can move any more, and nothing is broken
  };

  // `best` is what explore() said about the scenario: its run is the par.
  Game(Scenario scenario, Verdict best);

  // What the player is to bring about, one line for each property of the scenario: `make two
  // clients believe at one time that they hold lock.foo`.
  std::vector<std::string> goals() const;

  // `proved`: nobody can win.
  const Verdict& best() const { return best_; }

  Standing standing() const;
  // In the order of the search: clients, time, then what may go wrong. Empty unless open.
  const std::vector<Move>& moves() const { return moves_; }
  std::vector<Still> still() const;

  // Takes the step with this key, or the next one of the client with this name. `invalid_argument`
  // says why it is not possible; nothing has changed. `rejected`: a client or a predicate is
  // not deterministic.
  Result<RunStep> play(std::string_view word);
  // The longest key of a move that `words` begins with; empty if there is none. For input such as
  // `1122`, move by move.
  std::string_view first_key(std::string_view words) const;

  // Takes the last step back. False: there is none.
  bool undo();
  void restart();
  // Searches from here on.
  Advice advice(const Limits& limits = {});

  const Scenario& scenario() const { return scenario_; }
  const Snapshot& now() const { return simulation_.now(); }
  const Run& run() const { return simulation_.run(); }
  // What the keys and resources hold now, one line each: `lock.foo = 103`.
  std::vector<std::string> store() const;

 private:
  void close_loop();
  void look();
  const Move* find(std::string_view word) const;
  std::string why_not(std::string_view word) const;
  std::string why_no_time() const;

  Scenario scenario_;
  Simulation simulation_;
  Verdict best_;
  std::vector<Move> moves_;
  // What was advised and is not done yet. A player who follows it is not sent another way: in the
  // middle of a loop the search would begin the next one.
  std::vector<std::uint32_t> plan_;
};

// What breaking a property means, as a task: `make two clients ...`.
std::string goal_text(const Property& property);

}  // namespace interlock::sim
