#include "session/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

extern "C" char** environ;

namespace interlock::harness {
namespace {

std::vector<std::string> environment(const StartOptions& options) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string one(*at);
    const std::string name = one.substr(0, one.find('='));
    const bool replaced = std::any_of(options.variables.begin(), options.variables.end(),
                                      [&](const auto& variable) { return variable.first == name; });
    if (!replaced) all.push_back(one);
  }
  for (const auto& [name, value] : options.variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// In the child: nothing but calls that are safe there.
[[noreturn]] void become(const StartOptions& options,
                         pid_t parent,
                         char** words,
                         char** variables) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(options.output, STDOUT_FILENO);
  ::dup2(options.output, STDERR_FILENO);
  if (options.descriptor3 >= 0) {
    if (options.descriptor3 == 3) {
      ::fcntl(3, F_SETFD, 0);
    } else {
      ::dup2(options.descriptor3, 3);
    }
  }
  ::close_range(options.descriptor3 >= 0 ? 4 : 3, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  environ = variables;
  ::execvp(words[0], words);
  const std::string_view why = "cannot be executed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why.data(), why.size());
  ::_exit(127);
}

std::vector<pid_t> children() {
  std::vector<pid_t> all;
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t one = 0; list >> one;) all.push_back(one);
  return all;
}

}  // namespace

void File::reset() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

pid_t start_process(const StartOptions& options) {
  std::vector<std::string> command = options.command;
  std::vector<std::string> variables = environment(options);
  std::vector<char*> words = pointers(command);
  std::vector<char*> with = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(options, parent, words.data(), with.data());
  return child < 0 ? 0 : child;
}

void end_process(pid_t process, const std::vector<pid_t>& kept) {
  ::kill(-process, SIGKILL);
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  // What has left the group comes to this process when its parent is gone.
  constexpr int rounds_max = 100;
  for (int round = 0; round < rounds_max; ++round) {
    std::vector<pid_t> strangers = children();
    std::erase_if(strangers, [&](pid_t one) {
      return std::find(kept.begin(), kept.end(), one) != kept.end();
    });
    if (strangers.empty()) return;
    for (const pid_t one : strangers) {
      ::kill(one, SIGKILL);
      ::waitpid(one, nullptr, 0);
    }
  }
}

}  // namespace interlock::harness
