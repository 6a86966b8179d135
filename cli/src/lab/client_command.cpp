#include "lab/client_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "console/lines.hpp"
#include "console/shell_words.hpp"
#include "console/talk.hpp"
#include "interlock/sim/random_search.hpp"
#include "lab/python_file.hpp"
#include "lab/search_flags.hpp"
#include "lab/simulated.hpp"
#include "supervision/command_file.hpp"
#ifdef INTERLOCK_CLI_HARNESS
#include "interlock/harness/clients.hpp"
#endif

namespace interlock::cli {
namespace {

constexpr std::uint64_t usual_apart = 1000;  // ms
constexpr std::uint64_t apart_max = 1'000'000'000;
constexpr std::uint64_t usual_patience = 10;  // s
constexpr std::uint64_t usual_servers = 1;
constexpr std::uint64_t servers_max = sim::Scenario::servers_max;
constexpr std::uint64_t patience_max = 1'000'000;

bool is_run_with_command(const std::string& word) {
  if (!word.starts_with(command_scenario) || word.size() == command_scenario.size()) return false;
  const bool named =
      std::string_view(":, ").find(word[command_scenario.size()]) != std::string::npos;
  const bool has_dashes = word.find(" -- ") != std::string::npos || word.ends_with(" --");
  return named && has_dashes && !is_file(word);
}

}  // namespace

SplitLine::SplitLine(const std::vector<std::string>& all) {
  const auto dashes = std::find(all.begin(), all.end(), "--");
  words.assign(all.begin(), dashes);
  if (dashes == all.end()) return;
  // A name behind `--` is a scenario, as ever.
  command.assign(dashes + 1, all.end());
  if (command.size() == 1 && sim::catalogue::find(command.front()) != nullptr) {
    words = all;
    command.clear();
  }
}

Fallible<std::vector<std::string>> with_runs_opened(const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> opened;
  std::vector<std::string> behind;  // of the first such run: flags, `--`, the command
  for (auto word = words.begin(); word != dashes; ++word) {
    if (!is_run_with_command(*word)) {
      opened.push_back(*word);
      continue;
    }
    const auto wrong = [&](const std::string& why) {
      return Failure(usage, fmt::format("'{}': {}", printable(*word, 100), why));
    };
    // The steps of a run may have parentheses, which are not quoted.
    const std::size_t run_end = word->find(' ');
    const auto rest = unquoted_words(std::string_view(*word).substr(run_end));
    if (!rest) return wrong(rest.error().message);
    const auto end = std::find(rest->begin(), rest->end(), "--");
    if (end == rest->end() || end + 1 == rest->end()) {
      return wrong("no command is behind --: write the run as explore prints it");
    }
    if (dashes != words.end()) {
      return wrong("the run names a command, and another is behind --: leave one out");
    }
    if (!behind.empty() && *rest != behind) {
      return wrong("the other run is one of another command: name runs of one command");
    }
    behind = *rest;
    opened.push_back(word->substr(0, run_end));
  }
  opened.insert(opened.end(), behind.begin(), behind.end());
  opened.insert(opened.end(), dashes, words.end());
  return opened;
}

void ClientFlags::add_to(Flags& flags) {
  flags.value(0, "apart", "MS", &apart_,
              "with a command: how far apart instants are, in milliseconds (default: 1000)");
  flags.value(0, "servers", "N", &servers_,
              "with a command: how many servers there are, 1 to 5 (default: 1)");
  flags.value(0, "patience", "S", &patience_,
              "with a command: give up if a client asks for nothing for S seconds (default: 10)");
}

Fallible<std::uint64_t> ClientFlags::number(const std::optional<Given>& given,
                                            std::uint64_t usual,
                                            std::uint64_t most) const {
  if (!given) return usual;
  const std::string example = fmt::format("{} {}", given->name, usual);
  if (!has_command()) {
    return Failure(usage, fmt::format("{} is for the clients of a command: write the command "
                                      "behind --, or leave it out",
                                      given->said()));
  }
  auto number = parse_number(*given, example.c_str());
  if (!number || *number <= most) return number;
  return Failure(usage, fmt::format("{} is more than {}; write {}", given->said(), most, example));
}

sim::ScheduleOptions options_of_run(const std::string& run) {
  const auto brief = sim::parse_short(run);
  return brief ? brief->options : sim::ScheduleOptions();
}

#ifndef INTERLOCK_CLI_HARNESS

std::optional<Failure> ClientFlags::begin(const sim::ScheduleOptions&) const {
  const auto apart = number(apart_, usual_apart, apart_max);
  if (!apart) return apart.error();
  const auto patience = number(patience_, usual_patience, patience_max);
  if (!patience) return patience.error();
  const auto servers = number(servers_, usual_servers, servers_max);
  if (!servers) return servers.error();
  if (!has_command()) return std::nullopt;
  return Failure(usage,
                 "this program was built without clients in other languages: build it with "
                 "liblua5.1-0-dev, or name a scenario");
}
const sim::catalogue::CatalogueEntry* client_entry() {
  return nullptr;
}
std::string client_words() {
  return {};
}
Fallible<sim::Verdict> search_clients(
    sim::Scenario& scenario, const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  return search(scenario);
}
std::optional<Failure> client_failure(const sim::Scenario&, sim::Verdict&) {
  return std::nullopt;
}
std::string client_figures() {
  return {};
}
std::vector<std::string> client_notes() {
  return {};
}
void watch_clients(std::function<bool(std::uint64_t runs)>) {}
bool learn_new_names() {
  return false;
}
void learn_all_names(const sim::ScheduleOptions&) {}

#else

namespace {

using harness::ClientReport;
using harness::Clients;

class Current {
 public:
  std::unique_ptr<Clients> clients;
  std::vector<std::string> command;
  milliseconds apart{usual_apart};
  std::uint64_t servers = usual_servers;
  std::uint64_t patience = usual_patience;  // s
  ClientReport names;  // what clients have reported so far; the scenario has these
  bool told_apart = false;
  bool differ = false;            // by more than what `names` says
  bool promises_nothing = false;  // the scenario is searched for names alone
  sim::catalogue::CatalogueEntry entry;
};

constexpr const char* one_difference =
    "what tells clients apart: only one such difference was searched";

Current& current() {
  static Current one;
  return one;
}

void add_properties(sim::Scenario& scenario, const ClientReport& names) {
  const auto require = [&scenario](sim::Property property) {
    if (current().promises_nothing) {
      scenario.offer(std::move(property));
    } else {
      scenario.require(std::move(property));
    }
  };
  for (const std::string& lock : names.locks) {
    require(sim::mutual_exclusion(lock));
    scenario.offer(sim::owner_only(lock));
    scenario.offer(sim::no_overwrite(lock));
    scenario.offer(sim::no_orphan(lock));
    scenario.sometimes(harness::entered(lock));
  }
  if (names.locks.empty()) {
    // No run reaches this, so nothing is proved; but the clients run, and report what they do.
    scenario.sometimes("a client enters a lock (INTERLOCK ENTER)");
  }
  if (names.locks.empty() || current().promises_nothing) {
    scenario.require(sim::never("something that no client reports"));
  }
  for (const std::string& lock : names.wanted) {
    scenario.offer(sim::every_waiter_acquires(lock));
  }
  for (const std::string& resource : names.resources) {
    scenario.offer(sim::fenced_writes(resource));
    if (names.checking.contains(resource)) scenario.resource_checks_fencing(resource);
  }
  for (const std::string& goal : names.goals) scenario.sometimes(goal);
  for (const std::string& event : names.forbidden) require(sim::never(event));
  // `--property never` is for a client that has been mended, too.
  if (names.forbidden.empty()) scenario.offer(sim::never("what INTERLOCK NEVER reports"));
}

sim::Scenario make_scenario(const sim::catalogue::Bounds& bounds) {
  constexpr auto begin = std::chrono::seconds(100);
  sim::Scenario scenario{std::string(command_scenario)};
  scenario.clients(bounds.clients.value_or(2), current().clients->program());
  scenario.instants(bounds.instants.value_or(1), current().apart).clocks_start_at(begin);
  scenario.servers(current().servers);
  scenario.symmetry(!current().told_apart);
  add_properties(scenario, current().names);
  return scenario;
}

sim::catalogue::CatalogueEntry make_entry() {
  sim::catalogue::CatalogueEntry entry;
  entry.name = command_scenario;
  entry.summary = "the clients of the command line";
  entry.make = make_scenario;
  entry.has_clients = true;
  return entry;
}

// The failure that a report tells of, if there is any.
std::optional<Failure> problem() {
  const std::string& what = current().clients->report().problem;
  if (what.empty() || current().clients->report().ended) return std::nullopt;
  return Failure(undecided, "not decided: " + printable(what, 400));
}

// What a client does depends on something that the search does not answer.
std::optional<Failure> not_deterministic(const sim::Verdict& verdict) {
  const bool is_it = verdict.reason.find(" is not deterministic") != std::string::npos;
  if (verdict.outcome != sim::Outcome::invalid || !is_it) return std::nullopt;
  constexpr std::size_t length_max = 2'000;
  const std::string what = verdict.reason.substr(0, verdict.reason.rfind(": take time"));
  return Failure(undecided,
                 fmt::format("not decided: {}: it may depend on nothing but Redis, its "
                             "clocks, its sleeps and its random numbers, and only one of its "
                             "processes may ask at a time",
                             printable(what, length_max)));
}

bool asks_by_name(const sim::ScheduleOptions& given) {
  return std::any_of(given.begin(), given.end(),
                     [](const auto& option) { return option.first == "property"; });
}

// A limit ended the search before a client entered. If no property is asked for by its name, the
// verdict says so.
std::optional<Failure> ended_early(const sim::ScheduleOptions& given) {
  const std::string& what = current().clients->report().problem;
  if (what.empty() && !asks_by_name(given)) return std::nullopt;
  return Failure(undecided,
                 "not decided: " + (what.empty() ? "the search was ended before a client "
                                                   "reported that it entered a lock"
                                                 : printable(what, 400)));
}

// A search that a limit ended tells nothing but how far it came.
void end_at_limit(sim::Verdict& verdict) {
  const std::string& what = current().clients->report().problem;
  verdict.outcome = sim::Outcome::incomplete;
  verdict.reason = what.empty() ? "the search was ended" : printable(what, 400);
  verdict.property.clear();
  verdict.vacuous.clear();
  verdict.run = sim::Run();
}

// A few runs of so many clients in the time of the search and without faults: what they report.
std::optional<Failure> learn_from(const char* clients, const sim::ScheduleOptions& given) {
  sim::ScheduleOptions few_clients{
      {"clients", clients}, {"faults", "none"}, {"deadlock", "allowed"}};
  for (const auto& option : given) {
    if (option.first == "instants") few_clients.push_back(option);
  }
  auto scenario = sim::catalogue::build(current().entry, few_clients);
  if (!scenario) return Failure(usage, scenario.error().detail());
  sim::RandomSearch few;
  few.runs = 3;
  few.repeated_steps = 0;
  sim::search_at_random(*scenario, few);
  if (current().clients->report().locks.empty()) {
    // Chance may have let too much time pass: all runs, then.
    sim::Limits limits;
    limits.states = 1'000;
    limits.repeated_steps = 0;
    if (auto failed = not_deterministic(sim::explore(*scenario, limits))) return failed;
  }
  learn_new_names();
  return problem();
}

// Whether some name that no client has reported yet could make these options right.
bool lacks_names(const sim::ScheduleOptions& given) {
  if (sim::catalogue::build(current().entry, given)) return false;
  const ClientReport known = current().names;
  for (auto* some : {&current().names.locks, &current().names.wanted, &current().names.resources,
                     &current().names.forbidden}) {
    some->insert("a name");
  }
  const bool right = sim::catalogue::build(current().entry, given).has_value();
  current().names = known;
  return right;
}

// A search for nothing but names, of the clients that `given` asks for, until no new one is
// reported or, if `given` needs one, there are enough.
void search_for_names(const sim::ScheduleOptions& given, bool all, std::size_t states_max) {
  sim::ScheduleOptions options = given;
  std::erase_if(options, [](const auto& option) {
    return option.first == "property" || option.first == "deadlock";
  });
  options.emplace_back("deadlock", "allowed");
  constexpr int rounds_max = 20;  // each has a new name
  for (int round = 0; round < rounds_max && (all || lacks_names(given)); ++round) {
    current().promises_nothing = true;
    auto scenario = sim::catalogue::build(current().entry, options);
    current().promises_nothing = false;
    if (!scenario) return;
    sim::Limits limits;
    limits.states = states_max;
    limits.repeated_steps = 0;
    sim::explore(*scenario, limits);
    if (!learn_new_names() || problem() || current().clients->report().ended) return;
  }
}

std::optional<Failure> learn_names(const sim::ScheduleOptions& given) {
  const ClientReport& report = current().clients->report();
  for (const char* const clients : {"1", "2"}) {
    if (auto failed = learn_from(clients, given)) return failed;
    current().told_apart = report.tells_clients_apart;
    if (!report.locks.empty()) break;
    if (report.ended) return ended_early(given);
  }
  if (!report.ended) search_for_names(given, false, 100'000);
  if (auto failed = problem()) return failed;
  if (report.locks.empty() && report.ended) return ended_early(given);
  if (!report.locks.empty() || !asks_by_name(given)) return std::nullopt;  // the verdict says it
  return Failure(usage,
                 "invalid: no client has reported that it entered a lock, so nothing would be "
                 "proved: let it send INTERLOCK ENTER lock to Redis");
}

}  // namespace

std::optional<Failure> ClientFlags::begin(const sim::ScheduleOptions& given) const {
  const auto apart = number(apart_, usual_apart, apart_max);
  if (!apart) return apart.error();
  const auto patience = number(patience_, usual_patience, patience_max);
  if (!patience) return patience.error();
  const auto servers = number(servers_, usual_servers, servers_max);
  if (!servers) return servers.error();
  if (!has_command()) return std::nullopt;
  // Before a search: the command line is wrong.
  if (const auto wrong = why_not_startable(command_.front())) return Failure(usage, wrong->message);
  if (const auto wrong = why_no_python_file(command_)) return *wrong;
  harness::HarnessOptions with;
  with.patience = std::chrono::seconds(*patience);
  with.servers = *servers;
  auto clients = Clients::start(command_, with);
  if (!clients)
    return Failure(undecided, "not decided: " + printable(clients.error().detail(), 400));
  Current& one = current();
  one.clients = std::move(*clients);
  one.command = command_;
  one.apart = milliseconds(*apart);
  one.servers = *servers;
  one.patience = *patience;
  one.entry = make_entry();
  return learn_names(given);
}

bool learn_new_names() {
  if (!current().clients) return false;
  const auto names_of = [](const ClientReport& report) {
    return std::tie(report.locks, report.wanted, report.resources, report.checking, report.goals,
                    report.forbidden);
  };
  const ClientReport& report = current().clients->report();
  const bool more = names_of(report) != names_of(current().names);
  if (more) current().names = report;
  return more;
}

void learn_all_names(const sim::ScheduleOptions& given) {
  if (current().clients) search_for_names(given, true, 2'000);
}

const sim::catalogue::CatalogueEntry* client_entry() {
  return current().clients ? &current().entry : nullptr;
}

std::string client_words() {
  if (!current().clients) return {};
  std::string words;
  if (current().apart != milliseconds(usual_apart)) {
    words += fmt::format(" --apart {}", current().apart.count());
  }
  if (current().servers != usual_servers) words += fmt::format(" --servers {}", current().servers);
  if (current().patience != usual_patience) {
    words += fmt::format(" --patience {}", current().patience);
  }
  words += " --";
  for (const std::string& word : current().command) words += " " + quoted(word);
  return words;
}

Fallible<sim::Verdict> search_clients(
    sim::Scenario& scenario, const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  if (!current().clients) return search(scenario);
  sim::Verdict verdict = search(scenario);
  // Something else differs, such as the id of a connection, which no renaming can follow either.
  const bool differ = verdict.outcome == sim::Outcome::invalid &&
                      verdict.reason.find(" not identical to ") != std::string::npos;
  const bool apart = current().clients->report().tells_clients_apart || differ;
  if (apart && scenario.symmetry() && !current().clients->report().ended && !problem()) {
    current().told_apart = true;
    current().differ = differ;
    scenario.symmetry(false);
    verdict = search(scenario);
  }
  if (const auto failed = client_failure(scenario, verdict)) return *failed;
  return verdict;
}

std::optional<Failure> client_failure(const sim::Scenario& scenario, sim::Verdict& verdict) {
  if (!current().clients) return std::nullopt;
  if (auto failed = problem()) return failed;
  const ClientReport& report = current().clients->report();
  const bool decided =
      verdict.outcome == sim::Outcome::violated || verdict.outcome == sim::Outcome::proved;
  if (report.ended && !decided) end_at_limit(verdict);
  verdict.trusts.insert(verdict.trusts.end(), report.trusts.begin(), report.trusts.end());
  if (current().differ) verdict.trusts.emplace_back(one_difference);
  if (report.sleeps && scenario.instants() == 1) {
    verdict.trusts.emplace_back(
        "no property depends on what a client does after a sleep: time stands still, so no sleep "
        "ends (--instants 2 or more lets time pass)");
  }
  if (report.failed_runs > 0) {
    const std::string words =
        report.last_words.empty() ? "nothing" : printable(report.last_words, 200);
    verdict.trusts.push_back(
        fmt::format("{} ended with an error, and would end so in the field; the last words of a "
                    "client: {}",
                    counted(report.failed_runs, "client run"), words));
  }
  return not_deterministic(verdict);
}

std::string client_figures() {
  if (!current().clients) return {};
  const ClientReport& report = current().clients->report();
  return fmt::format(", from {}", counted(report.runs, "client run"));
}

std::vector<std::string> client_notes() {
  std::vector<std::string> notes;
  if (!current().clients) return notes;
  if (current().told_apart) {
    notes.emplace_back(
        "clients are told apart, because they use random bytes, ids of connections or the order "
        "of owner tokens: INTERLOCK TOKEN, or in Python uuid and secrets, give tokens that need "
        "not be");
  }
  return notes;
}

void watch_clients(std::function<bool(std::uint64_t runs)> proceed) {
  if (!proceed) return Clients::watch(nullptr);
  Clients::watch(
      [ask = std::move(proceed)](const ClientReport& report) { return ask(report.runs); });
}

#endif

}  // namespace interlock::cli
