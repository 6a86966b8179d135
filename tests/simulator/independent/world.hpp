// The whole world of a trial between two steps, as plain values, and what the rules remember of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"
#include "machine.hpp"
#include "server.hpp"
#include "shared.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

class Resource {
 public:
  std::uint64_t greatest = 0;
  int writer = -1;
};

// That a client is inside; and until when it believes so, if that has an end.
class Belief {
 public:
  std::optional<std::int64_t> until;  // by the client's clock
  bool wall = false;
};

class World {
 public:
  int time = 0;  // instants since the beginning
  std::vector<Shared<Process>> processes;
  std::vector<int> monotonic;  // by how many instants each client's clocks are wrong
  std::vector<int> wall;
  std::vector<Shared<Server>> servers;
  std::vector<int> server_clocks;
  std::array<int, fault_kinds> used{};
  std::set<int> breaks_to_come;  // servers to which a connection is still to break
  // What the rules remember, by name.
  std::map<std::string, std::map<int, Belief>> inside;
  std::map<std::string, std::set<int>> waiting;
  std::map<std::string, std::uint64_t> granted;
  std::set<std::string> released;
  std::map<std::string, Resource> resources;

  int faults() const;
  // Nobody can do anything any more.
  bool over() const;
  Clocks clocks(const Trial& trial, int client) const;
  bool believes(const Trial& trial, const std::string& lock, int client) const;
  // As readers and predicates see it.
  bool is_shown_inside(const Trial& trial, const std::string& lock, int client) const;
  std::int64_t server_clock(const Trial& trial, int server) const;
  void forget_expired(const Trial& trial);

  std::string written(bool by_history) const;
  // The same with client i called names[i].
  std::string written_as(const std::vector<int>& names) const;
  Snapshot snapshot(const Trial& trial) const;
};

World beginning_of(const Trial& trial);

}  // namespace interlock::sim::independent
