// A control group (cgroup v2) for a command: the kernel can kill all that is in one at once,
// whoever its user is and however fast it starts processes.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

namespace interlock::cli {

class Cgroup {
 public:
  // A new one inside ours. Only an unprivileged user has one, and only where the administrator has
  // given ours to that user: in user services and the sessions of many desktops. Root can signal
  // every process without, and the groups of the system's services are not for us to change.
  // Null: there is none to be had.
  static std::unique_ptr<Cgroup> make();

  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  // Removes it, unless something is in it.
  ~Cgroup();

  // fork(2), and the child is in the group from its first moment on.
  pid_t fork() const;
  bool contains(pid_t pid) const;
  void kill() const;
  // For close_all_but().
  int descriptor() const noexcept { return folder_; }

 private:
  Cgroup(std::string path, std::string name, int folder)
      : path_(std::move(path)), name_(std::move(name)), folder_(folder) {}

  std::string path_;  // of the folder
  std::string name_;  // as /proc/PID/cgroup has it
  int folder_;
};

}  // namespace interlock::cli
