// The steps that are possible in a state, divided into parts: those of each client, of each server,
// and of time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine.hpp"
#include "model/obstacle.hpp"

namespace interlock::sim {

enum class PartKind : std::uint8_t { moves, faults_of_client, faults_of_server, time, pause };

// The steps of a state are divided by whose they are: this is one of the parts.
class Part {
 public:
  PartKind kind = PartKind::moves;
  std::uint8_t who = 0;
  bool is_of_client() const { return kind <= PartKind::faults_of_client; }
};

// The enabledness of a client, or of all together: whether something is left to do, and whether
// something can be done now.
class Enabledness {
 public:
  bool over = true;
  bool could_move = false;
  bool idle = true;  // it can do nothing, however much time passes, unless another does something
  void add(Enabledness other) {
    over = over && other.over;
    could_move = could_move || other.could_move;
    idle = idle && other.idle;
  }
  bool is_deadlock() const { return idle && !over; }
};

inline bool is_last_instant(const Engine& engine, std::uint32_t time) {
  return time >= engine.last_instant;
}

// Whether more time would end a key, or a belief that a predicate sees.
template <class S>
bool awaits_end(Engine& engine, const S& state) {
  if (engine.monitor().awaits_end(state[engine.monitor_component()])) return true;
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    if (engine.stores().expires(state[engine.store_component(server)])) return true;
  }
  return false;
}

// Why time does not pass, if it is no pause.
template <class S>
Obstacle obstacle_to_time(Engine& engine, const S& state, Enabledness all) {
  if (all.over && !(engine.looks_after_end && awaits_end(engine, state))) {
    return Obstacle::all_are_done;
  }
  if (is_last_instant(engine, state[engine.time_component()])) return Obstacle::time_ends;
  const bool pauses_count = engine.scenario().faults().pauses_count();
  return pauses_count && all.could_move ? Obstacle::somebody_could_move : Obstacle::none;
}

// Why nothing happens to the servers, and no client pauses, whatever faults are left.
inline Obstacle obstacle_to_faults(const Engine& engine, Enabledness all) {
  const bool goes_on = engine.writes_may_be_undone || engine.looks_after_end;
  return all.over && !goes_on ? Obstacle::all_are_done : Obstacle::none;
}

// Why no client pauses, whatever faults are left.
inline Obstacle obstacle_to_pause(const Engine& engine, std::uint32_t time, Enabledness all) {
  if (const Obstacle why = obstacle_to_faults(engine, all); why != Obstacle::none) return why;
  if (!engine.scenario().faults().pauses_count()) return Obstacle::pauses_are_free;
  if (is_last_instant(engine, time)) return Obstacle::time_ends;
  return all.could_move ? Obstacle::none : Obstacle::nobody_could_move;
}

// Calls look(part) for the parts of a state in their order. For a client's part, that returns the
// client's enabledness; this function returns that of all together.
template <class S, class Look>
Enabledness ordinary_parts(Engine& engine, const S& state, Look look) {
  Enabledness all;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    all.add(look(Part{PartKind::moves, static_cast<std::uint8_t>(client)}));
  }
  if (obstacle_to_time(engine, state, all) == Obstacle::none) look(Part{PartKind::time});
  return all;
}

template <class Look>
Enabledness faulty_parts(const Engine& engine, std::uint32_t time, Look look) {
  Enabledness all;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    all.add(look(Part{PartKind::faults_of_client, static_cast<std::uint8_t>(client)}));
  }
  if (obstacle_to_faults(engine, all) != Obstacle::none) return all;
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    look(Part{PartKind::faults_of_server, static_cast<std::uint8_t>(server)});
  }
  if (obstacle_to_pause(engine, time, all) == Obstacle::none) look(Part{PartKind::pause});
  return all;
}

}  // namespace interlock::sim
