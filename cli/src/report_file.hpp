// Small files that other programs wait for: there completely, or not at all.
#pragma once

#include <optional>
#include <string>

#include "failure.hpp"

namespace interlock::cli {

class ReportFile {
 public:
  // Makes sure that it can be written, and changes nothing. `said` names it in messages:
  // `--status-file F`. A symbolic link stays one: the file that it leads to now is written, and
  // removed. Fails with `code`, also for /dev/stdout, whatever it leads to, and for a file that is
  // open as our standard input or output.
  static Outcome<ReportFile> prepare(std::string path, const std::string& said, int code);

  // By a rename, so that readers never see half of it. False: errno says why.
  bool write(const std::string& content) const;

  // The same for a file that a user named to keep something in: what is there stays as it was if it
  // fails, and keeps its permissions. A symbolic link stays one, and the file that it names is
  // replaced. What is no plain file, as /dev/stdout, and what its folder lets nobody replace, is
  // written where it is. False: errno says why.
  static bool replace(const std::string& path, const std::string& content);
  // Whatever an earlier run has left there must not be taken for this run's.
  void remove() const;
  const std::string& path() const noexcept { return path_; }

 private:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}
  int open_draft(std::string& name) const;
  bool write(const std::string& content, std::optional<unsigned> mode) const;
  std::string path_;
};

}  // namespace interlock::cli
