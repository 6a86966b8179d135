#include "system/spawn.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace interlock::cli {
namespace {

constexpr short usual_flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;

}  // namespace

SpawnRules::SpawnRules() {
  ::posix_spawnattr_init(&attributes_);
  ::posix_spawnattr_setflags(&attributes_, usual_flags);
  ::posix_spawn_file_actions_init(&files_);
  sigset_t signals;
  sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes_, &signals);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) sigaddset(&signals, signal);
  ::posix_spawnattr_setsigdefault(&attributes_, &signals);
}

SpawnRules::~SpawnRules() {
  ::posix_spawnattr_destroy(&attributes_);
  ::posix_spawn_file_actions_destroy(&files_);
}

void SpawnRules::apart() {
  ::posix_spawnattr_setflags(&attributes_, static_cast<short>(usual_flags | POSIX_SPAWN_SETSID));
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&files_, file, "/dev/null", O_RDWR, 0);
  }
}

void SpawnRules::standard_input(int descriptor) {
  ::posix_spawn_file_actions_adddup2(&files_, descriptor, STDIN_FILENO);
}

std::optional<pid_t> SpawnRules::start(std::vector<std::string> words) const {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int why =
      ::posix_spawnp(&pid, arguments[0], &files_, &attributes_, arguments.data(), environ);
  return why == 0 ? std::optional(pid) : std::nullopt;
}

}  // namespace interlock::cli
