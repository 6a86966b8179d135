#include "system/cgroup.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace interlock::cli {
namespace {

// The group of a process: `/user.slice/...`. Empty: the system has no cgroup v2.
std::string group_of(const std::string& process) {
  std::ifstream groups("/proc/" + process + "/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  }
  return {};
}

// Where the tree of groups is mounted, if its top is the top of ours: see proc_pid_mountinfo(5).
std::string mount_point() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string number, parent, device, top, place;
    fields >> number >> parent >> device >> top >> place;
    if (top == "/") return place;
  }
  return {};
}

pid_t fork_into(int group) {
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(group);
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

}  // namespace

std::unique_ptr<Cgroup> Cgroup::make() {
  if (::geteuid() == 0) return nullptr;
  const std::string ours = group_of("self");
  const std::string top = mount_point();
  if (ours.empty() || top.empty()) return nullptr;
  const std::string outer = top + (ours == "/" ? "" : ours);
  // To move a process, one must be allowed to write this, too.
  if (::access((outer + "/cgroup.procs").c_str(), W_OK) != 0) return nullptr;
  const std::string name = "/interlock-" + std::to_string(::getpid());
  const std::string path = outer + name;
  if (::mkdir(path.c_str(), 0755) != 0) return nullptr;
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Since Linux 5.14.
  if (folder < 0 || ::faccessat(folder, "cgroup.kill", W_OK, 0) != 0) {
    if (folder >= 0) ::close(folder);
    ::rmdir(path.c_str());
    return nullptr;
  }
  return std::unique_ptr<Cgroup>(new Cgroup(path, (ours == "/" ? "" : ours) + name, folder));
}

Cgroup::~Cgroup() {
  ::close(folder_);
  ::rmdir(path_.c_str());
}

pid_t Cgroup::fork() const {
  return fork_into(folder_);
}

bool Cgroup::contains(pid_t pid) const {
  return group_of(std::to_string(pid)) == name_;
}

void Cgroup::kill() const {
  const int file = ::openat(folder_, "cgroup.kill", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!::write(file, "1", 1));
  ::close(file);
}

}  // namespace interlock::cli
