#include "inspection.hpp"

#include "file_access.hpp"
#include "machine.hpp"

namespace interlock::sqlite {
namespace {

using Grade = Finding::Grade;

std::string one_text(Database& database, const char* sql) {
  Query query(database, sql);
  return query.row() ? query.text(0) : std::string();
}

Finding users(const std::filesystem::path& path) {
  return {Grade::good, "shared by", who_shares(path)};
}

Finding journal(Database& database) {
  const std::string mode = one_text(database, "PRAGMA journal_mode");
  if (mode == "wal") return {Grade::good, "journal", "write-ahead log"};
  return {Grade::bad, "journal", "mode '" + mode + "' instead of a write-ahead log",
          "use a file on a local disk"};
}

Finding integrity(Database& database) {
  const std::string answer = one_text(database, "PRAGMA quick_check(1)");
  if (answer == "ok") return {Grade::good, "integrity", "no damage found"};
  return {Grade::bad, "integrity", answer,
          "stop all users of the file and move it away; the locks in it are lost"};
}

Finding place(const std::filesystem::path& path) {
  switch (file_system_of(path)) {
    case FileSystem::local:
      return {Grade::good, "file system", "on this machine"};
    case FileSystem::network:
      return {Grade::bad, "file system", "on the network: file locks do not hold there",
              "use a file on a local disk, or a Redis server for several machines"};
    case FileSystem::unknown:
      break;
  }
  return {Grade::warning, "file system", "of a kind that may not keep file locks",
          "use a file on a local disk"};
}

Finding free_space(const std::filesystem::path& path) {
  // A grant needs some pages in the log; on a small file system the whole log takes about half a
  // megabyte.
  constexpr std::uintmax_t none = 64U << 10U;
  constexpr std::uintmax_t enough = 2U << 20U;
  std::error_code error;
  const auto space = std::filesystem::space(path.parent_path(), error);
  if (error) return {Grade::warning, "free space", "unknown: " + error.message()};
  const std::string finding = space.available >= enough
                                  ? std::to_string(space.available >> 20U) + " MiB"
                                  : std::to_string(space.available >> 10U) + " KiB";
  if (space.available >= enough) return {Grade::good, "free space", finding};
  const std::string advice = "free some in '" + path.parent_path().string() +
                             "', or name a store elsewhere: a full file system grants no lock";
  return {space.available < none ? Grade::bad : Grade::warning, "free space", finding, advice};
}

Finding waking(bool watching) {
  if (watching) return {Grade::good, "waking", "waiters are woken by inotify"};
  return {Grade::warning, "waking", "no inotify: waiters look into the file every 25 ms",
          "raise fs.inotify.max_user_instances, or the limit that this process has reached "
          "(ulimit -n, -u, -v)"};
}

}  // namespace

std::vector<Finding> facts_about(const std::filesystem::path& path,
                                 Database& database,
                                 bool watching) {
  return {Finding(Grade::good, "file", path.string()),
          Finding(Grade::good, "version", std::string("SQLite ") + sqlite3_libversion()),
          Finding(Grade::good, "reach",
                  "the processes on this machine that see this file; a reboot ends every lease"),
          users(path),
          journal(database),
          integrity(database),
          place(path),
          free_space(path),
          waking(watching)};
}

}  // namespace interlock::sqlite
