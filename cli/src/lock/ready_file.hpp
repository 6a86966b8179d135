// A file that exists while a lock is held. It is removed also if the program is killed, or stopped
// until its lease ends.
#pragma once

#include <optional>
#include <string>

#include "console/failure.hpp"
#include "interlock/vocabulary.hpp"
#include "supervision/watcher_process.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {

class ReadyFile {
 public:
  explicit ReadyFile(ReportFile file) : file_(std::move(file)) {}

  // Removes the file of an earlier run, if no program that runs has written it, and starts a
  // process that removes ours if we are killed, or if its time has come: see keep_until() and
  // WatcherProcess::begin. Fails with 71.
  std::optional<Failure> begin();
  // False: errno says why. `content` must be unique: by it the process recognises our file. `until`
  // as in keep_until().
  bool write(const std::string& content, TimePoint until);
  // The process removes the file at `until`, by the local clock, unless a later moment is named
  // before. Does not wait for the process.
  void keep_until(TimePoint until) const;
  // Removes the file, unless another program has written its own there since.
  void remove_ours() const;
  const std::string& path() const noexcept { return file_.path(); }

 private:
  void tell_watcher(TimePoint until, const std::string& content) const;

  ReportFile file_;
  std::string written_;
  posix::Descriptor kept_;  // so that other programs see that the file is in use
  std::optional<WatcherProcess> watcher_;
};

}  // namespace interlock::cli
