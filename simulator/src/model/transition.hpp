// What is known about one step: briefly, for the search, or in detail, for telling a run.
#pragma once

#include <cstdint>

#include "model/action.hpp"
#include "model/process_table.hpp"
#include "process/automaton.hpp"

namespace interlock::sim {

// What the search must know of a step.
class Transition {
 public:
  static constexpr bool tells = false;
  static constexpr bool is_independent = false;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  Action action;
  bool passes_time() const { return action.is(ActionKind::time) || action.fault() == Fault::pause; }
  std::uint16_t violation = 0;
  bool reads_clock = false;  // the client's or the server's
};

// What a step did, for telling a run.
class TransitionTrace : public Transition {
 public:
  static constexpr bool tells = true;
  TaskMoveKind move = TaskMoveKind::start;
  std::uint32_t wait = none;       // of the moving client
  std::uint32_t operation = none;  // at the store
  std::uint32_t reply = none;      // of the store, or what a client is told
  std::uint32_t told = none;       // what the client was told, in its automaton's words
  std::uint32_t choices = Vocabulary::no_choices;  // that it made then
  std::uint32_t start_choices = Vocabulary::no_choices;
  std::uint32_t start_marks = Vocabulary::no_marks;
  std::uint32_t marks = Vocabulary::no_marks;  // with the answer
  std::uint8_t slot = 0;
  bool starts = false;
  bool applied = false;
  bool delivered = false;
  bool leaves_behind = false;  // of a restart: a request arrives later for which the client waited
};

// What a step does to clients other than its mover.
enum class ToOthers : std::uint8_t { nothing, hear, reconnect, age };

// A step as it is in every state with the same mover and the same globals. It says what the step
// does to the other clients, and the caller applies that. A step whose message some client misses
// cannot be described in this way: depended_on_others().
class IndependentTransition : public Transition {
 public:
  static constexpr bool is_independent = true;
  ToOthers to_others = ToOthers::nothing;
  std::uint8_t server = 0;     // the server of the messages or connections
  std::uint32_t messages = 0;  // those that the others hear
};

}  // namespace interlock::sim
