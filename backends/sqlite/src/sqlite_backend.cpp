#include "interlock/sqlite/sqlite_backend.hpp"

#include <utility>

#include "connection.hpp"
#include "file_access.hpp"
#include "inspection.hpp"
#include "sqlite_store.hpp"
#include "wakeups.hpp"

namespace interlock::sqlite {
namespace {

class SqliteBackend final : public Backend {
 public:
  explicit SqliteBackend(const std::filesystem::path& path)
      : connections_(std::make_shared<Connections>(path)),
        wakeups_(std::make_shared<SharedWakeups>(path)) {}

  // Opens the file, so that errors are reported now and not at the first operation.
  std::optional<Error> check() {
    const auto opened = read<std::monostate>("opening", [](SqlKeyspace&, Database&) {
      return Result<std::monostate>(std::monostate());
    });
    if (!opened) return opened.error();
    return std::nullopt;
  }

  std::unique_ptr<KeyValueStore> open() override {
    return std::make_unique<SqliteStore>(connections_, wakeups_);
  }
  std::unique_ptr<KeyValueStore> open_on(Reactor&) override { return nullptr; }
  std::string description() const override { return "sqlite:" + connections_->path().string(); }

  Result<std::vector<Finding>> inspect() override {
    return read<std::vector<Finding>>("inspecting", [&](SqlKeyspace&, Database& database) {
      const bool watching = wakeups_->get()->watching();
      return Result<std::vector<Finding>>(facts_about(connections_->path(), database, watching));
    });
  }

  Result<std::vector<Key>> held_locks() override {
    return read<std::vector<Key>>("listing locks", [](SqlKeyspace& keyspace, Database&) {
      return Result<std::vector<Key>>(keyspace.held_locks());
    });
  }

 private:
  template <class T, class Work>
  Result<T> read(const std::string& what, const Work& work) {
    std::unique_ptr<Connection> connection = connections_->take();
    Result<T> result = connection->transact<T>(Access::read, what, work);
    connections_->give_back(std::move(connection));
    return result;
  }

  const std::shared_ptr<Connections> connections_;
  const std::shared_ptr<SharedWakeups> wakeups_;
};

}  // namespace

Result<std::shared_ptr<Backend>> backend(std::filesystem::path path) {
  if (path.empty()) {
    return Error(Errc::invalid_argument, "opening a lock file: the path is empty: name a file");
  }
  // Absolute: a later chdir() must not lead to another file, and no name is special to SQLite then.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) {
    return Error(Errc::unavailable,
                 "opening '" + path.string() + "': " + error.message() + ": give an absolute path");
  }
  auto made = std::make_shared<SqliteBackend>(absolute.lexically_normal());
  if (auto failure = made->check()) return *failure;
  return std::shared_ptr<Backend>(std::move(made));
}

std::filesystem::path default_path() {
  return "/run/lock/interlock/locks.sqlite3";
}

Result<std::shared_ptr<Backend>> default_backend() {
  if (auto error = make_common(default_path())) return *error;
  return backend(default_path());
}

std::string shared_by(const std::filesystem::path& path) {
  return who_shares(path);
}

}  // namespace interlock::sqlite
