// What the search takes for granted of the scripts that run in a store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "model/recording_keyspace.hpp"

namespace interlock::sim {

// A search that merges identical clients takes for granted that a script does the same for each of
// them: it may compare owner tokens for equality, and nothing else. A search whose time has no end
// takes for granted that it does the same at any time. This class runs scripts once more, for other
// clients and at other times, and so finds those that do not.
class ScriptCheck {
 public:
  explicit ScriptCheck(const Scenario& scenario);

  // The call of a script by `operation`: `space` is what it has left of `before`, and has its
  // clock.
  using Before = std::vector<std::pair<Key, Entry>>;
  void look(const Before& before,
            const Operation& operation,
            const RecordingKeyspace& space,
            const Reply& reply,
            StoreTime now);

  // Empty, or which script does something else when it is run again, or for one of two identical
  // clients.
  const std::string& failure() const { return failure_; }
  // Empty, or which script does something else at another time.
  const std::string& needs_time() const { return needs_time_; }

 private:
  void look_again(const Before& before,
                  const Operation& operation,
                  const RecordingKeyspace& space,
                  const Reply& reply,
                  StoreTime now);
  void look_for_others(const Before& before,
                       const Operation& operation,
                       const RecordingKeyspace& space,
                       const Reply& reply,
                       StoreTime now);
  void look_later(const Before& before,
                  const Operation& operation,
                  const RecordingKeyspace& space,
                  const Reply& reply,
                  StoreTime now);
  bool is_sampled(const Script& script);

  std::vector<Permutation> swaps_;  // of two identical clients each
  std::vector<milliseconds> later_;
  std::map<const Script*, std::uint64_t> calls_;
  std::string failure_;
  std::string needs_time_;
};

}  // namespace interlock::sim
