// Starting programs for the user: a browser, a pager. Commands under a lock are started by
// supervision/child.hpp.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace interlock::cli {

// How a program is started: with no signal blocked, and with the usual effect of those that this
// program may ignore.
class SpawnRules {
 public:
  SpawnRules();
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;
  ~SpawnRules();

  // In a session of its own, without our terminal's keys, and without our standard files.
  void apart();
  // With this descriptor as its standard input.
  void standard_input(int descriptor);

  // The program is looked for as a shell does. None: it cannot be started.
  std::optional<pid_t> start(std::vector<std::string> words) const;

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t files_{};
};

}  // namespace interlock::cli
