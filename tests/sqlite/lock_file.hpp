// A lock file for one test: through the backend, and behind its back.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "../conformance/blocking_store.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::testing_support {

class LockFile {
 public:
  std::filesystem::path path() const { return directory_.path() / "locks.sqlite3"; }

  // Must succeed.
  std::shared_ptr<Backend> backend() const {
    auto opened = sqlite::backend(path());
    if (!opened) throw std::runtime_error(opened.error().detail());
    return *opened;
  }

 private:
  test::ScratchFolder directory_;
};

// A connection of somebody else.
class Sql {
 public:
  explicit Sql(const std::filesystem::path& path) {
    if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error("cannot open");
    sqlite3_busy_timeout(handle_, 10000);
  }
  ~Sql() { sqlite3_close(handle_); }
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // The first column of the first row, or nothing.
  std::string operator()(const std::string& sql) {
    std::string answer;
    char* failure = nullptr;
    sqlite3_exec(
        handle_, sql.c_str(),
        [](void* text, int, char** columns, char**) {
          auto& to = *static_cast<std::string*>(text);
          if (to.empty() && columns[0] != nullptr) to = columns[0];
          return 0;
        },
        &answer, &failure);
    if (failure != nullptr) throw std::runtime_error(failure);
    return answer;
  }

 private:
  sqlite3* handle_ = nullptr;
};

// Copies the log into the file and removes it, as each user of SQLite does who closes a file last.
inline void empty_log(const std::filesystem::path& file) {
  Sql connection(file);
  connection("SELECT count(*) FROM keys");
}

// Runs `body` in a process of its own, which ends with what it returns and without any destructor.
template <class Body>
pid_t start_process(Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  _exit(body());
}

// The exit code, or 128 + signal.
inline int end_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace interlock::testing_support
