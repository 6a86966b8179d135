#include "model/script_check.hpp"

#include <algorithm>
#include <array>

#include "interlock/leader.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "process/wait.hpp"

namespace interlock::sim {
namespace {

// The same call in a world that should make no difference: under other names, or later.
class OtherWorld {
 public:
  OtherWorld() = default;
  explicit OtherWorld(const Permutation& exchanged) : names_(exchanged) {}
  explicit OtherWorld(milliseconds by) : later_(by) {}

  StoreTime at(StoreTime now) const { return now + later_; }
  std::string text(const std::string& text) const { return renamed(text, names_); }
  Reply reply(const Reply& reply) const { return renamed(reply, names_); }
  Operation operation(const Operation& operation) const { return renamed(operation, names_); }
  Key key(const Key& key) const { return Key(text(key.text())); }
  Entry entry(Entry entry) const {
    entry.value = text(entry.value);
    if (entry.expiry) *entry.expiry += later_;
    return entry;
  }

 private:
  Permutation names_;
  milliseconds later_{0};
};

bool left_the_same(const CheckedCall& call,
                   const OtherWorld& world,
                   const RecordingKeyspace& other) {
  const auto& entries = call.after.entries();
  if (entries.size() != other.entries().size()) return false;
  return std::all_of(entries.begin(), entries.end(), [&](const auto& stored) {
    const auto at = other.entries().find(world.key(stored.first));
    return at != other.entries().end() && at->second == world.entry(stored.second);
  });
}

bool published_the_same(const CheckedCall& call,
                        const OtherWorld& world,
                        const RecordingKeyspace& other) {
  const auto& messages = call.after.published();
  return std::equal(messages.begin(), messages.end(), other.published().begin(),
                    other.published().end(), [&](const auto& one, const auto& two) {
                      return world.text(one.first.text()) == two.first.text() &&
                             world.text(one.second) == two.second;
                    });
}

bool does_the_same(const CheckedCall& call, const OtherWorld& world) {
  RecordingKeyspace other;
  other.set_now(world.at(call.now));
  other.is_in(call.after.known_incarnation());
  for (const auto& [key, entry] : call.before) other.has(world.key(key), world.entry(entry));
  const Reply reply = interlock::apply(other, world.operation(call.operation));
  return reply == world.reply(call.reply) && left_the_same(call, world, other) &&
         published_the_same(call, world, other);
}

// A script that remembers its calls, and has done something else in another world, may do the same
// several times before it does so in this one.
bool is_repeatable(const CheckedCall& call, bool was_other) {
  const int times = was_other ? 64 : 1;
  for (int time = 0; time < times; ++time) {
    if (!does_the_same(call, OtherWorld())) return false;
  }
  return true;
}

// interlock's own scripts keep the clock's time as a fencing token, and only ask which of two is
// greater. A later token is greater than an earlier one as time goes on, and also if the clock
// stands still, because then the scripts count on.
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

// Times at which a script might do something else: it may count instants, or ask for the hour or
// the day.
std::vector<milliseconds> later_times(Duration apart) {
  constexpr int instants = 1'000;
  constexpr int days = 400;
  constexpr milliseconds hour = std::chrono::hours(1);
  constexpr milliseconds odd{461'007};
  std::vector<milliseconds> times;
  const auto instant = std::chrono::duration_cast<milliseconds>(apart);
  for (int number = 1; number <= instants; ++number) times.push_back(number * instant);
  for (int number = 1; number <= 24; ++number) times.push_back(number * hour);
  for (int number = 1; number <= days; ++number) times.push_back(number * 24 * hour);
  for (int number = 1; number <= 24; ++number) times.push_back(number * (hour + odd));
  return times;
}

}  // namespace

ScriptCheck::ScriptCheck(const Scenario& scenario) {
  // Where liveness is required, identical clients are told apart.
  const bool merges = scenario.symmetry() && !scenario.requires_liveness();
  const auto& processes = scenario.processes();
  for (std::size_t one = 0; merges && one < processes.size(); ++one) {
    for (std::size_t other = one + 1; other < processes.size(); ++other) {
      if (processes[one].same_as != processes[other].same_as) continue;
      swaps_.push_back(Permutation::swap(one, other));
    }
  }
  if (scenario.endless()) later_ = later_times(scenario.apart());
}

void ScriptCheck::look(const CheckedCall& call) {
  const Script* const script = script_of(call.operation);
  if (script == nullptr || !is_sampled(*script)) return;
  const auto is_other = [&call](const auto& change) {
    return !does_the_same(call, OtherWorld(change));
  };
  const bool exchanged = std::any_of(swaps_.begin(), swaps_.end(), is_other);
  const bool timed = needs_time_.empty() && depends_on_time(*script, call);
  const std::string it = "the script '" + script->name() + "' does something else ";
  if (failure_.empty() && !is_repeatable(call, exchanged || timed)) {
    failure_ = it +
               "when it is run again: what it does may depend on its keys, its arguments and the "
               "store, and on nothing else";
  }
  if (failure_.empty() && exchanged) {
    failure_ = it +
               "for one of two identical clients: it may compare owner tokens for equality, and "
               "neither order them nor take them apart; or tell the clients apart "
               "(Scenario::symmetry(false); --no-symmetry)";
  }
  if (timed) {
    needs_time_ = it +
                  "at another time, because it keeps or compares times of the server's clock, and "
                  "time has no end: let a key expire instead, or give a number of instants";
  }
}

// Runs the first calls at all of the later times, and the others at a few, in turn.
bool ScriptCheck::depends_on_time(const Script& script, const CheckedCall& call) {
  constexpr std::uint64_t calls_at_all = 32;
  constexpr std::uint64_t times_of_others = 4;
  if (later_.empty() || !call.after.read_clock() || is_of_core(script)) return false;
  const std::uint64_t number = timed_calls_[&script]++;
  const std::uint64_t times = number < calls_at_all ? later_.size() : times_of_others;
  for (std::uint64_t time = 0; time < times; ++time) {
    const milliseconds later = later_[(number * times_of_others + time) % later_.size()];
    if (!does_the_same(call, OtherWorld(later))) return true;
  }
  return false;
}

std::vector<std::string> ScriptCheck::trusts() const {
  std::vector<std::string> all;
  for (const auto& [script, calls] : timed_calls_) {
    all.push_back("the script '" + script->name() +
                  "' does the same at any time (a sample compared)");
  }
  std::sort(all.begin(), all.end());  // the map is in the order of addresses
  return all;
}

bool ScriptCheck::is_sampled(const Script& script) {
  constexpr std::uint64_t all_of_the_first = 2'000;
  constexpr std::uint64_t one_in = 16;
  const std::uint64_t call = calls_[&script]++;
  return call < all_of_the_first || call % one_in == 0;
}

}  // namespace interlock::sim
