// A control group (cgroup v2) for a command: the kernel can kill all processes in one at once, also
// those of other users, and however fast they start new ones.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

namespace interlock::cli {

class Cgroup {
 public:
  // Makes a new group inside ours. Null: the user is root; the administrator has not delegated our
  // group to this user (user services and the sessions of many desktops have a delegated one); or
  // the kernel has no such groups. Root needs no group, because it can signal every process, and
  // must not change the groups of the system's services.
  static std::unique_ptr<Cgroup> make();

  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  // Removes the group, unless a process is in it.
  ~Cgroup();

  // As fork(2); the child is in the group from its first moment on.
  pid_t fork() const;
  bool contains(pid_t pid) const;
  void kill() const;
  // For close_all_but().
  int descriptor() const noexcept { return folder_; }

 private:
  Cgroup(std::string path, std::string name, int folder)
      : path_(std::move(path)), name_(std::move(name)), folder_(folder) {}

  std::string path_;  // the folder's
  std::string name_;  // as /proc/PID/cgroup has it
  int folder_;
};

}  // namespace interlock::cli
