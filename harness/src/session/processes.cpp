#include "session/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

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
  all.reserve(all.size() + options.variables.size());
  for (const auto& [name, value] : options.variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
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
  // In one piece: what is read by itself is a line.
  const char* const why = ::strerrordesc_np(errno);
  std::array<iovec, 4> parts{};
  std::size_t at = 0;
  for (const char* const part : {static_cast<const char*>(words[0]),
                                 " cannot be executed: ", why == nullptr ? "?" : why, "\n"}) {
    parts[at++] = {const_cast<char*>(part), std::strlen(part)};
  }
  [[maybe_unused]] const auto written = ::writev(STDERR_FILENO, parts.data(), parts.size());
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

std::string socket_path(const std::string& folder, std::size_t server) {
  return folder + "/redis" + (server == 0 ? "" : std::to_string(server + 1));
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

pid_t start_remover(const std::string& folder, File& until) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return 0;
  File end(pipe[0]);
  until = File(pipe[1]);
  const pid_t child = ::fork();
  if (child != 0) return std::max<pid_t>(child, 0);
  // A signal of the terminal must not end this process. It closes what it has inherited, so that
  // nobody waits for it.
  ::setsid();
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  ::dup2(end.get(), 3);
  ::close_range(4, ~0U, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  char byte = 0;
  while (::read(3, &byte, 1) < 0 && errno == EINTR) continue;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
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
