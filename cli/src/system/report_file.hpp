// Small files for which other programs wait: each is there completely, or not at all.
#pragma once

#include <optional>
#include <string>

#include "console/failure.hpp"
#include "interlock/posix/descriptor.hpp"

namespace interlock::cli {

class ReportFile {
 public:
  // Makes sure that the file can be written, and changes nothing. `said` names it in messages:
  // `--status-file F`. A symbolic link stays one: write() and remove() act on the file to which it
  // leads now. Fails with `code`; also for /dev/stdout, and for a file that is open as our standard
  // input or output.
  static Fallible<ReportFile> prepare(std::string path, const std::string& said, int code);

  // By a rename, so that readers never see half of it. False: errno says why. A symbolic link that
  // another user has put into a folder that others may write is not followed, here and below.
  bool write(const std::string& content) const;
  // The same; while the descriptor is open, is_in_use() answers true, in each process. None: errno
  // says why.
  std::optional<posix::Descriptor> write_and_keep(const std::string& content) const;
  bool is_in_use() const;

  // The same for an output file that a user has named. If it fails, the old file stays as it was;
  // the new one keeps its permissions. A symbolic link stays one, and the file that it names is
  // replaced. A file that is not plain, such as /dev/stdout, or that cannot be replaced in its
  // folder, is written in place. False: errno says why.
  static bool replace(const std::string& path, const std::string& content);
  // Removes the file, so that nobody takes the file of an earlier run for that of this run.
  void remove() const;
  const std::string& path() const noexcept { return path_; }

 private:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}
  posix::Descriptor open_draft(std::string& name) const;
  std::optional<posix::Descriptor> put(const std::string& content,
                                       std::optional<unsigned> mode) const;
  std::string path_;
};

}  // namespace interlock::cli
