// One connection to the file: opened when first used, closed around forks. Each call is a
// transaction.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "database.hpp"
#include "interlock/posix/fork.hpp"
#include "sql_keyspace.hpp"

namespace interlock::sqlite {

enum class Access : std::uint8_t { read, write };

// Any thread; calls wait for each other.
class Connection final : public posix::ForkGuard, private OpenConnection {
 public:
  explicit Connection(std::filesystem::path path);
  ~Connection();

  // Runs `work(SqlKeyspace&, Database&)`, which returns a Result<T>, in one transaction. The
  // transaction is rolled back if the result is an error, a statement fails, or memory runs out
  // (std::bad_alloc).
  template <class T, class Work>
  Result<T> transact(Access access, const std::string& what, Work work) {
    if (carried()) return posix::used_in_child(what, "the store");
    const std::lock_guard lock(mutex_);
    try {
      if (auto error = begin(access, what)) return std::move(*error);
      Result<T> result = work(*keyspace_, database_);
      if (auto error = end(result.has_value(), what)) return std::move(*error);
      return result;
    } catch (...) {
      // An open transaction would keep the file locked for all other processes.
      database_.forget_failure();
      database_.close();
      throw;
    }
  }

  // See Database. Any thread, also during a transaction of another.
  void wait_no_more() noexcept { database_.wait_no_more(); }

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void before_fork() override;
  void after_fork_in_parent() override { mutex_.unlock(); }
  void after_fork_in_child() override { mutex_.unlock(); }
  bool close_if_unused() override;

  std::optional<Error> begin(Access access, const std::string& what);
  std::optional<Error> open_if_needed(const std::string& what);
  std::optional<Error> end(bool keep, const std::string& what);
  std::optional<Error> commit(const std::string& what);
  Error abandon(const std::string& what);
  void purge_if_due();
  void ring() const;

  const std::filesystem::path path_;
  std::mutex mutex_;
  Database database_{*this};
  std::optional<SqlKeyspace> keyspace_;  // during a transaction
  Duration ahead_{};                     // see ahead_of_machine()
  StoreTime purge_due_{};
  int since_purge_ = 0;  // transactions
};

// Makes connections to one file, and keeps one that is open already for the next who needs one: to
// open a file takes longer than to claim a lock in it. Any thread. It has no mutex, which another
// thread might hold while this one forks.
class Connections {
 public:
  explicit Connections(std::filesystem::path path) : path_(std::move(path)) {}
  ~Connections() { delete spare_.load(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection);

 private:
  const std::filesystem::path path_;
  std::atomic<Connection*> spare_ = nullptr;
};

}  // namespace interlock::sqlite
