// The steps that are possible in a state, divided into parts: those of each client, of each server,
// and of time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine.hpp"

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

// Calls look(part) for the parts of a state in their order. For a client's part, that returns the
// client's enabledness; this function returns that of all together.
template <class Look>
Enabledness ordinary_parts(const Engine& engine, std::uint32_t time, Look look) {
  Enabledness all;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    all.add(look(Part{PartKind::moves, static_cast<std::uint8_t>(client)}));
  }
  if (all.over || time >= engine.last_instant) return all;
  const bool pauses_count = engine.scenario().faults().pauses_count();
  if (!pauses_count || !all.could_move) look(Part{PartKind::time});
  return all;
}

template <class Look>
void faulty_parts(const Engine& engine, std::uint32_t time, Look look) {
  Enabledness all;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    all.add(look(Part{PartKind::faults_of_client, static_cast<std::uint8_t>(client)}));
  }
  if (all.over && !engine.writes_may_be_undone) return;
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    look(Part{PartKind::faults_of_server, static_cast<std::uint8_t>(server)});
  }
  const bool pauses_count = engine.scenario().faults().pauses_count();
  if (pauses_count && time < engine.last_instant && all.could_move) look(Part{PartKind::pause});
}

}  // namespace interlock::sim
