// A file that exists while a lock is held, and is removed also if the program is killed.
#pragma once

#include <optional>
#include <string>

#include "console/failure.hpp"
#include "supervision/watcher_process.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {

class ReadyFile {
 public:
  explicit ReadyFile(ReportFile file) : file_(std::move(file)) {}

  // Removes the file of an earlier run, if no program that runs has written it, and starts a
  // process that removes ours if we are killed: see WatcherProcess::begin. Fails with 71.
  std::optional<Failure> begin();
  // False: errno says why. `content` must be unique: by it the process recognises our file.
  bool write(const std::string& content);
  // Removes the file, unless another program has written its own there since.
  void remove_ours() const;
  const std::string& path() const noexcept { return file_.path(); }

 private:
  ReportFile file_;
  std::string written_;
  posix::Descriptor kept_;  // so that other programs see that the file is in use
  std::optional<WatcherProcess> watcher_;
};

}  // namespace interlock::cli
