#include "machine.hpp"

#include <fcntl.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "interlock/posix/descriptor.hpp"
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

// Does not use std::ifstream, because a program that another thread executes meanwhile would
// inherit its descriptor. None: errno says why.
std::optional<std::string> contents_of(const std::string& path) {
  const posix::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string contents;
  std::array<char, 256> buffer{};
  for (;;) {
    const ssize_t size = read(file.get(), buffer.data(), buffer.size());
    if (size == 0) return contents;
    if (size > 0) {
      contents.append(buffer.data(), static_cast<std::size_t>(size));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace

Duration wall_clock() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::chrono::floor<Duration>(std::chrono::seconds(time.tv_sec) +
                                      std::chrono::nanoseconds(time.tv_nsec));
}

Duration ahead_of_machine() {
  std::istringstream offsets(contents_of("/proc/self/timens_offsets").value_or(""));
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
  std::istringstream words(contents_of(source).value_or(""));
  const int failed = errno;
  std::string id;
  if (words >> id) return id;
  if (failed == EMFILE || failed == ENFILE) {
    return posix::failure("reading " + source, failed);
  }
  const std::string why = failed == 0 ? "it is empty" : std::strerror(failed);
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
