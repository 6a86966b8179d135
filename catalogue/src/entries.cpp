#include <algorithm>
#include <string>

#include "all.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/sim/fault_text.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t attempts_most = 100;
constexpr std::size_t instants_most = 10'000;

// The entries in the order of teaching. Besides all.hpp and the list in CMakeLists.txt, this is the
// only place that knows them all.
constexpr Entries (*files[])() = {del_setnx_lock,
                                  stamp_lock,
                                  stamp_equal_lock,
                                  setnx_expire_lock,
                                  bill_lock,
                                  script_lock,
                                  compare_script_lock,
                                  lease_lock,
                                  queue_lock,
                                  setnx_crash,
                                  del_setnx_c0c2,
                                  getset_loser_c3c4,
                                  getset_loser_extends,
                                  getset_loser_shortens,
                                  get_nil_as_expired,
                                  getset_nil_as_fail,
                                  born_expired,
                                  second_granularity,
                                  expiry_edge,
                                  clock_skew,
                                  clock_jump,
                                  blind_del_after_expiry,
                                  check_then_del,
                                  pause_after_acquire,
                                  pause_before_reply_used,
                                  lost_reply_new_token,
                                  lost_reply_retry_del,
                                  lost_reply_false_alarm,
                                  late_execution,
                                  reply_desync,
                                  reentrant_count_leak,
                                  renew_races_expiry,
                                  renew_resurrects,
                                  renew_nonpositive,
                                  watchdog_zombie,
                                  watchdog_outlives_unlock,
                                  watchdog_skips,
                                  negative_ttl_infinite,
                                  release_refused,
                                  evicted,
                                  local_registry_evicted,
                                  wrongtype,
                                  token_reuse,
                                  period_ends_with_its_command,
                                  flush_or_operator_del,
                                  lost_wakeup,
                                  expiry_has_no_message,
                                  blpop_token_lost,
                                  thundering_herd,
                                  starvation_spin,
                                  first_waiter_dropped,
                                  dead_waiter_at_head,
                                  reader_starves_writer,
                                  partial_batch_leak,
                                  lock_order_deadlock,
                                  batch_expires_unevenly,
                                  semaphore_skew,
                                  two_names_for_one_thing,
                                  failover_loses_write,
                                  failover_loses_release,
                                  failover_skewed_clock,
                                  failover_clock_behind,
                                  wait_not_enough,
                                  stale_replica_read,
                                  redlock_restart_no_disk,
                                  redlock_server_clock_jump,
                                  redlock_split,
                                  redlock_slow_acquire,
                                  redlock_no_cleanup,
                                  fence_counter_lost,
                                  fence_not_checked,
                                  lease_safe_store_unsafe_lock};

Entries in_order() {
  Entries all;
  for (const auto of_a_file : files) {
    for (CatalogueEntry& entry : of_a_file()) all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace

std::string_view to_string(Family family) noexcept {
  switch (family) {
    case Family::locks:
      return "locks";
    case Family::setnx:
      return "setnx";
    case Family::ttl:
      return "ttl";
    case Family::waiting:
      return "waiting";
    case Family::replication:
      return "replication";
  }
  return "unknown";
}

std::string_view CatalogueEntry::repaired() const noexcept {
  const auto at = std::find_if(repairs.begin(), repairs.end(),
                               [](const Repair& repair) { return repair.right; });
  return at == repairs.end() ? std::string_view() : at->scenario;
}

const std::vector<CatalogueEntry>& entries() {
  static const std::vector<CatalogueEntry> all = in_order();
  return all;
}

const CatalogueEntry* find(std::string_view name) {
  const auto at = std::find_if(entries().begin(), entries().end(),
                               [name](const CatalogueEntry& entry) { return entry.name == name; });
  return at == entries().end() ? nullptr : &*at;
}

namespace {

Result<std::size_t> parse_count(const std::string& option,
                                const std::string& text,
                                std::size_t most) {
  const auto count = detail::parse_number<std::size_t>(text, 1, most);
  if (!count) {
    return Error(Errc::invalid_argument, "'" + option + "' is '" + text +
                                             "': write a number from 1 to " + std::to_string(most) +
                                             (option == "instants" ? ", or endless" : ""));
  }
  return *count;
}

std::optional<PropertyKind> kind_named(std::string_view word) {
  for (std::size_t kind = 0; kind < property_kinds; ++kind) {
    if (to_string(static_cast<PropertyKind>(kind)) == word) return static_cast<PropertyKind>(kind);
  }
  return std::nullopt;
}

// The words of an option: several are divided by commas.
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    words.push_back(text.substr(0, text.find(',')));
    if (words.back().size() == text.size()) return words;
    text.remove_prefix(words.back().size() + 1);
  }
}

// `of`: the scenario that is asked, in quotes, or nothing.
Error no_property(std::string_view word, const std::string& of, const std::string& known) {
  return {Errc::invalid_argument,
          "'" + std::string(word) + "' is no property" + of + ": write one or more of " + known};
}

Result<std::vector<PropertyKind>> parse_properties(std::string_view text) {
  std::vector<PropertyKind> kinds;
  for (const std::string_view word : words_in(text)) {
    const auto kind = kind_named(word);
    if (!kind) {
      std::string known;
      for (std::size_t at = 0; at < property_kinds; ++at) {
        known += (at > 0 ? ", " : "") + std::string(to_string(static_cast<PropertyKind>(at)));
      }
      return no_property(word, "", known);
    }
    kinds.push_back(*kind);
  }
  return kinds;
}

std::string attempts_text(std::size_t attempts) {
  return std::to_string(attempts) + (attempts == 1 ? " attempt each" : " attempts each");
}

std::string property_list(const Scenario& scenario) {
  std::vector<PropertyKind> listed;
  std::string list;
  for (const std::vector<Property>* some : {&scenario.properties(), &scenario.offered()}) {
    for (const Property& property : *some) {
      if (std::find(listed.begin(), listed.end(), property.kind) != listed.end()) continue;
      listed.push_back(property.kind);
      list += (list.empty() ? "" : ", ") + std::string(to_string(property.kind));
    }
  }
  return list;
}

// The catalogue knows which properties its own scenarios have, so the error names only these. For a
// scenario that is a command it stays as it is: asking the scenario would start the command.
Error with_its_own_properties(const CatalogueEntry& entry,
                              const ScheduleOptions& options,
                              const Error& wrong) {
  if (find(entry.name) != &entry) return wrong;
  for (const auto& [name, value] : options) {
    if (name != "property") continue;
    for (const std::string_view word : words_in(value)) {
      if (kind_named(word)) continue;
      return no_property(word, " of '" + std::string(entry.name) + "'",
                         property_list(entry.make({})));
    }
  }
  return wrong;
}

}  // namespace

Result<Bounds> parse_bounds(const ScheduleOptions& options) {
  Bounds bounds;
  for (const auto& [name, value] : options) {
    if (name == "faults") {
      const Result<FaultBudget> faults = parse_faults(value);
      if (!faults) return faults.error();
      bounds.faults = *faults;
      continue;
    }
    if (name == "property") {
      const Result<std::vector<PropertyKind>> properties = parse_properties(value);
      if (!properties) return properties.error();
      bounds.properties = *properties;
      continue;
    }
    if (name == "deadlock") {
      if (value != "allowed") {
        return Error(Errc::invalid_argument,
                     "'deadlock' is '" + value + "': write allowed, or leave it out");
      }
      bounds.deadlock_allowed = true;
      continue;
    }
    if (name == "instants" && value == "endless") {
      bounds.endless = true;
      continue;
    }
    std::optional<std::size_t>* into = nullptr;
    std::size_t most = 0;
    if (name == "clients") {
      into = &bounds.clients;
      most = Scenario::clients_max;
    } else if (name == "attempts") {
      into = &bounds.attempts;
      most = attempts_most;
    } else if (name == "instants") {
      into = &bounds.instants;
      most = instants_most;
    } else {
      return Error(Errc::invalid_argument,
                   "'" + name +
                       "' is no option: write clients, attempts, instants, faults, property or "
                       "deadlock");
    }
    const Result<std::size_t> count = parse_count(name, value, most);
    if (!count) return count.error();
    *into = *count;
  }
  const std::vector<PropertyKind>& kinds = bounds.properties;
  const bool asked = std::find(kinds.begin(), kinds.end(), PropertyKind::deadlock) != kinds.end();
  if (asked && bounds.deadlock_allowed) {
    return Error(Errc::invalid_argument,
                 "'property' asks for deadlock and 'deadlock' allows it: leave one of them out");
  }
  return bounds;
}

Result<Scenario> build(std::string_view name, const ScheduleOptions& options) {
  const CatalogueEntry* entry = find(name);
  if (entry == nullptr) {
    return Error(Errc::invalid_argument,
                 "there is no scenario '" + std::string(name) + "': see interlock scenarios");
  }
  return build(*entry, options);
}

Result<Scenario> build(const CatalogueEntry& of, const ScheduleOptions& options) {
  const CatalogueEntry* const entry = &of;
  const std::string_view name = of.name;
  const Result<Bounds> bounds = parse_bounds(options);
  if (!bounds) return with_its_own_properties(of, options, bounds.error());
  if (bounds->attempts && !entry->has_attempts) {
    return Error(Errc::invalid_argument, "how often the clients of '" + std::string(name) +
                                             "' try is fixed: leave 'attempts' out");
  }
  if (bounds->clients && !entry->has_clients) {
    return Error(Errc::invalid_argument,
                 "the clients of '" + std::string(name) + "' are fixed: leave 'clients' out");
  }
  Scenario scenario = entry->make(*bounds);
  scenario.named(std::string(name));
  if (entry->has_attempts) scenario.bounded_by(attempts_text(bounds->attempts.value_or(1)));
  if (bounds->instants) scenario.instants(*bounds->instants, scenario.apart());
  // A scenario that has no end anyway may have said what is the longest.
  if (bounds->endless && !scenario.endless()) scenario.time_without_end();
  for (const auto& [option, value] : options) {
    // What the text leaves open is as the scenario has it.
    if (option == "faults") scenario.faults(*parse_faults(value, scenario.faults()));
  }
  if (bounds->deadlock_allowed) scenario.allow_deadlock();
  if (!bounds->properties.empty() && !scenario.require_only(bounds->properties)) {
    return Error(
        Errc::invalid_argument,
        "'" + std::string(name) + "' has no such property: it has " + property_list(scenario));
  }
  return scenario;
}

}  // namespace interlock::sim::catalogue
