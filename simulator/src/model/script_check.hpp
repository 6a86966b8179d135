// What the search takes for granted of the scripts that run in a store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "model/recording_keyspace.hpp"

namespace interlock::sim {

// The call of a script, and what it did.
class CheckedCall {
 public:
  using Entries = std::vector<std::pair<Key, Entry>>;
  const Entries& before;  // what the store had
  const Operation& operation;
  const RecordingKeyspace& after;  // what the call has left, and what it has published
  const Reply& reply;
  StoreTime now;
};

// A search that merges identical clients takes for granted that a script does the same for each of
// them: it may compare owner tokens for equality, and nothing else. A search whose time has no end
// takes for granted that it does the same at any time. This class runs scripts once more, as they
// were run, for other clients, and at other times, and so finds those that do something else.
class ScriptCheck {
 public:
  explicit ScriptCheck(const Scenario& scenario);

  // Looks at a call, or leaves it out: it looks at all of the first calls of each script, and at
  // some of the others.
  void look(const CheckedCall& call);

  // Empty, or which script does something else when it is run again, or for one of two identical
  // clients.
  const std::string& failure() const { return failure_; }
  // Empty, or which script does something else at another time.
  const std::string& needs_time() const { return needs_time_; }
  // The scripts that ask for the time where it has no end: a sample of their calls was run again at
  // a sample of later times, and none of them did something else.
  std::vector<std::string> trusts() const;

 private:
  bool is_sampled(const Script& script);
  bool depends_on_time(const Script& script, const CheckedCall& call);

  std::vector<Permutation> swaps_;  // of two identical clients each
  std::vector<milliseconds> later_;
  std::map<const Script*, std::uint64_t> calls_;
  std::map<const Script*, std::uint64_t> timed_calls_;  // those that read the clock
  std::string failure_;
  std::string needs_time_;
};

}  // namespace interlock::sim
