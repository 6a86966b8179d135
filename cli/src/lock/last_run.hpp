// The last run of a command that runs once in a period: who ran it, when, and how it ended.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

#include "interlock/error.hpp"
#include "interlock/retention.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::cli {

class LastRun {
 public:
  OwnerToken owner;  // of the lock under which it ran
  milliseconds ago;  // since its end, by the store's clock
  milliseconds took;
  int exit_code;  // of the command: 128+n if signal n ended it
};

// Both: blocking stores only (Backend::open); one step at the store.
//
// Notes a run that ends now, beside the lock, for one period and the retention. Does nothing if the
// owner does not hold the lock any more.
std::optional<Error> note_run(KeyValueStore& store,
                              const LockName& name,
                              const OwnerToken& owner,
                              milliseconds held,
                              int exit_code,
                              milliseconds period,
                              Retention retention);
// None: no run is noted.
Result<std::optional<LastRun>> look_for_run(KeyValueStore& store, const LockName& name);

// `the last run ended 12 min ago with exit code 0, on web-3 (pid 812)`.
std::string last_run_text(const LastRun& run);
nlohmann::ordered_json last_run_json(const LastRun& run);

}  // namespace interlock::cli
