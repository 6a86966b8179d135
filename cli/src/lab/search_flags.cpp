#include "lab/search_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interlock/detail/number.hpp"
#include "interlock/sim/memory_bound.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/memory.hpp"

namespace interlock::cli {
Fallible<std::uint64_t> parse_number(const Given& given, const char* example) {
  const auto number = detail::parse_number<std::uint64_t>(given.text);
  const auto wrong = [&](const std::string& why) {
    return Failure(given.fault_code(), fmt::format("{} {}; write {}", given.said(), why, example));
  };
  const bool digits = given.text.find_first_not_of("0123456789") == std::string::npos;
  if (given.text.empty() || !digits) return wrong("is no whole number");
  if (!number) return wrong(fmt::format("is more than {}", ~std::uint64_t{0}));
  if (*number == 0) return wrong("is less than 1");
  return *number;
}

void SearchFlags::add_to(Flags& flags) {
  flags.value(0, "clients", "N", &clients, "how many clients, 1 to 8");
  flags.value(0, "attempts", "N", &attempts, "how often each tries to get the lock");
  flags.value(0, "instants", "N", &instants, "how many instants time has; endless: time has no end")
      .suggested = {"endless"};
  flags
      .value(0, "faults", "LIST", &faults,
             "what may go wrong: none, 2 (any two), crash,lost-reply:2, 1/crash,restart, pause:1")
      .suggested = fault_names();
  flags
      .value(0, "property", "LIST", &property,
             "check only these: mutual-exclusion, lease-exclusion, every-waiter-acquires ...")
      .suggested = property_names();
  flags.toggle(0, "allow-deadlock", &allow_deadlock, "do not report deadlocks");
  flags.value(0, "max-states", "N", &max_states, "give up after N states", "INTERLOCK_MAX_STATES");
  flags.value(0, "max-memory", "SIZE", &max_memory,
              "give up when the search needs SIZE of memory: 400M, 2G (default: half of what is "
              "free)",
              "INTERLOCK_MAX_MEMORY");
  flags.value(0, "seconds", "S", &max_seconds, "give up after S seconds", "INTERLOCK_SECONDS");
}

sim::ScheduleOptions SearchFlags::options(sim::ScheduleOptions base) const {
  const auto set = [&base](const char* name, const std::optional<Given>& given) {
    if (!given) return;
    const auto at = std::find_if(base.begin(), base.end(),
                                 [name](const auto& option) { return option.first == name; });
    if (at == base.end()) {
      base.emplace_back(name, given->text);
    } else {
      at->second = given->text;
    }
  };
  set("clients", clients);
  set("attempts", attempts);
  set("instants", instants);
  set("faults", faults);
  set("property", property);
  if (allow_deadlock) set("deadlock", Given("allowed", "--allow-deadlock", false));
  return base;
}

namespace {

// The memory that each thread keeps counts, too.
std::size_t threads_count(const sim::Limits& limits) {
  return limits.team == nullptr ? 1 : limits.team->size();
}

constexpr std::uint64_t most_seconds = 1'000'000'000;

}  // namespace

std::string SearchFlags::more_bounds(const sim::Limits& limits, const sim::Verdict& verdict) const {
  std::string text;
  const bool ended_it = verdict.memory_limit > 0;
  if (max_memory && !ended_it) text += ", " + sim::memory_bound(limits.memory);
  if (threads_count(limits) > 1 && (max_memory || ended_it)) {
    text += fmt::format(", {} threads", threads_count(limits));
  }
  const auto most = seconds();
  if (most && most->count() > 0) text += fmt::format(", at most {} s", most->count());
  return text;
}

std::string SearchFlags::limit_words(const sim::Limits& limits, const sim::Verdict& verdict) const {
  std::string words;
  if (limits.states != sim::Limits().states)
    words += fmt::format(" --max-states {}", limits.states);
  const std::uint64_t ended_by = verdict.memory_limit;
  if (max_memory || ended_by > 0) {
    words += " --max-memory " + memory_words(ended_by > 0 ? ended_by : limits.memory);
    const std::size_t threads = threads_count(limits);
    if (threads > 1) words += fmt::format(" --threads {}", threads);
  }
  const auto most = seconds();
  if (most && most->count() > 0) words += fmt::format(" --seconds {}", most->count());
  return words;
}

Fallible<sim::Limits> SearchFlags::limits() const {
  sim::Limits limits;
  if (max_states) {
    const auto number = parse_number(*max_states, "--max-states 1000000");
    if (!number) return number.error();
    limits.states = *number;
  }
  limits.memory = memory_share();
  if (max_memory) {
    const auto size = parse_memory(*max_memory, "--max-memory 400M");
    if (!size) return size.error();
    limits.memory = *size;
  }
  return limits;
}

Fallible<std::chrono::seconds> SearchFlags::seconds() const {
  if (!max_seconds) return std::chrono::seconds(0);
  const auto number = parse_number(*max_seconds, "--seconds 60");
  if (!number) return number.error();
  if (*number > most_seconds) {
    return Failure(max_seconds->fault_code(), fmt::format("{} is more than {}; write --seconds 60",
                                                          max_seconds->said(), most_seconds));
  }
  return std::chrono::seconds(*number);
}

}  // namespace interlock::cli
