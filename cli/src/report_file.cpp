#include "report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "talk.hpp"

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

}  // namespace

std::string ReportFile::draft() const {
  return fmt::format("{}.{}.draft", path_, ::getpid());
}

Outcome<ReportFile> ReportFile::prepare(std::string path, const std::string& said, int code) {
  const auto unusable = [&](const char* why) {
    return Failure(code, fmt::format("{} cannot be written: {}; name a file in a folder that you "
                                     "may write to",
                                     said, why));
  };
  if (path.empty()) return unusable("the name is empty");
  const ReportFile file(std::move(path));
  struct stat found {};
  if (::stat(file.path_.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    return unusable("it is not a plain file");
  }
  // The folder decides whether a rename will do, not the file that is there now.
  const int draft =
      ::open(file.draft().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (draft < 0) return unusable(std::strerror(errno));
  ::close(draft);
  ::unlink(file.draft().c_str());
  return file;
}

bool ReportFile::write(const std::string& content) const {
  const std::string name = draft();
  const int draft =
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (draft < 0) return false;
  const bool written = write_all(draft, content);
  const bool closed = ::close(draft) == 0;
  if (written && closed && std::rename(name.c_str(), path_.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(name.c_str());
  errno = why;
  return false;
}

void ReportFile::remove() const {
  ::unlink(path_.c_str());
}

}  // namespace interlock::cli
