#include "supervision/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "console/exit_code.hpp"
#include "supervision/command_file.hpp"

namespace interlock::cli {
namespace {

// All that exec needs, made before fork, where an error can still be reported.
class Image {
 public:
  explicit Image(const CommandLine& command) : words_(command.words) {
    for (std::string& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
    set_environment(command);
    set_candidates();
  }

  // Only returns if nothing could be executed, with the errno that says why.
  int execute() noexcept {
    int refused = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      ::execve(candidates_[i].c_str(), arguments_.data(), environment_.data());
      if (errno == ENOEXEC) {
        if (is_binary(candidates_[i].c_str())) return ENOEXEC;
        // A script without `#!`: shells and execvp(3) run it with sh.
        ::execve("/bin/sh", shell_arguments_[i].data(), environment_.data());
      }
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return errno;
      if (errno == EACCES) refused = EACCES;
    }
    return refused != 0 ? refused : ENOENT;
  }

 private:
  void set_environment(const CommandLine& command) {
    const auto replaced = [&](std::string_view entry) {
      return std::any_of(
          command.environment.begin(), command.environment.end(),
          [&](const auto& variable) { return entry.starts_with(variable.first + "="); });
    };
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!replaced(*entry)) entries_.emplace_back(*entry);
    }
    for (const auto& [name, value] : command.environment) entries_.push_back(name + "=" + value);
    for (std::string& entry : entries_) environment_.push_back(entry.data());
    environment_.push_back(nullptr);
  }

  void set_candidates() {
    candidates_ = files_named(words_.front());
    shell_word_ = "sh";
    for (std::string& candidate : candidates_) {
      std::vector<char*> arguments{shell_word_.data(), candidate.data()};
      arguments.insert(arguments.end(), arguments_.begin() + 1, arguments_.end());
      shell_arguments_.push_back(std::move(arguments));
    }
  }

  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  std::vector<std::string> entries_;
  std::vector<char*> environment_;
  std::vector<std::string> candidates_;
  std::string shell_word_;
  std::vector<std::vector<char*>> shell_arguments_;
};

[[noreturn]] void become(Image& image,
                         pid_t parent,
                         pid_t group,
                         const Signals& signals,
                         const StandardFiles& standard_files,
                         int report) noexcept {
  ::setpgid(0, group);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the line above.
  if (::getppid() != parent) ::_exit(internal);
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (!standard_files[static_cast<std::size_t>(descriptor)]) ::close(descriptor);
  }
  signals.restore();
  restore_file_size_signal();
  const int error = image.execute();
  static_cast<void>(!::write(report, &error, sizeof error));
  ::_exit(not_found);
}

// Until the child has executed another program or ended, it runs in our memory and we wait: a
// fork() copies the page tables first. `work` does not return and leaves our memory as it is.
template <class Work>
pid_t fork_sharing_memory(const Work& work) {
  const pid_t pid = ::vfork();
  if (pid == 0) work();
  return pid;
}

}  // namespace

Start start(const CommandLine& command,
            const Signals& signals,
            pid_t group,
            std::unique_ptr<Cgroup>& cgroup,
            const StandardFiles& standard_files) {
  Image image(command);
  // Closed by a successful exec; otherwise brings the errno.
  int report[2];
  Start started;
  if (::pipe2(report, O_CLOEXEC) != 0) {
    started.error = errno;
    return started;
  }
  const pid_t parent = ::getpid();
  const auto work = [&] { become(image, parent, group, signals, standard_files, report[1]); };
  started.pid = cgroup ? cgroup->fork() : -1;
  if (cgroup && started.pid == 0) work();
  if (started.pid < 0) {
    cgroup.reset();
    started.pid = fork_sharing_memory(work);
  }
  if (started.pid < 0) started.error = errno;
  ::close(report[1]);
  ssize_t count = 0;
  // After a fork that failed no process writes, and this reads the end.
  do {
    count = ::read(report[0], &started.error, sizeof started.error);
  } while (count < 0 && errno == EINTR);
  ::close(report[0]);
  // It has ended, or is about to.
  if (count > 0) ::waitpid(started.pid, nullptr, 0);
  return started;
}

}  // namespace interlock::cli
