// A folder of one test's own, removed with all that is in it.
#pragma once

#include <filesystem>
#include <string>

namespace interlock::test {

// Removed by its destructor, so also when a test fails. What a process that was killed has left is
// removed by the next one that makes such a folder.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  int locked_ = -1;  // the folder itself, locked while somebody lives who may use it
};

}  // namespace interlock::test
