#include "lab/client_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/sim/random_search.hpp"
#include "lab/search_flags.hpp"
#include "lab/simulated.hpp"
#ifdef INTERLOCK_CLI_HARNESS
#include "interlock/harness/clients.hpp"
#endif

namespace interlock::cli {

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

void ClientFlags::add_to(Flags& flags) {
  flags.value(0, "apart", "MS", &apart_,
              "with a command: how far apart instants are, in milliseconds (default: 1000)");
  flags.value(0, "patience", "S", &patience_,
              "with a command: give up if a client asks for nothing for S seconds (default: 10)");
}

sim::ScheduleOptions options_of_run(const std::string& run) {
  const auto brief = sim::parse_short(run);
  return brief ? brief->options : sim::ScheduleOptions();
}

#ifndef INTERLOCK_CLI_HARNESS

std::optional<Failure> ClientFlags::begin(const sim::ScheduleOptions&) const {
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
std::optional<Failure> client_failure(sim::Verdict&) {
  return std::nullopt;
}
std::string client_figures() {
  return {};
}
std::vector<std::string> client_notes() {
  return {};
}
void watch_clients(std::function<bool(std::uint64_t runs)>) {}

#else

namespace {

using harness::ClientReport;
using harness::Clients;

class Current {
 public:
  std::unique_ptr<Clients> clients;
  std::vector<std::string> command;
  milliseconds apart{1000};
  ClientReport names;  // what one client alone has reported
  bool told_apart = false;
  sim::catalogue::CatalogueEntry entry;
};

Current& current() {
  static Current one;
  return one;
}

void add_properties(sim::Scenario& scenario, const ClientReport& names) {
  for (const std::string& lock : names.locks) {
    scenario.require(sim::mutual_exclusion(lock));
    scenario.offer(sim::owner_only(lock));
    scenario.offer(sim::no_overwrite(lock));
    scenario.offer(sim::no_orphan(lock));
    scenario.sometimes(harness::entered(lock));
  }
  if (names.locks.empty()) {
    // No run reaches this, so nothing is proved; but the clients run, and report what they do.
    scenario.sometimes("a client enters a lock (INTERLOCK ENTER)");
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
  for (const std::string& event : names.forbidden) scenario.require(sim::never(event));
}

sim::Scenario make_scenario(const sim::catalogue::Bounds& bounds) {
  constexpr auto begin = std::chrono::seconds(100);
  sim::Scenario scenario{std::string(command_scenario)};
  scenario.clients(bounds.clients.value_or(2), current().clients->program());
  scenario.instants(bounds.instants.value_or(1), current().apart).clocks_start_at(begin);
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

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") ==
          std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      text += "'\\''";
    } else {
      text += letter;
    }
  }
  return text + "'";
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

// A few runs of one client, or of two, in the time of the search and without faults: what they
// report.
std::optional<Failure> learn_names(const sim::ScheduleOptions& given) {
  for (const char* const clients : {"1", "2"}) {
    sim::ScheduleOptions alone{{"clients", clients}, {"faults", "none"}, {"deadlock", "allowed"}};
    for (const auto& option : given) {
      if (option.first == "instants") alone.push_back(option);
    }
    auto scenario = sim::catalogue::build(current().entry, alone);
    if (!scenario) return Failure(usage, scenario.error().detail());
    sim::RandomSearch few;
    few.runs = 3;
    few.repeated_steps = 0;
    sim::search_at_random(*scenario, few);
    if (current().clients->report().locks.empty()) {
      // The random runs may have let too much time pass, so this searches all runs.
      sim::Limits limits;
      limits.states = 1'000;
      limits.repeated_steps = 0;
      sim::explore(*scenario, limits);
    }
    if (const auto failed = problem()) return failed;
    current().names = current().clients->report();
    current().told_apart = current().names.tells_clients_apart;
    if (!current().names.locks.empty()) return std::nullopt;
    if (current().clients->report().ended) return ended_early(given);
  }
  if (!asks_by_name(given)) return std::nullopt;  // the verdict says it
  return Failure(usage,
                 "invalid: no client has reported that it entered a lock, so nothing would be "
                 "proved: let it send INTERLOCK ENTER lock to Redis");
}

}  // namespace

std::optional<Failure> ClientFlags::begin(const sim::ScheduleOptions& given) const {
  std::uint64_t apart = 1000;
  if (apart_) {
    const auto number = parse_number(*apart_, "--apart 1000");
    if (!number) return number.error();
    apart = std::min<std::uint64_t>(*number, 1'000'000'000);
  }
  std::uint64_t patience = 10;
  if (patience_) {
    const auto number = parse_number(*patience_, "--patience 10");
    if (!number) return number.error();
    patience = std::min<std::uint64_t>(*number, 1'000'000);
  }
  auto clients = Clients::start(command_, std::chrono::seconds(patience));
  if (!clients)
    return Failure(undecided, "not decided: " + printable(clients.error().detail(), 400));
  Current& one = current();
  one.clients = std::move(*clients);
  one.command = command_;
  one.apart = milliseconds(apart);
  one.entry = make_entry();
  return learn_names(given);
}

const sim::catalogue::CatalogueEntry* client_entry() {
  return current().clients ? &current().entry : nullptr;
}

std::string client_words() {
  if (!current().clients) return {};
  std::string words;
  if (current().apart != milliseconds(1000)) {
    words += fmt::format(" --apart {}", current().apart.count());
  }
  words += " --";
  for (const std::string& word : current().command) words += " " + quoted(word);
  return words;
}

Fallible<sim::Verdict> search_clients(
    sim::Scenario& scenario, const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  if (!current().clients) return search(scenario);
  sim::Verdict verdict = search(scenario);
  const bool apart = current().clients->report().tells_clients_apart;
  if (apart && scenario.symmetry() && !current().clients->report().ended && !problem()) {
    current().told_apart = true;
    scenario.symmetry(false);
    verdict = search(scenario);
  }
  if (const auto failed = client_failure(verdict)) return *failed;
  return verdict;
}

std::optional<Failure> client_failure(sim::Verdict& verdict) {
  if (!current().clients) return std::nullopt;
  if (const auto failed = problem()) return failed;
  const ClientReport& report = current().clients->report();
  const bool decided =
      verdict.outcome == sim::Outcome::violated || verdict.outcome == sim::Outcome::proved;
  if (report.ended && !decided) end_at_limit(verdict);
  verdict.trusts.insert(verdict.trusts.end(), report.trusts.begin(), report.trusts.end());
  const auto end = verdict.reason.find(" is not deterministic");
  if (verdict.outcome != sim::Outcome::invalid || end == std::string::npos) return std::nullopt;
  const std::string what = verdict.reason.substr(0, verdict.reason.rfind(": take time"));
  return Failure(undecided, fmt::format("not decided: {}: it may depend on nothing but Redis, its "
                                        "clocks, its sleeps and its random numbers",
                                        printable(what, 400)));
}

std::string client_figures() {
  if (!current().clients) return {};
  const ClientReport& report = current().clients->report();
  return fmt::format(", from {}", counted(report.runs, "client run"));
}

std::vector<std::string> client_notes() {
  std::vector<std::string> notes;
  if (!current().clients) return notes;
  const ClientReport& report = current().clients->report();
  if (current().told_apart) {
    notes.emplace_back(
        "clients are told apart, because they draw random bytes, or compare owner tokens: "
        "INTERLOCK TOKEN, or in Python uuid and secrets, give tokens that need not be");
  }
  if (report.failed_runs > 0) {
    const std::string words =
        report.last_words.empty() ? "nothing" : printable(report.last_words, 200);
    notes.push_back(fmt::format("{} ended with an error; the last words of a client: {}",
                                counted(report.failed_runs, "client run"), words));
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
