// The flags that all commands have which acquire a lock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/failure.hpp"
#include "console/flags.hpp"
#include "interlock/client.hpp"
#include "lock/store.hpp"

namespace interlock::cli {

// A lock name from the command line. `usage` if it cannot be one.
Fallible<LockName> parse_lock_name(const std::string& text);

// As above; also `usage` for the URL of a store with a password, which others would see as the
// lock's name.
Fallible<LockName> parse_name_to_acquire(const std::string& text);

// `a,b`: the same of each name between commas, in their order, each once.
Fallible<std::vector<LockName>> parse_names_to_acquire(const std::string& text);
// `a,b` again.
std::string text_of(const std::vector<LockName>& names);

// A failure has the code of the place where the value was given (Given::fault_code); its message
// names the flag and what to write.
Fallible<milliseconds> parse_duration(const Given& given);

class LockFlags {
 public:
  // `json_descriptor`: where --json answers; a guarded command has standard output for itself.
  void add_to(Flags& flags, int json_descriptor);
  // `--shared` and `--permits`, for commands whose lock several may have together.
  void add_groups_to(Flags& flags);

  // `--wait` and `--ttl`, or their defaults: for ever, 30 s. Contacts nothing.
  Fallible<LockOptions> options() const;
  // `--ttl` against the longest ttl of a store with a quarantine; none: it is not longer, or not
  // given.
  std::optional<Failure> ttl_too_long(const Store& at) const;
  // With `--store-outage`, or its default: 10 s. For one section: see HandOverPolicy.
  Fallible<ClientOptions> client_options() const;
  // The exit code if the lock is not acquired.
  Fallible<int> conflict_code() const;

  StoreFlags store;
  std::optional<Given> wait;
  std::optional<Given> store_outage;
  std::optional<Given> ttl;
  std::optional<Given> note;
  std::optional<Given> conflict;
  std::optional<Given> metrics;
  std::optional<Given> metrics_label;
  bool fair = false;  // the default, said aloud
  bool unfair = false;
  bool shared = false;
  std::optional<Given> permits;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
};

}  // namespace interlock::cli
