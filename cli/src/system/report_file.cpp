#include "system/report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>

#include "console/talk.hpp"

namespace interlock::cli {
namespace {

bool write_all(int descriptor, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// A network file system may tell only when a descriptor is closed that the content has not arrived.
bool has_arrived(int descriptor) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && ::close(copy) == 0;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

bool write_in_place(const std::string& path, const std::string& content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0644);
  if (file < 0) return false;
  const bool written = write_all(file, content);
  const int why = errno;
  const bool closed = ::close(file) == 0;
  if (!written) errno = why;
  return written && closed;
}

bool is_same_file(const struct stat& file, int descriptor) {
  struct stat other {};
  return ::fstat(descriptor, &other) == 0 && other.st_dev == file.st_dev &&
         other.st_ino == file.st_ino;
}

// Names in /proc stand for open files, and names in /dev for devices: a rename would change what
// the name means for every other program.
bool names_no_files(const std::filesystem::path& folder) {
  struct statfs system {};
  return folder == "/dev" ||
         (::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC);
}

// Another user could have it lead to a file of ours. Linux can refuse to follow it, but not on
// every system, and not in a folder of that user (proc(5), protected_symlinks).
bool is_link_of_another(const std::filesystem::path& link) {
  struct stat info {};
  return ::lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != ::geteuid() &&
         info.st_uid != 0;
}

// Whether a folder on the way to the file, or to where a link on that way leads, is such a link.
bool passes_link_of_another(const std::filesystem::path& folder) {
  constexpr int most_links = 40;  // as in Linux, see path_resolution(7)
  std::error_code error;
  std::filesystem::path left = std::filesystem::absolute(folder, error);
  if (error) return false;
  for (int links = 0; links < most_links; ++links) {
    std::filesystem::path at;
    std::filesystem::path beyond;
    for (const auto& part : left) {
      if (!beyond.empty()) {
        beyond /= part;
        continue;
      }
      at /= part;
      if (is_link_of_another(at)) return true;
      if (std::filesystem::is_symlink(at, error)) {
        const auto target = std::filesystem::read_symlink(at, error);
        if (error) return false;
        beyond = at.parent_path() / target;
      }
    }
    if (beyond.empty()) return false;
    left = beyond;
  }
  return false;  // opening the file fails
}

// The file to which `path` leads, whether it exists or not, so that a rename replaces it and not a
// link to it. None, with the reason in `why`: no plain file can be there.
std::optional<std::string> resolved(std::filesystem::path path, std::string& why) {
  std::error_code error;
  constexpr int most_links = 40;  // as in Linux, see path_resolution(7)
  for (int links = 0; links < most_links; ++links) {
    if (passes_link_of_another(folder_of(path)) || is_link_of_another(path)) {
      why = "another user has put a link there";
      return std::nullopt;
    }
    const auto folder = std::filesystem::canonical(folder_of(path), error);
    if (!error && names_no_files(folder)) {
      why = "it leads to a device or an open file";
      return std::nullopt;
    }
    const auto file = folder / path.filename();
    if (!error && !std::filesystem::is_symlink(file)) return file.string();
    if (!error) path = folder / std::filesystem::read_symlink(file, error);
    if (error) {
      why = std::strerror(error.value());
      return std::nullopt;
    }
  }
  why = std::strerror(ELOOP);
  return std::nullopt;
}

// Whether a rename may replace the file. The new file has one name and belongs to us, so the old
// one must have no other name and no other owner.
bool may_replace(const std::string& path, const struct stat& file) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const bool ours = file.st_uid == ::geteuid() && file.st_nlink == 1;
  return ours && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

// Opens a new file with an unforeseeable name: in a folder that others may write to, they could
// otherwise put a link there, and we would write elsewhere.
posix::Descriptor ReportFile::open_draft(std::string& name) const {
  std::random_device chance;
  for (int attempt = 0; attempt < 10; ++attempt) {
    name = fmt::format("{}.{:08x}{:08x}.draft", path_, chance(), chance());
    const int draft =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (draft >= 0 || errno != EEXIST) return posix::Descriptor(draft);
  }
  return posix::Descriptor();
}

Fallible<ReportFile> ReportFile::prepare(std::string path, const std::string& said, int code) {
  const auto unusable = [&](const std::string& why) {
    return Failure(code, fmt::format("{} cannot be written: {}; name a file in a folder that you "
                                     "may write to",
                                     said, why));
  };
  if (path.empty()) return unusable("the name is empty");
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISREG(found.st_mode)) return unusable("it is not a plain file");
    for (const int ours : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      if (is_same_file(found, ours)) return unusable("it is open as standard input or output");
    }
  } else if (const int error = errno; error != ENOENT) {
    // A link of another user that the system does not follow (proc(5), protected_symlinks) gets the
    // same words as one that it would follow.
    std::string why;
    return unusable(resolved(path, why) ? std::strerror(error) : why);
  }
  std::string why;
  const auto target = resolved(path, why);
  if (!target) return unusable(why);
  const ReportFile file(*target);
  // Whether a rename is possible depends on the folder, and not on the file that is there now.
  std::string name;
  if (!file.open_draft(name)) {
    if (errno == ENOSPC || errno == EDQUOT) {
      return Failure(operating_system,
                     fmt::format("{} cannot be written: {}: free some space or some inodes there "
                                 "(see `df` and `df -i`), or name a file elsewhere",
                                 said, std::strerror(errno)));
    }
    return unusable(std::strerror(errno));
  }
  ::unlink(name.c_str());
  return file;
}

bool ReportFile::write(const std::string& content) const {
  return put(content, std::nullopt).has_value();
}

std::optional<posix::Descriptor> ReportFile::write_and_keep(const std::string& content) const {
  return put(content, std::nullopt);
}

bool ReportFile::is_in_use() const {
  const posix::Descriptor file(
      ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool ReportFile::replace(const std::string& path, const std::string& content) {
  if (passes_link_of_another(folder_of(path)) || is_link_of_another(path)) {
    errno = EACCES;
    return false;
  }
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    // There is no file, or a link to no file, which only a plain write follows.
    const bool link = ::lstat(path.c_str(), &found) == 0;
    return link ? write_in_place(path, content)
                : ReportFile(path).put(content, std::nullopt).has_value();
  }
  // /dev/stdout: a shell may have set the position in its file.
  for (const int ours : {STDOUT_FILENO, STDERR_FILENO}) {
    if (is_same_file(found, ours)) return write_all(ours, content);
  }
  if (!S_ISREG(found.st_mode)) return write_in_place(path, content);
  // A rename needs a right to the folder only, so the file's own right is checked here.
  if (::access(path.c_str(), W_OK) != 0) return false;
  std::string unknown;
  const auto target = resolved(path, unknown);
  if (!target || !may_replace(*target, found)) return write_in_place(path, content);
  return ReportFile(*target).put(content, found.st_mode & 07777U).has_value();
}

std::optional<posix::Descriptor> ReportFile::put(const std::string& content,
                                                 std::optional<unsigned> mode) const {
  std::string name;
  posix::Descriptor draft = open_draft(name);
  if (!draft) return std::nullopt;
  // The lock is for is_in_use(); a file system without such locks is no reason to write nothing.
  static_cast<void>(::flock(draft.get(), LOCK_SH | LOCK_NB));
  const bool written = write_all(draft.get(), content) &&
                       (!mode || ::fchmod(draft.get(), static_cast<mode_t>(*mode)) == 0) &&
                       has_arrived(draft.get());
  if (written && std::rename(name.c_str(), path_.c_str()) == 0) return draft;
  const int why = errno;
  ::unlink(name.c_str());
  errno = why;
  return std::nullopt;
}

void ReportFile::remove() const {
  ::unlink(path_.c_str());
}

}  // namespace interlock::cli
