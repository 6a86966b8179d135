#include "report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

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

// A name that nobody can have foreseen, for a file that was not there: in a folder that others may
// write to, a link would lead our words elsewhere.
int ReportFile::open_draft(std::string& name) const {
  std::random_device chance;
  for (int attempt = 0; attempt < 10; ++attempt) {
    name = fmt::format("{}.{:08x}{:08x}.draft", path_, chance(), chance());
    const int draft =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (draft >= 0 || errno != EEXIST) return draft;
  }
  return -1;
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
  std::string name;
  const int draft = file.open_draft(name);
  if (draft < 0) return unusable(std::strerror(errno));
  ::close(draft);
  ::unlink(name.c_str());
  return file;
}

bool ReportFile::write(const std::string& content) const {
  std::string name;
  const int draft = open_draft(name);
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
