// Finds the clients that may wait for ever in a fair world (property.hpp, every_waiter_acquires()).
// Looks at all worlds at once, in the slowest way.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace interlock::sim::independent {

// An agent, which must eventually move if it can always move: a task of a client, the requests that
// a client has left behind, or time.
class Mover {
 public:
  int client = -1;  // -1: time
  int task = 0;     // 2: what it has left behind
  friend auto operator<=>(const Mover&, const Mover&) = default;
};

// All worlds of a trial, numbered, and the steps between them without new faults.
class Graph {
 public:
  class Edge {
   public:
    std::size_t to = 0;
    Mover mover;
    bool reads_clock = false;
  };
  class Node {
   public:
    std::vector<Edge> edges;
    bool awaits_time = false;  // more time would let something happen
  };
  std::vector<Node> nodes;

  class Starved {
   public:
    std::set<std::size_t> entries;  // the worlds from which it can go on for ever
    bool if_time_did_not_end = false;
  };
  // Where somebody can stay within `inside` for ever.
  Starved stays_within(const std::function<bool(std::size_t)>& inside) const;

 private:
  using Nodes = std::set<std::size_t>;
  Nodes reachable(std::size_t from,
                  const std::function<bool(std::size_t)>& inside,
                  const std::vector<std::vector<std::size_t>>& next) const;
  void look_at(const Nodes& component, Starved& starved) const;
};

}  // namespace interlock::sim::independent
