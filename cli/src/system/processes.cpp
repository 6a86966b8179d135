#include "system/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>

#include "interlock/detail/number.hpp"

namespace interlock::cli {
namespace {

std::string content_of(const std::string& path) {
  std::array<char, 2048> buffer{};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

// `PID (NAME) STATE PARENT GROUP ...`, see proc(5); NAME may hold anything, brackets included.
std::optional<Process> parse_stat(pid_t pid, const std::string& stat) {
  const auto open = stat.find('(');
  const auto close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Process process;
  process.pid = pid;
  process.name = stat.substr(open + 1, close - open - 1);
  unsigned long long started = 0;
  constexpr const char* fields =
      " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu";
  if (std::sscanf(stat.c_str() + close + 1, fields, &process.state, &process.parent, &process.group,
                  &process.threads, &started) != 5) {
    return std::nullopt;
  }
  process.started = started;
  return process;
}

std::string file_in_proc(pid_t number, const char* name) {
  return content_of("/proc/" + std::to_string(number) + "/" + name);
}

// `number` is the process's number in /proc.
std::optional<Process> process_in_proc(pid_t number) {
  return parse_stat(number, file_in_proc(number, "stat"));
}

// Our number in the PID namespace to which /proc belongs. None: there is no /proc, or we are not in
// that namespace.
std::optional<pid_t> ourselves_in_proc() {
  std::error_code error;
  return detail::parse_number<pid_t>(std::filesystem::read_symlink("/proc/self", error).string());
}

bool proc_has_our_numbers() {
  return ourselves_in_proc() == ::getpid();
}

std::vector<Process> all_processes() {
  std::vector<Process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return all;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const auto pid = detail::parse_number<pid_t>(entry->d_name);
    if (!pid) continue;
    if (auto process = process_in_proc(*pid)) all.push_back(std::move(*process));
  }
  return all;
}

// Includes processes that have ended and are not reaped. The numbers are those of /proc.
std::vector<Process> family_in_proc(pid_t ourselves) {
  std::vector<Process> found;
  std::vector<Process> others = all_processes();
  std::set<pid_t> family{ourselves};
  // Each round adds a generation.
  for (std::size_t before = 0; family.size() != before;) {
    before = family.size();
    std::vector<Process> rest;
    std::set<pid_t> children;
    for (Process& process : others) {
      if (family.count(process.parent) == 0) {
        rest.push_back(std::move(process));
        continue;
      }
      children.insert(process.pid);
      found.push_back(std::move(process));
    }
    family.merge(children);
    others = std::move(rest);
  }
  return found;
}

// The numbers of a process in the PID namespaces from that of /proc to its own: see proc(5).
std::vector<pid_t> numbers_of(pid_t number) {
  std::ifstream status("/proc/" + std::to_string(number) + "/status");
  std::vector<pid_t> numbers;
  constexpr std::string_view label = "NSpid:";
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(label, 0) != 0) continue;
    std::istringstream text(line.substr(label.size()));
    for (pid_t each = 0; text >> each;) numbers.push_back(each);
  }
  return numbers;
}

// If /proc belongs to another PID namespace, as after `unshare -pf` without --mount-proc, its
// numbers belong to other processes in ours: translates them.
std::vector<Process> with_our_numbers(pid_t ourselves, std::vector<Process> family) {
  const std::size_t depth = numbers_of(ourselves).size();
  std::map<pid_t, pid_t> ours{{ourselves, ::getpid()}};
  std::vector<Process> known;
  for (Process& each : family) {
    const std::vector<pid_t> numbers = numbers_of(each.pid);
    // The process has gone meanwhile, or Linux is older than 4.1.
    if (depth == 0 || numbers.size() < depth) continue;
    const pid_t pid = numbers[depth - 1];
    ours.emplace(each.pid, pid);
    each.pid = pid;
    each.parent = ours[each.parent];  // 0: not known
    each.group = ::getpgid(pid);
    known.push_back(std::move(each));
  }
  return known;
}

std::vector<Process> family_of_ours() {
  const auto ourselves = ourselves_in_proc();
  if (!ourselves) return {};
  std::vector<Process> family = family_in_proc(*ourselves);
  if (*ourselves == ::getpid()) return family;
  return with_our_numbers(*ourselves, std::move(family));
}

enum class Child : std::uint8_t { none, runs, ended };

// A process that has ended but is traced by another counts as running here.
Child ask_system(idtype_t which, id_t id) {
  siginfo_t info{};
  if (::waitid(which, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return Child::none;
  return info.si_pid == 0 ? Child::runs : Child::ended;
}

// For a process that /proc does not show.
std::optional<Process> child_by_number(pid_t pid) {
  if (ask_system(P_PID, static_cast<id_t>(pid)) != Child::runs) return std::nullopt;
  Process process;
  process.pid = pid;
  process.parent = ::getpid();
  process.group = ::getpgid(pid);
  return process;
}

// Asks the system about every number whether it is a child's. Each takes half a microsecond.
std::vector<Process> children_by_number() {
  constexpr pid_t most = 1 << 22;  // the greatest that Linux gives
  std::vector<Process> found;
  for (pid_t pid = 1; pid <= most; ++pid) {
    if (auto process = child_by_number(pid)) found.push_back(std::move(*process));
  }
  return found;
}

// None: the system does not list them (Linux without CONFIG_PROC_CHILDREN, no /proc, or another
// namespace's). It lists those, too, that it hides elsewhere in /proc.
std::optional<std::vector<pid_t>> listed_children() {
  if (!proc_has_our_numbers()) return std::nullopt;
  std::vector<pid_t> children;
  bool any_list = false;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream list(task.path() / "children");
    any_list = any_list || list.is_open();
    for (pid_t pid = 0; list >> pid;) children.push_back(pid);
  }
  if (!any_list) return std::nullopt;
  return children;
}

// For the case that /proc shows no running descendant but the system knows of a running child.
std::vector<Process> hidden_children() {
  const auto children = listed_children();
  if (!children) return children_by_number();
  std::vector<Process> found;
  for (const pid_t pid : *children) {
    auto process = process_in_proc(pid);
    if (!process) process = child_by_number(pid);
    if (process && !process->ended()) found.push_back(std::move(*process));
  }
  return found;
}

}  // namespace

// A process whose main thread has ended is shown as a zombie although its other threads run.
bool Process::ended() const noexcept {
  return (state == 'Z' || state == 'X') && threads <= 1;
}

std::optional<Process> find_process(pid_t pid) {
  if (proc_has_our_numbers()) return process_in_proc(pid);
  for (Process& each : family_of_ours()) {
    if (each.pid == pid) return std::move(each);
  }
  return std::nullopt;
}

std::string user_of(pid_t pid) {
  if (!proc_has_our_numbers()) return {};
  const std::string status = file_in_proc(pid, "status");
  const auto line = status.find("\nUid:");
  unsigned effective = 0;
  if (line == std::string::npos ||
      std::sscanf(status.c_str() + line, "\nUid: %*u %u", &effective) != 1) {
    return {};
  }
  return effective == 0 ? "root" : "user " + std::to_string(effective);
}

std::vector<Process> descendants() {
  std::vector<Process> found = family_of_ours();
  const auto ended = [](const Process& each) { return each.ended(); };
  found.erase(std::remove_if(found.begin(), found.end(), ended), found.end());
  // `ended` also means that an ended child is not reaped; then the system says nothing about the
  // others.
  if (found.empty() && ask_system(P_ALL, 0) == Child::runs) found = hidden_children();
  return found;
}

}  // namespace interlock::cli
