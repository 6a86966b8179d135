// Small files that other programs wait for: there completely, or not at all.
#pragma once

#include <optional>
#include <string>

#include "failure.hpp"

namespace interlock::cli {

class ReportFile {
 public:
  // Makes sure that it can be written, and changes nothing. `said` names it in messages:
  // `--status-file F`. Fails with `code`.
  static Outcome<ReportFile> prepare(std::string path, const std::string& said, int code);

  // By a rename, so that readers never see half of it. False: errno says why.
  bool write(const std::string& content) const;
  // Whatever an earlier run has left there must not be taken for this run's.
  void remove() const;
  const std::string& path() const noexcept { return path_; }

 private:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}
  int open_draft(std::string& name) const;
  std::string path_;
};

}  // namespace interlock::cli
