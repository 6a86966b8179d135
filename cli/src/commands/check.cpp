// interlock check: is this store configured safely for locks?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/json_line.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Says of each setting that matters whether it is good, a warning or bad, and what
to do: persistence, eviction, replicas, the clock, access rights, the file system.
With LOCK it also looks whether this user may use the keys and channels of that
lock on a Redis server. Name one if the user may use only some keys.
Changes nothing but what the first use of a store makes anyway: its file.
)";
  all.exits = and_usual({{"0", "all good"}, {"1", "usable, with warnings"}},
                        {usage, unreachable, operating_system, refused, bad_configuration});
  all.examples = {
      {"The store of this machine", "interlock check"},
      {"A server, with its URL from a file", "interlock check --store-file ~/.interlock-store"},
      {"What this user may do there with one lock",
       "interlock check --store redis://locker@db/0 app/deploy"}};
  all.see_also = "interlock-stores(7)";
  return all;
}

std::string_view word(Finding::Grade verdict) {
  switch (verdict) {
    case Finding::Grade::good:
      return "good";
    case Finding::Grade::warning:
      return "warning";
    case Finding::Grade::bad:
      return "bad";
  }
  return "?";
}

std::string in_words(const Backend& backend, const std::vector<Finding>& findings) {
  std::size_t widest = 0;
  for (const Finding& finding : findings) widest = std::max(widest, finding.subject.size());
  std::string text = printable(backend.description(), 400) + "\n";
  const auto columns = terminal_columns();
  const auto add = [&](std::string_view verdict, std::string_view subject, std::string_view mark,
                       const std::string& said) {
    const std::string before =
        fmt::format("  {:<7}  {:<{}}  {}", verdict, printable(subject, 60), widest, mark);
    text += before + wrapped(printable(said, 400), before.size(), columns) + "\n";
  };
  for (const Finding& finding : findings) {
    add(word(finding.grade), finding.subject, "", finding.fact);
    if (!finding.advice.empty()) add("", "", "-> ", finding.advice);
  }
  return text;
}

std::string in_json(const Backend& backend,
                    const std::optional<LockName>& lock,
                    const std::vector<Finding>& findings,
                    Finding::Grade worst) {
  using Json = nlohmann::ordered_json;
  Json object{{"v", 1}, {"store", backend.description()}};
  if (lock) object["lock"] = lock->text();
  object["verdict"] = word(worst);
  object["facts"] = Json::array();
  for (const Finding& finding : findings) {
    Json entry{
        {"verdict", word(finding.grade)}, {"subject", finding.subject}, {"fact", finding.fact}};
    if (!finding.advice.empty()) entry["advice"] = finding.advice;
    object["facts"].push_back(std::move(entry));
  }
  return json_line(object) + "\n";
}

bool is_usable_or_refused(const Finding& finding) {
  return finding.grade != Finding::Grade::bad || finding.fact.find("NOPERM") != std::string::npos;
}

int check(const Invocation& given) {
  StoreFlags store_flags;
  bool json = false;
  Flags flags("check [flags] [LOCK]", "Checks whether a store is configured safely for locks.");
  store_flags.add_to(flags);
  flags.json(&json, STDOUT_FILENO);
  flags.operand("LOCK", held_locks_of(store_flags));
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  std::optional<LockName> lock;
  if (!arguments->operands.empty()) {
    auto parsed = parse_name_to_acquire(arguments->operands.front());
    if (!parsed) return fail(parsed.error());
    lock = std::move(*parsed);
    name_lock_in_failures(lock->text());
  }
  const auto chosen = choose_store(store_flags);
  if (!chosen) return fail(chosen.error());

  ignore_broken_pipes();
  Backend& backend = *chosen->backend;
  const auto findings = lock ? backend.inspect_for(*lock) : backend.inspect();
  if (!findings) return fail(store_failure("store not checked", findings.error(), *chosen));
  auto worst = Finding::Grade::good;
  for (const Finding& finding : *findings) worst = std::max(worst, finding.grade);
  const int code =
      answer(json ? in_json(backend, lock, *findings, worst) : in_words(backend, *findings));
  if (code != success) return code;
  switch (worst) {
    case Finding::Grade::good:
      return success;
    case Finding::Grade::warning:
      return warnings;
    case Finding::Grade::bad:
      break;
  }
  return std::all_of(findings->begin(), findings->end(), is_usable_or_refused) ? refused
                                                                               : bad_configuration;
}

}  // namespace

extern const Command check_command;
const Command check_command{"check [flags] [LOCK]", "is this store configured safely for locks?",
                            check};

}  // namespace interlock::cli
