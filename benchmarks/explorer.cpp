// How fast the simulator searches, and how searches grow: with clients, attempts, instants, faults
// and threads. Complete searches only; one thread where nothing else is said.
// usage: explorer [--json]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/thread_team.hpp"

namespace {

using interlock::Duration;
using interlock::Ttl;
using interlock::sim::Fault;
using interlock::sim::FaultBudget;
using interlock::sim::Scenario;
using interlock::sim::ThreadTeam;
using interlock::sim::Verdict;
namespace catalogue = interlock::sim::catalogue;

class Case {
 public:
  Case(std::string called, Scenario what) : name(std::move(called)), scenario(std::move(what)) {}
  std::string name;
  Scenario scenario;
  std::size_t threads = 1;
};

Case stamp(std::size_t clients, std::int64_t attempts, std::size_t instants, bool symmetry) {
  Scenario scenario =
      catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, clients, attempts, instants);
  scenario.symmetry(symmetry);
  std::string name = "stamp-lock clients=" + std::to_string(clients) +
                     " attempts=" + std::to_string(attempts) +
                     " instants=" + std::to_string(instants) + (symmetry ? " symmetric" : "");
  return {std::move(name), std::move(scenario)};
}

Case lease(std::size_t clients, bool renews, bool crash) {
  catalogue::LeaseClientOptions options;
  options.renews = renews;
  options.ttl = Ttl(std::chrono::seconds{1});
  Scenario scenario = catalogue::lease_lock_scenario(clients, options, 4);
  if (crash) scenario.faults(FaultBudget().allow(Fault::crash));
  std::string name = "lease-lock clients=" + std::to_string(clients) + " instants=4 waiting" +
                     (renews ? " renewal" : "") + (crash ? " crash=1" : "") + " symmetric";
  return {std::move(name), std::move(scenario)};
}

Case shared(Case one, std::size_t threads) {
  one.threads = threads;
  one.name += " threads=" + std::to_string(threads);
  return one;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t clients = 2; clients <= 5; ++clients) all.push_back(stamp(clients, 2, 3, true));
  for (std::size_t clients = 2; clients <= 4; ++clients) all.push_back(stamp(clients, 2, 3, false));
  for (std::size_t instants = 4; instants <= 5; ++instants) {
    all.push_back(stamp(3, 2, instants, false));
  }
  for (std::int64_t attempts = 1; attempts <= 4; ++attempts) {
    all.push_back(stamp(3, attempts, 5, true));
  }
  for (std::size_t instants = 1; instants <= 6; ++instants) {
    all.push_back(stamp(3, 2, instants, true));
  }
  for (std::size_t clients = 2; clients <= 3; ++clients) {
    all.push_back(lease(clients, false, false));
    all.push_back(lease(clients, true, false));
    all.push_back(lease(clients, true, true));
  }
  for (std::size_t threads = 1; threads <= std::max<std::size_t>(2, ThreadTeam::all_cores());
       threads *= 2) {
    all.push_back(shared(stamp(5, 2, 3, true), threads));
    all.push_back(shared(stamp(4, 2, 3, false), threads));
    all.push_back(shared(lease(3, true, true), threads));
  }
  return all;
}

// The median of five rounds.
double seconds_of(const Case& one, Verdict& verdict) {
  ThreadTeam team(one.threads);
  interlock::sim::Limits limits;
  limits.count_violations = true;
  limits.team = &team;
  std::array<double, 5> rounds{};
  for (double& seconds : rounds) {
    const auto begin = std::chrono::steady_clock::now();
    verdict = explore(one.scenario, limits);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds = took.count();
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

void print(const Case& one, const Verdict& verdict, double seconds, bool json) {
  const auto states = static_cast<double>(verdict.states);
  const auto transitions = static_cast<double>(verdict.transitions);
  const char* const format =
      json ? "{\"name\":\"%s\",\"threads\":%zu,\"outcome\":\"%s\",\"states\":%.0f,\"transitions\":%"
             ".0f,"
             "\"seconds\":%.4f,\"states_per_second\":%.0f,\"transitions_per_second\":%.0f,"
             "\"bytes_per_state\":%zu,\"depth\":%zu,\"coroutine_runs\":%u}\n"
           : "%-66s %zu thread(s) %-9s %10.0f states %11.0f transitions %8.4f s %10.0f states/s "
             "%11.0f transitions/s %3zu bytes/state, depth %zu, %u coroutine runs\n";
  const std::string outcome(to_string(verdict.outcome));
  std::printf(format, one.name.c_str(), one.threads, outcome.c_str(), states, transitions, seconds,
              states / seconds, transitions / seconds, verdict.bytes_per_state, verdict.depth,
              verdict.coroutine_runs);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const bool json = count > 1 && std::strcmp(arguments[1], "--json") == 0;
  for (const Case& one : cases()) {
    Verdict verdict;
    const double seconds = seconds_of(one, verdict);
    print(one, verdict, seconds, json);
  }
  return 0;
}
