// Why a step is not possible in a state, as the code says it that decides so.
#pragma once

#include <cstdint>

#include "model/action.hpp"

namespace interlock::sim {

// If several are true, the one is told that stands last here: it lasts longest.
enum class Obstacle : std::uint8_t {
  none,
  // A request of a client.
  no_write,           // the client writes to no resource now
  no_request,         // the client asks for nothing now
  request_is_sent,    // it was carried out, and its answer is on its way
  no_answer_to_lose,  // it is about a subscription: only the answer of another one can be lost
  sends_no_message,
  nobody_listens,
  starts_apart,  // the client starts in a step of its own, and asks for something after it
  // A client.
  sleeps,
  no_message,
  break_to_come,  // its answer is lost, of which it learns when the connection breaks
  not_started,
  awaits_own_tasks,
  is_done,
  has_crashed,
  // A server.
  no_keys,
  // Time.
  somebody_could_move,
  nobody_could_move,
  time_ends,
  all_are_done,
  // A fault.
  kept_for_break,  // what is left is kept for the connection that is still to break
  kind_used_up,
  faults_used_up,
  not_allowed,
  pauses_are_free,
};

// A step that is not possible. `step` says what kind of step by its kind and actor; if it is a
// client's own, `slot` says of which task.
class Refusal {
 public:
  Action step;
  Obstacle why = Obstacle::none;
  // For a sleep, and a wait for a message: how many instants must pass by the client's clock; none:
  // no time suffices.
  static constexpr std::int32_t for_ever = -1;
  std::int32_t instants = for_ever;
};

}  // namespace interlock::sim
