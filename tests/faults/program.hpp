// The program `interlock` as a process, and what it leaves behind.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interlock/vocabulary.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::test {

// Empty if there is no such file.
std::string contents(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);

// Asks every few milliseconds; false: it never came true. A bound against hanging, not a measure.
bool comes_true(const std::function<bool()>& condition, Duration limit = std::chrono::seconds{20});

// `interlock ARGUMENTS`, started in `folder`, which is also its home; its standard input is empty.
// Killed at the end of the object's life.
class Program {
 public:
  Program(const ScratchFolder& folder, std::vector<std::string> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  // Its exit code, 128 + n after a signal; none if it did not end within the limit.
  std::optional<int> wait(Duration limit = std::chrono::seconds{30});
  bool running() { return !reap(); }
  std::string out() const { return contents(out_path_); }
  std::string err() const { return contents(err_path_); }

 private:
  bool reap();

  std::string out_path_;
  std::string err_path_;
  pid_t pid_ = 0;
  std::optional<int> code_;
};

}  // namespace interlock::test
