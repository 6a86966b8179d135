#include "machine.hpp"

#include <sys/statfs.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "interlock/posix/failure.hpp"

namespace interlock::sqlite {
namespace {

// Source: statfs(2), and linux/magic.h.
constexpr std::array<std::uint32_t, 12> network_file_systems{
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x01021997,  // 9P
    0x5346414F,  // AFS
    0x6B414653,  // kAFS
    0x00C36400,  // Ceph
    0x73757245,  // Coda
    0x564C,      // NCP
    0x0BD00BD0,  // Lustre
    0x786F4256,  // VirtualBox shared folder
};
constexpr std::uint32_t fuse = 0x65735546;  // may be anything

}  // namespace

Duration wall_clock() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::chrono::floor<Duration>(std::chrono::seconds(time.tv_sec) +
                                      std::chrono::nanoseconds(time.tv_nsec));
}

Duration ahead_of_machine() {
  std::ifstream offsets("/proc/self/timens_offsets");
  std::string clock;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  while (offsets >> clock >> seconds >> nanoseconds) {
    if (clock != "boottime") continue;
    return std::chrono::floor<Duration>(std::chrono::seconds(seconds) +
                                        std::chrono::nanoseconds(nanoseconds));
  }
  return Duration{0};
}

Result<std::string> boot_id() {
  const std::string source = "/proc/sys/kernel/random/boot_id";
  errno = 0;
  std::ifstream file(source);
  std::string id;
  if (file >> id) return id;
  if (errno == EMFILE || errno == ENFILE) {
    return posix::failure("reading " + source, errno);
  }
  const std::string why = errno == 0 ? "it is empty" : std::strerror(errno);
  return Error(Errc::unavailable, "reading " + source + ": it cannot be read (" + why +
                                      "): mount /proc, without it nobody can tell whether the "
                                      "machine was restarted");
}

FileSystem file_system_of(const std::filesystem::path& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return FileSystem::unknown;
  const auto type = static_cast<std::uint32_t>(info.f_type);
  if (type == fuse) return FileSystem::unknown;
  const bool network = std::find(network_file_systems.begin(), network_file_systems.end(), type) !=
                       network_file_systems.end();
  return network ? FileSystem::network : FileSystem::local;
}

bool is_on_small_file_system(const std::filesystem::path& path) {
  constexpr std::uintmax_t small = 64U << 20U;
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  return !error && space.capacity < small;
}

}  // namespace interlock::sqlite
