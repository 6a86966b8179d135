#include "model/script_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/leader.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "process/wait.hpp"

namespace interlock::sim {
namespace {

using Entries = std::map<Key, Entry>;

Entry renamed_entry(Entry entry, const Permutation& permutation) {
  entry.value = renamed(entry.value, permutation);
  return entry;
}

Entry later(Entry entry, milliseconds by) {
  if (entry.expiry) *entry.expiry += by;
  return entry;
}

RecordingKeyspace space_of(const ScriptCheck::Before& entries,
                           const RecordingKeyspace& like,
                           StoreTime now) {
  RecordingKeyspace space;
  space.set_now(now);
  space.is_in(like.known_incarnation());
  for (const auto& [key, entry] : entries) space.has(key, entry);
  return space;
}

bool same(const Entry& one, const Entry& other) {
  return one.value == other.value && one.type == other.type && one.expiry == other.expiry;
}

// Whether the other call has left what this one has, once each entry is changed by `change`.
template <class Change>
bool left_the_same(const RecordingKeyspace& space, const RecordingKeyspace& other, Change change) {
  if (space.entries().size() != other.entries().size()) return false;
  return std::all_of(space.entries().begin(), space.entries().end(), [&](const auto& stored) {
    const auto [key, entry] = change(stored.first, stored.second);
    const auto at = other.entries().find(key);
    return at != other.entries().end() && same(at->second, entry);
  });
}

template <class Change>
bool told_the_same(const RecordingKeyspace& space, const RecordingKeyspace& other, Change change) {
  return std::equal(space.published().begin(), space.published().end(), other.published().begin(),
                    other.published().end(), [&](const auto& one, const auto& two) {
                      return change(one.first.text()) == two.first.text() &&
                             change(one.second) == two.second;
                    });
}

// They keep the clock's time as a fencing token, and only ask which of two is greater. As time goes
// on, a token is greater than those before it, and so it is if the clock stands still: it counts
// on.
bool is_of_core(const Script& script) {
  static const std::array all{
      &queue_claim_script(),
      &queue_release_script(),
      &quarantined_queue_claim_script(),
      &quarantined_queue_release_script(),
      &claim_script(),
      &quarantined_claim_script(),
      &renew_script(),
      &release_script(),
      &group_claim_script(),
      &group_downgrade_script(),
      &group_renew_script(),
      &group_release_script(),
      &group_look_script(),
      &quarantined_group_claim_script(),
      &quarantined_group_downgrade_script(),
      &quarantined_group_release_script(),
      &proclaim_script(),
      &withdraw_script(),
      &look_for_leader_script(),
  };
  return std::find(all.begin(), all.end(), &script) != all.end();
}

std::string quoted(const Script& script) {
  return "the script '" + script.name() + "'";
}

}  // namespace

ScriptCheck::ScriptCheck(const Scenario& scenario) {
  const auto& processes = scenario.processes();
  for (std::size_t one = 0; one < processes.size(); ++one) {
    for (std::size_t other = one + 1; other < processes.size(); ++other) {
      if (processes[one].same_as != processes[other].same_as) continue;
      swaps_.push_back(Permutation::swap(one, other));
    }
  }
  // Where liveness is required, identical clients are told apart.
  if (!scenario.symmetry() || scenario.requires_liveness()) swaps_.clear();
  if (scenario.endless()) {
    constexpr milliseconds a_while{86'461'007};  // a day, and some odd time
    const auto apart = std::chrono::duration_cast<milliseconds>(scenario.apart());
    later_ = {apart, a_while, 365 * a_while};
  }
}

void ScriptCheck::look(const Before& before,
                       const Operation& operation,
                       const RecordingKeyspace& space,
                       const Reply& reply,
                       StoreTime now) {
  const Script* const script = script_of(operation);
  if (script == nullptr || !is_sampled(*script)) return;
  if (failure_.empty()) look_again(before, operation, space, reply, now);
  if (failure_.empty()) look_for_others(before, operation, space, reply, now);
  if (needs_time_.empty()) look_later(before, operation, space, reply, now);
}

// All of the first calls, which are all calls of a small scenario, and some of the others.
bool ScriptCheck::is_sampled(const Script& script) {
  constexpr std::uint64_t all_of_the_first = 2'000;
  constexpr std::uint64_t one_in = 16;
  const std::uint64_t call = calls_[&script]++;
  return call < all_of_the_first || call % one_in == 0;
}

void ScriptCheck::look_again(const Before& before,
                             const Operation& operation,
                             const RecordingKeyspace& space,
                             const Reply& reply,
                             StoreTime now) {
  RecordingKeyspace other = space_of(before, space, now);
  const Reply answer = interlock::apply(other, operation);
  const auto keep = [](const std::string& text) { return text; };
  const auto keep_stored = [](const Key& key, const Entry& entry) { return std::pair(key, entry); };
  if (answer == reply && left_the_same(space, other, keep_stored) &&
      told_the_same(space, other, keep)) {
    return;
  }
  failure_ = quoted(*script_of(operation)) +
             " does something else when it is run again: what it does may depend on its keys, its "
             "arguments and the store, and on nothing else";
}

void ScriptCheck::look_for_others(const Before& before,
                                  const Operation& operation,
                                  const RecordingKeyspace& space,
                                  const Reply& reply,
                                  StoreTime now) {
  for (const Permutation& swap : swaps_) {
    Before others;
    for (const auto& [key, entry] : before) {
      others.emplace_back(Key(renamed(key.text(), swap)), renamed_entry(entry, swap));
    }
    RecordingKeyspace other = space_of(others, space, now);
    const Reply answer = interlock::apply(other, renamed(operation, swap));
    const auto renamed_text = [&](const std::string& text) { return renamed(text, swap); };
    const auto rename_stored = [&](const Key& key, const Entry& entry) {
      return std::pair(Key(renamed(key.text(), swap)), renamed_entry(entry, swap));
    };
    if (answer == renamed(reply, swap) && left_the_same(space, other, rename_stored) &&
        told_the_same(space, other, renamed_text)) {
      continue;
    }
    failure_ =
        quoted(*script_of(operation)) +
        " does something else for one of two identical clients: it may compare owner tokens for "
        "equality, and neither order them nor take them apart; or tell the clients apart "
        "(Scenario::symmetry(false); --no-symmetry)";
    return;
  }
}

void ScriptCheck::look_later(const Before& before,
                             const Operation& operation,
                             const RecordingKeyspace& space,
                             const Reply& reply,
                             StoreTime now) {
  if (!space.read_clock() || is_of_core(*script_of(operation))) return;
  for (const milliseconds by : later_) {
    Before aged;
    for (const auto& [key, entry] : before) aged.emplace_back(key, later(entry, by));
    RecordingKeyspace other = space_of(aged, space, now + by);
    const Reply answer = interlock::apply(other, operation);
    const auto keep = [](const std::string& text) { return text; };
    const auto later_stored = [&](const Key& key, const Entry& entry) {
      return std::pair(key, later(entry, by));
    };
    if (answer == reply && left_the_same(space, other, later_stored) &&
        told_the_same(space, other, keep)) {
      continue;
    }
    needs_time_ = quoted(*script_of(operation)) +
                  " does something else at another time, because it keeps or compares times of the "
                  "server's clock, and time has no end: let a key expire instead, or give a number "
                  "of instants";
    return;
  }
}

}  // namespace interlock::sim
