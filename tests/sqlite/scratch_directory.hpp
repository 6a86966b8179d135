// A directory for one test, removed with all that is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace interlock::testing_support {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "interlock-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace interlock::testing_support
