// Programs of any language as clients of the simulator: each is a process whose requests to Redis,
// sleeps and clocks are answered by the search.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/client.hpp"

namespace interlock::harness {

// What the clients did so far, besides what a search says itself.
class ClientReport {
 public:
  // Why no search can go on: a command that is not modelled, a client that asks for nothing. One
  // line. Empty: nothing.
  std::string problem;
  // A limit was reached: Clients::watch() said no, or a client asked for nothing for too long,
  // which `problem` then says. What was searched before counts.
  bool ended = false;
  // Identical clients must be distinguished (Scenario::symmetry): the clients drew random bytes
  // that no renaming can follow, or the order of owner tokens decided something.
  bool tells_clients_apart = false;
  std::set<std::string> locks;      // INTERLOCK ENTER
  std::set<std::string> wanted;     // INTERLOCK WANTS
  std::set<std::string> resources;  // INTERLOCK WRITE
  std::set<std::string> checking;   // those that were written to with a fencing token
  std::set<std::string> goals;      // INTERLOCK REACH
  std::set<std::string> forbidden;  // INTERLOCK NEVER
  std::set<std::string> trusts;     // what a verdict rests on besides the simulator's own promises
  bool sleeps = false;              // a client has waited for time to pass
  std::uint64_t runs = 0;           // of clients
  std::uint64_t requests = 0;
  std::uint64_t failed_runs = 0;  // that ended with another exit code than 0
  std::string last_words;         // the last line that the clients wrote
};

// The goal that a client reaches when it enters the lock.
std::string entered(const std::string& lock);

// What clients find when they start, and how long the search waits for them.
class HarnessOptions {
 public:
  // A client that asks for nothing for so long ends the search.
  std::chrono::seconds patience{10};
  // How many servers there are, 1 to Scenario::servers_max. The scenario must have as many.
  std::size_t servers = 1;
};

// Starts clients. One object at a time in a process, used by one thread; it becomes a subreaper
// (PR_SET_CHILD_SUBREAPER), and ends every process that its clients have started.
class Clients {
 public:
  // `command` is started anew for each run; a Python file is loaded once and forked. `unavailable`:
  // a resource of the system was refused, or the command could not be started.
  static Result<std::unique_ptr<Clients>> start(std::vector<std::string> command,
                                                const HarnessOptions& with);
  virtual ~Clients() = default;
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  // The program of one client, for Scenario::clients. It must not outlive this object. A client
  // whose requests the search cannot answer ends with an exception, and report() says why.
  virtual sim::Program program() = 0;
  const ClientReport& report() const;
  // Asked before each run of a client, and while one is waited for: false ends the search, and
  // report() says that it was ended.
  static void watch(std::function<bool(const ClientReport&)> proceed);

 protected:
  Clients() = default;
};

}  // namespace interlock::harness
