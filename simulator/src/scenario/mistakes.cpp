// The mistakes that an author may make in a scenario, each with what to write instead.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/century.hpp"
#include "base/escaped.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {
namespace {

std::string ms(Duration duration) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(duration).count()) + " ms";
}

std::string number_from_to(const std::string& what,
                           std::size_t count,
                           std::size_t least,
                           std::size_t most) {
  if (count >= least && count <= most) return {};
  return what + " " + std::to_string(count) + ": write " + std::to_string(least) + " to " +
         std::to_string(most);
}

// A schedule in one line is `NAME,OPTION=VALUE:STEPS`.
std::string in_name(const Scenario& scenario) {
  const std::string& name = scenario.name();
  const bool separates = std::any_of(name.begin(), name.end(), [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte < ' ' || byte == 0x7f || each == ',' || each == ':' || each == '=';
  });
  if (!separates && name.front() != ' ' && name.back() != ' ') return {};
  return "the scenario's name is '" + escaped(name) +
         "': write printable characters but ',', ':' and '=', and no space at either end";
}

std::string in_clients(const Scenario& scenario) {
  if (scenario.clients_asked_for() > Scenario::clients_max) {
    return "the scenario has " + std::to_string(scenario.clients_asked_for()) +
           " clients, and a search knows " + std::to_string(Scenario::clients_max) +
           " by name: leave some out";
  }
  if (scenario.processes().empty()) return "the scenario has no client: add one";
  for (const Scenario::ClientProgram& process : scenario.processes()) {
    if (process.program) continue;
    return "client " + process.name + " has no program: give Scenario::client a function";
  }
  return {};
}

std::string in_servers(const Scenario& scenario) {
  std::string mistake =
      number_from_to("the number of servers is", scenario.servers(), 1, Scenario::servers_max);
  if (!mistake.empty()) return mistake;
  for (const Scenario::InitialKey& key : scenario.initial_keys()) {
    if (key.server < scenario.servers()) continue;
    return "the initial key '" + key.key.text() + "' lies on server " + std::to_string(key.server) +
           ", and servers are counted from 0 to " + std::to_string(scenario.servers() - 1) +
           ": raise Scenario::servers, or choose another";
  }
  return {};
}

std::string in_time(const Scenario& scenario) {
  std::string mistake =
      number_from_to("the number of instants is", scenario.instants(), 1, Scenario::instants_max);
  if (!mistake.empty()) return mistake;
  if (scenario.apart() <= Duration::zero()) {
    return "instants are " + ms(scenario.apart()) + " apart: write more than 0";
  }
  // Where time has no end, there are as many instants again before the first one.
  if (scenario.apart() > century / static_cast<Duration::rep>(Scenario::instants_max)) {
    return "instants are " + ms(scenario.apart()) +
           " apart, and all of them together span more "
           "than a century: put them closer together";
  }
  if (scenario.first() < Duration::zero() || scenario.first() > century) {
    return "clocks start at " + ms(scenario.first()) + ": write 0 to a century";
  }
  return {};
}

std::string in_time_without_end(const Scenario& scenario) {
  if (!scenario.endless()) return {};
  if (scenario.apart() % milliseconds{1} != Duration::zero()) {
    return "time has no end, and instants are not whole milliseconds apart, as expiries are: put "
           "them so";
  }
  if (!scenario.longest()) return {};
  if (*scenario.longest() < Duration::zero()) {
    return "time has no end, and nothing is longer than " + ms(*scenario.longest()) +
           ": write 0 or more";
  }
  if (*scenario.longest() > scenario.apart() * Scenario::longest_max) {
    return "time has no end, and " + ms(*scenario.longest()) + " is longer than " +
           std::to_string(Scenario::longest_max) +
           " instants: put the instants farther apart, or bound them";
  }
  return {};
}

std::string in_faults(const Scenario& scenario) {
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    const std::size_t limit = scenario.faults().limit(fault);
    if (limit <= FaultBudget::count_max) continue;
    return "the fault " + std::string(to_string(fault)) + " is allowed " + std::to_string(limit) +
           " times: write at most " + std::to_string(FaultBudget::count_max);
  }
  const int ahead = scenario.replica().instants_ahead;
  if (ahead < -1 || ahead > 1) {
    return "the replica's clock is " + std::to_string(ahead) + " instants ahead: write -1, 0 or 1";
  }
  const std::size_t missed = scenario.replica().missed_writes;
  if (missed > Replica::missed_writes_max) {
    return "the replica may have missed " + std::to_string(missed) + " writes: write at most " +
           std::to_string(Replica::missed_writes_max);
  }
  return {};
}

bool knows_liveness(const Scenario& scenario) {
  const auto is_liveness = [](const Property& property) { return property.is_liveness(); };
  const std::vector<Property>& offered = scenario.offered();
  return scenario.requires_liveness() || std::any_of(offered.begin(), offered.end(), is_liveness);
}

bool are_the_same(const FairSteps& one, const FairSteps& other) {
  return one.kind == other.kind && one.client == other.client && one.name == other.name;
}

// The bounds of a verdict name the steps, between commas.
bool is_fit_for_bounds(const std::string& name) {
  return !name.empty() && escaped(name) == name && name.find_first_of(",'") == std::string::npos;
}

std::string in_fair_steps(const Scenario& scenario, const FairSteps& steps) {
  if (steps.kind == FairSteps::Which::of_client && steps.client >= scenario.processes().size()) {
    return "fairness is chosen for client " + std::to_string(steps.client) +
           ", and clients are counted from 0 to " +
           std::to_string(scenario.processes().size() - 1) + ": choose another";
  }
  if (steps.kind != FairSteps::Which::named) return {};
  if (!is_fit_for_bounds(steps.name)) {
    return "fairness is chosen for steps called '" + escaped(steps.name) +
           "': give them a name of printable characters but ',' and \'";
  }
  if (!steps.are) {
    return "fairness is chosen for '" + steps.name +
           "', which has no predicate: give steps_called() a function";
  }
  return {};
}

std::string in_fairness(const Scenario& scenario) {
  const std::vector<ChosenFairness>& all = scenario.all_fairness();
  if (!all.empty() && !knows_liveness(scenario)) {
    return "Scenario::fairness chooses what only liveness asks for, and no liveness is required: "
           "require every_waiter_acquires() or leads_to(), or choose no fairness";
  }
  for (auto one = all.begin(); one != all.end(); ++one) {
    std::string mistake = in_fair_steps(scenario, one->steps);
    if (!mistake.empty()) return mistake;
    const bool is_again = std::any_of(all.begin(), one, [one](const ChosenFairness& other) {
      return are_the_same(other.steps, one->steps);
    });
    if (is_again) {
      return "fairness is chosen twice for the same steps (" + describe(one->steps) +
             "): choose it once, or give other steps another name";
    }
  }
  const auto named = std::count_if(all.begin(), all.end(), [](const ChosenFairness& chosen) {
    return chosen.steps.kind == FairSteps::Which::named;
  });
  return number_from_to("the number of predicates whose steps' fairness is chosen is",
                        static_cast<std::size_t>(named), 0, Scenario::fair_steps_max);
}

bool are_the_same(const Property& one, const Property& other) {
  return one.kind == other.kind && one.subject == other.subject && one.within == other.within &&
         one.kind != PropertyKind::linearizability && !one.is_own();
}

// A verdict, a run and a schedule say by its name alone which property is broken.
std::string in_names_of_properties(const Scenario& scenario) {
  std::map<std::string_view, const Property*> known;
  for (const Property& property : scenario.properties()) {
    if (property.name.empty()) {
      return "a property (" + std::string(to_string(property.kind)) +
             ") has no name, so that no run could tell what it breaks: give it one";
    }
    const auto [at, is_new] = known.emplace(property.name, &property);
    if (is_new || are_the_same(*at->second, property)) continue;
    return "two properties are called '" + escaped(property.name) +
           "', so that no run could tell which it breaks: give each a name of its own";
  }
  return {};
}

std::string in_properties(const Scenario& scenario) {
  // A step has 16 bits for the number of the property that it breaks; 0 is none.
  constexpr std::size_t most = 65'535;
  if (scenario.properties().size() > most) {
    return "the scenario requires " + std::to_string(scenario.properties().size()) +
           " properties: write at most " + std::to_string(most);
  }
  for (const Property& property : scenario.properties()) {
    if (property.kind == PropertyKind::predicate && !property.holds) {
      return "'" + property.name + "' has no predicate: give always() a function";
    }
    const bool lacks = !property.is_about || !property.step_holds;
    if (property.kind == PropertyKind::step_predicate && lacks) {
      return "'" + property.name + "' lacks a predicate: give each_step() two functions, or " +
             "never_decreases() one";
    }
    if (property.kind == PropertyKind::leads_to && (!property.from || !property.to)) {
      return "'" + property.name + "' lacks a predicate: give leads_to() two functions";
    }
    if (property.kind == PropertyKind::linearizability && !property.specification.apply) {
      return "'" + property.name + "' has no specification: give linearizable() a function";
    }
    if (property.within < Duration::zero()) {
      return "'" + property.name + "' is to hold within " + ms(property.within) +
             ": write 0 or more";
    }
  }
  return {};
}

}  // namespace

std::string Scenario::mistake() const {
  for (const auto look : {in_name, in_clients, in_servers, in_time, in_time_without_end, in_faults,
                          in_properties, in_names_of_properties, in_fairness}) {
    std::string mistake = look(*this);
    if (!mistake.empty()) return mistake;
  }
  return {};
}

}  // namespace interlock::sim
