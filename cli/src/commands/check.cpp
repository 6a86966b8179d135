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
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

constexpr const char* epilogue =
    R"(Exit codes: 0 all good; 1 usable, with warnings; 78 not safe for locks; 69
unreachable; 77 refused by the store's access control; 64 usage.
)";

std::string_view word(Fact::Verdict verdict) {
  switch (verdict) {
    case Fact::Verdict::good:
      return "good";
    case Fact::Verdict::warning:
      return "warning";
    case Fact::Verdict::bad:
      return "bad";
  }
  return "?";
}

std::string in_words(const Backend& backend, const std::vector<Fact>& facts) {
  std::size_t widest = 0;
  for (const Fact& fact : facts) widest = std::max(widest, fact.subject.size());
  std::string text = printable(backend.description(), 400) + "\n";
  const auto columns = terminal_columns();
  const auto add = [&](std::string_view verdict, std::string_view subject, std::string_view mark,
                       const std::string& said) {
    const std::string before =
        fmt::format("  {:<7}  {:<{}}  {}", verdict, printable(subject, 60), widest, mark);
    text += before + wrapped(printable(said, 400), before.size(), columns) + "\n";
  };
  for (const Fact& fact : facts) {
    add(word(fact.verdict), fact.subject, "", fact.fact);
    if (!fact.advice.empty()) add("", "", "-> ", fact.advice);
  }
  return text;
}

std::string in_json(const Backend& backend, const std::vector<Fact>& facts, Fact::Verdict worst) {
  using Json = nlohmann::ordered_json;
  Json object{{"v", 1},
              {"store", backend.description()},
              {"verdict", word(worst)},
              {"facts", Json::array()}};
  for (const Fact& fact : facts) {
    Json entry{{"verdict", word(fact.verdict)}, {"subject", fact.subject}, {"fact", fact.fact}};
    if (!fact.advice.empty()) entry["advice"] = fact.advice;
    object["facts"].push_back(std::move(entry));
  }
  return json_line(object) + "\n";
}

bool is_usable_or_refused(const Fact& fact) {
  return fact.verdict != Fact::Verdict::bad || fact.fact.find("NOPERM") != std::string::npos;
}

int check(const Invocation& given) {
  StoreFlags store_flags;
  bool json = false;
  Flags flags("check [flags]", "Checks whether a store is configured safely for locks.");
  store_flags.add_to(flags);
  flags.json(&json, STDOUT_FILENO);
  flags.epilogue(epilogue);
  const auto arguments = flags.parse(given.words, 0);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  const auto chosen = choose_store(store_flags);
  if (!chosen) return fail(chosen.error());

  ignore_broken_pipes();
  Backend& backend = *chosen->backend;
  const auto facts = backend.inspect();
  if (!facts) return fail(store_failure("store not checked", facts.error(), *chosen));
  auto worst = Fact::Verdict::good;
  for (const Fact& fact : *facts) worst = std::max(worst, fact.verdict);
  const int code = answer(json ? in_json(backend, *facts, worst) : in_words(backend, *facts));
  if (code != success) return code;
  switch (worst) {
    case Fact::Verdict::good:
      return success;
    case Fact::Verdict::warning:
      return warnings;
    case Fact::Verdict::bad:
      break;
  }
  return std::all_of(facts->begin(), facts->end(), is_usable_or_refused) ? refused
                                                                         : bad_configuration;
}

}  // namespace

extern const Command check_command;
const Command check_command{"check [flags]", "is this store configured safely for locks?", check};

}  // namespace interlock::cli
