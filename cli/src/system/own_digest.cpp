#include "system/own_digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "interlock/posix/descriptor.hpp"

namespace interlock::cli {
namespace {

constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;

// False: errno says why.
bool mix_in(const std::string& file, std::uint64_t& digest) {
  const posix::Descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from) return false;
  std::vector<char> buffer(std::size_t{1} << 18);
  for (;;) {
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); at += sizeof digest) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.data() + at,
                  std::min(sizeof word, static_cast<std::size_t>(count) - at));
      digest = std::rotl((digest ^ word) * odd, 29);
    }
  }
  digest *= odd;
  return true;
}

int add_library(dl_phdr_info* info, std::size_t, void* to) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libinterlock"))
    static_cast<std::vector<std::string>*>(to)->emplace_back(path);
  return 0;
}

}  // namespace

Fallible<std::string> digest_of_program() {
  std::vector<std::string> files{"/proc/self/exe"};
  ::dl_iterate_phdr(add_library, &files);
  std::uint64_t digest = 0;
  for (const std::string& file : files) {
    if (mix_in(file, digest)) continue;
    return Failure(operating_system,
                   fmt::format("{} cannot be read: {}: without it nobody can say later which "
                               "program has written the checkpoint",
                               file, std::strerror(errno)));
  }
  return fmt::format("interlock {:016x}", digest);
}

}  // namespace interlock::cli
