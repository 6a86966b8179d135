#include "lock/holder_process.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>

#include "interlock/local_clock.hpp"
#include "lock/holder.hpp"
#include "system/processes.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t longest_command = 1024;

const std::string& this_machine() {
  static const std::string name = [] {
    std::array<char, 256> buffer{};
    return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? std::string(buffer.data())
                                                                : std::string();
  }();
  return name;
}

// Users are looked up once, because that may ask a server.
const std::string& name_of(uid_t user) {
  static std::map<uid_t, std::string> known;
  const auto found = known.find(user);
  if (found != known.end()) return found->second;
  const passwd* const entry = ::getpwuid(user);
  return known[user] = entry != nullptr ? entry->pw_name : std::to_string(user);
}

// Both count from when the system booted.
bool began_before(const Process& process, Duration held_for) {
  constexpr std::chrono::seconds slack{1};
  const auto ticks_of_a_second = std::max(1L, ::sysconf(_SC_CLK_TCK));
  const std::chrono::seconds began(
      static_cast<std::int64_t>(process.started / static_cast<std::uint64_t>(ticks_of_a_second)));
  return began <= local_now().time_since_epoch() - held_for + slack;
}

}  // namespace

std::optional<HolderProcess> holder_process(const OwnerToken& owner,
                                            std::optional<milliseconds> held_for) {
  const auto found = whereabouts(owner);
  if (!found || found->host != this_machine()) return std::nullopt;
  const auto pid = static_cast<pid_t>(found->pid);
  const auto process = find_process(pid);
  if (!process || (held_for && !began_before(*process, *held_for))) return std::nullopt;
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  std::ifstream file(folder + "/cmdline", std::ios::binary);
  std::string command(longest_command, '\0');
  file.read(command.data(), static_cast<std::streamsize>(command.size()));
  command.resize(static_cast<std::size_t>(file.gcount()));
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  return HolderProcess{name_of(info.st_uid), command.empty() ? process->name : command};
}

}  // namespace interlock::cli
