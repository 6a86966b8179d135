// How many random runs the simulator takes in a second: short ones of small worlds, whose states
// soon are all known, and long ones of a world whose states are new each time.
// usage: random_runs [--json]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/thread_team.hpp"

namespace {

using interlock::sim::Fault;
using interlock::sim::FaultBudget;
using interlock::sim::RandomSearch;
using interlock::sim::RandomVerdict;
using interlock::sim::Scenario;
using interlock::sim::ThreadTeam;
namespace catalogue = interlock::sim::catalogue;

class RandomCase {
 public:
  std::string name;
  Scenario scenario;
  std::uint64_t runs = 1'000'000;
  std::size_t depth = 0;
  std::size_t threads = 1;
};

Scenario stamps(std::size_t clients, std::int64_t attempts, std::size_t instants) {
  return catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, clients, attempts, instants);
}

std::vector<RandomCase> cases() {
  std::vector<RandomCase> all;
  Scenario leases = catalogue::lease_lock_scenario(2, catalogue::LeaseClientOptions(), 4);
  leases.faults(FaultBudget().allow(Fault::crash).allow(Fault::lost_reply));
  for (std::size_t threads = 1; threads <= std::max<std::size_t>(2, ThreadTeam::all_cores());
       threads *= 2) {
    all.push_back({"stamp-lock clients=2 instants=1", stamps(2, 1, 1), 1'000'000, 0, threads});
    all.push_back(
        {"stamp-lock clients=2 instants=1 pct=3", stamps(2, 1, 1), 1'000'000, 3, threads});
    all.push_back(
        {"stamp-lock clients=3 attempts=2 instants=3", stamps(3, 2, 3), 1'000'000, 0, threads});
    all.push_back({"lease-lock clients=2 instants=4 waiting crash=1 lost-reply=1", leases,
                   1'000'000, 0, threads});
    all.push_back({"lease-lock clients=5 instants=6 waiting",
                   catalogue::lease_lock_scenario(5, catalogue::LeaseClientOptions(), 6), 10'000, 0,
                   threads});
  }
  return all;
}

// The median of five rounds.
double seconds_of(const RandomCase& one, RandomVerdict& verdict) {
  ThreadTeam team(one.threads);
  RandomSearch how;
  how.runs = one.runs;
  how.depth = one.depth;
  how.team = &team;
  std::array<double, 5> rounds{};
  for (double& seconds : rounds) {
    const auto begin = std::chrono::steady_clock::now();
    verdict = search_at_random(one.scenario, how);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds = took.count();
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

void print(const RandomCase& one, const RandomVerdict& verdict, double seconds, bool json) {
  const auto runs = static_cast<double>(verdict.runs);
  const auto steps = static_cast<double>(verdict.steps);
  const char* const format =
      json ? "{\"name\":\"%s threads=%zu\",\"runs\":%.0f,\"steps\":%.0f,\"seconds\":%.4f,"
             "\"runs_per_second\":%.0f,\"steps_per_second\":%.0f}\n"
           : "%-60s %zu thread(s) %8.0f runs %9.0f steps %8.4f s %9.0f runs/s %9.0f steps/s\n";
  std::printf(format, one.name.c_str(), one.threads, runs, steps, seconds, runs / seconds,
              steps / seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const bool json = count > 1 && std::strcmp(arguments[1], "--json") == 0;
  for (const RandomCase& one : cases()) {
    RandomVerdict verdict;
    const double seconds = seconds_of(one, verdict);
    print(one, verdict, seconds, json);
  }
  return 0;
}
