// One connection to the file: opened when first used, closed around forks. Each call is a
// transaction.
#pragma once

#include <filesystem>
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
  // transaction is rolled back if the result is an error or a statement fails.
  template <class T, class Work>
  Result<T> transact(Access access, const std::string& what, Work work) {
    if (carried()) return posix::used_in_child(what, "the store");
    const std::lock_guard lock(mutex_);
    if (auto error = begin(access, what)) return std::move(*error);
    Result<T> result = work(*keyspace_, database_);
    if (auto error = end(result.has_value(), what)) return std::move(*error);
    return result;
  }

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

}  // namespace interlock::sqlite
