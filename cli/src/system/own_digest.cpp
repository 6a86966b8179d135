#include "system/own_digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "interlock/detail/sha1.hpp"
#include "interlock/posix/descriptor.hpp"

namespace interlock::cli {
namespace {

// None: errno says why.
std::optional<std::string> content_of(const std::string& file) {
  const posix::Descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from) return std::nullopt;
  std::string content;
  std::vector<char> buffer(std::size_t{1} << 18);
  for (;;) {
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
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
  std::string digest = "interlock";
  for (const std::string& file : files) {
    const auto content = content_of(file);
    if (!content) {
      return Failure(operating_system,
                     fmt::format("{} cannot be read: {}: a checkpoint needs it, to tell this build "
                                 "from others: make it readable, or search without one",
                                 file, std::strerror(errno)));
    }
    digest += ' ' + detail::sha1_hex(*content);
  }
  return digest;
}

}  // namespace interlock::cli
