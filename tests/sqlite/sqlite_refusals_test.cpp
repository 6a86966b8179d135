// What the backend says when it cannot work: which code, and a line from which one knows what to
// do.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "lock_file.hpp"

namespace interlock::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Ttl ttl(std::chrono::seconds{30});
const OwnerToken mine("il1:mine");

MATCHER_P3(Refuses, code, fact, advice, "") {
  if (arg.has_value()) {
    *result_listener << "it did not";
    return false;
  }
  *result_listener << to_string(arg.error().code()) << ": " << arg.error().detail();
  return arg.error().code() == code && testing::Value(arg.error().detail(), HasSubstr(fact)) &&
         testing::Value(arg.error().detail(), HasSubstr(advice)) &&
         testing::Value(arg.error().detail(), Not(HasSubstr("\n")));
}

// Runs `body` in a process of its own, because it changes what the process may do; 77 means that
// this machine does not let it.
template <class Body>
void in_a_process(Body body) {
  const int code = end_of(start_process([&] {
    const auto reason = body();
    if (reason == "skip") return 77;
    if (!reason.empty()) fprintf(stderr, "%s\n", reason.c_str());
    return reason.empty() ? 0 : 1;
  }));
  if (code == 77) GTEST_SKIP() << "not permitted here";
  EXPECT_EQ(code, 0);
}

// Empty if it matches, else why not.
template <class T, class Matcher>
std::string mismatch(const T& value, const Matcher& matcher) {
  testing::StringMatchResultListener why;
  return testing::ExplainMatchResult(matcher, value, &why) ? "" : "no match: " + why.str();
}

TEST(SqliteRefusals, AnEmptyPathIsACallersMistake) {
  EXPECT_THAT(sqlite::backend(""), Refuses(Errc::invalid_argument, "the path is empty", "name"));
}

TEST(SqliteRefusals, AMissingDirectoryIsNamed) {
  const test::ScratchFolder scratch;
  EXPECT_THAT(sqlite::backend(scratch.path() / "none" / "locks.sqlite3"),
              Refuses(Errc::unavailable, "its directory does not exist", "create it"));
}

// /proc gives no file for a log or an index, and says that there is no such file.
TEST(SqliteRefusals, AFileThatCanHaveNoneBesideItIsToldAsThat) {
  if (::geteuid() != 0) GTEST_SKIP() << "root alone may open it";
  EXPECT_THAT(sqlite::backend("/proc/version"),
              Refuses(Errc::unavailable, "no file can be made beside it", "name another file"));
}

TEST(SqliteRefusals, ADirectoryIsNoFile) {
  const test::ScratchFolder scratch;
  EXPECT_THAT(sqlite::backend(scratch.path()),
              Refuses(Errc::rejected, "it is a folder", "name another file"));
}

// SQLite opens for reading what it may not write, and a pipe that nobody writes never opens.
TEST(SqliteRefusals, APipeInThePlaceOfTheFileOrItsLogIsRefusedAtOnce) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const LockFile file;
    std::filesystem::permissions(file.path().parent_path(), std::filesystem::perms(0777));
    if (*suffix != '\0') {
      static_cast<void>(file.backend());
      empty_log(file.path());
    }
    const std::string pipe = file.path().string() + suffix;
    ASSERT_EQ(mkfifo(pipe.c_str(), 0444), 0);
    const int code = end_of(start_process([&] {
      alarm(20);
      if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return 77;
      const std::string why = mismatch(sqlite::backend(file.path()),
                                       Refuses(Errc::rejected, "a pipe", "name another file"));
      if (!why.empty()) fprintf(stderr, "%s: %s\n", suffix, why.c_str());
      return why.empty() ? 0 : 1;
    }));
    EXPECT_EQ(code, 0) << suffix;
  }
}

// SQLite keeps a log for each name: two that use one file by two names see no lock of each other.
TEST(SqliteRefusals, AFileWithTwoNamesIsRefusedUnderBoth) {
  const LockFile file;
  static_cast<void>(file.backend());
  const auto second = file.path().parent_path() / "second";
  std::filesystem::create_hard_link(file.path(), second);
  const auto refusal = Refuses(Errc::rejected, "2 names (hard links)", "remove the others");
  EXPECT_THAT(sqlite::backend(file.path()), refusal);
  EXPECT_THAT(sqlite::backend(second), refusal);
  std::filesystem::remove(second);
  EXPECT_TRUE(sqlite::backend(file.path()));
}

TEST(SqliteRefusals, AFileThatIsMountedByItselfIsRefusedUnderThatName) {
  const LockFile file;
  static_cast<void>(file.backend());
  const auto second = file.path().parent_path() / "second";
  std::ofstream(second).close();
  in_a_process([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0) return "skip";
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount(file.path().c_str(), second.c_str(), nullptr, MS_BIND, nullptr) != 0) return "skip";
    if (!sqlite::backend(file.path())) return "refused under its first name";
    return mismatch(sqlite::backend(second),
                    Refuses(Errc::rejected, "mounted by itself", "mount its folder"));
  });
}

TEST(SqliteRefusals, AFileThatIsNoDatabaseIsLeftAlone) {
  const LockFile file;
  const std::string letter = "Dear Sir or Madam,\n" + std::string(4096, '.');
  std::ofstream(file.path()) << letter;
  EXPECT_THAT(sqlite::backend(file.path()),
              Refuses(Errc::rejected, "not an SQLite database", "another file"));
  std::ifstream back(file.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(back), {}), letter);
}

TEST(SqliteRefusals, AnotherProgramsDatabaseIsLeftAlone) {
  const LockFile file;
  Sql(file.path())("CREATE TABLE bookmarks (url TEXT)");
  EXPECT_THAT(sqlite::backend(file.path()),
              Refuses(Errc::rejected, "another program's database", "name another file"));
  EXPECT_EQ(Sql(file.path())("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(Sql(file.path())("SELECT count(*) FROM sqlite_schema"), "1");
}

// Opening a file fails once, as if another thread had the last descriptor for a moment.
int refusals_left = 0;
int open_refused_once(const char* path, int flags, int mode) {
  if (std::string_view(path).ends_with("locks.sqlite3") && refusals_left > 0) {
    --refusals_left;
    errno = EMFILE;
    return -1;
  }
  return ::open(path, flags, mode);
}

// SQLite then opens the file for reading, and says that this user may not write it.
TEST(SqliteRefusals, AMomentWithoutDescriptorsIsNoLackOfRights) {
  const LockFile file;
  const auto backend = file.backend();
  const auto other = backend->open();  // takes the connection that is open already
  ASSERT_TRUE(now(other->claim(Key("other"), mine, ttl)));
  sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  const auto original = vfs->xGetSystemCall(vfs, "open");
  vfs->xSetSystemCall(vfs, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_refused_once));
  const auto store = backend->open();
  refusals_left = 1;
  const auto refused = now(store->claim(Key("lock"), mine, ttl));
  EXPECT_EQ(refusals_left, 0);
  vfs->xSetSystemCall(vfs, "open", original);
  EXPECT_THAT(refused, Refuses(Errc::unavailable, "could not be opened for writing", "ulimit -n"));
  EXPECT_TRUE(now(store->claim(Key("lock"), mine, ttl)));
}

TEST(SqliteRefusals, AFileOfANewerVersionIsLeftAlone) {
  const LockFile file;
  file.backend();
  Sql(file.path())("PRAGMA user_version = 2");
  EXPECT_THAT(sqlite::backend(file.path()), Refuses(Errc::rejected, "newer version", "upgrade"));
}

constexpr const char* other_channels =
    "DROP TABLE channels;"
    "CREATE TABLE channels (channel BLOB PRIMARY KEY, sequence INTEGER NOT NULL CHECK (1))"
    " WITHOUT ROWID";

// SQLite computes what is in the tables in each process that uses them.
TEST(SqliteRefusals, TablesThatAnotherProgramHasChangedAreNotUsed) {
  for (const char* change : {
           other_channels,
           "CREATE TRIGGER theirs AFTER INSERT ON channels BEGIN DELETE FROM keys; END",
           "CREATE INDEX theirs ON keys (length(value))",
           "ALTER TABLE meta ADD COLUMN theirs GENERATED ALWAYS AS (length(boot))",
           "CREATE VIEW theirs AS SELECT * FROM keys",
           "DROP TABLE channels",
       }) {
    const LockFile file;
    file.backend();
    Sql(file.path())(change);
    EXPECT_THAT(sqlite::backend(file.path()),
                Refuses(Errc::rejected, "another program has changed the tables", "move it away"))
        << change;
  }
}

TEST(SqliteRefusals, TablesThatAnotherProgramChangesMeanwhileAreNotUsed) {
  const LockFile file;
  const auto store = file.backend()->open();
  const Channel channel("c");
  ASSERT_TRUE(now(store->publish(channel, std::string())));
  Sql(file.path())(other_channels);
  for (int operation = 0; operation < 2; ++operation) {
    EXPECT_THAT(now(store->publish(channel, std::string())),
                Refuses(Errc::rejected, "has changed the tables", "move it away"));
  }
  EXPECT_EQ(Sql(file.path())("SELECT count(*) FROM channels"), "0");
}

TEST(SqliteRefusals, AFileThatIsPackedAnewOrAnalysedGoesOn) {
  for (const char* change : {"VACUUM", "ANALYZE", "PRAGMA journal_mode = WAL; VACUUM; ANALYZE"}) {
    const LockFile file;
    const auto store = file.backend()->open();
    ASSERT_TRUE(now(store->set(Key("a"), std::string("v"))));
    Sql(file.path())(change);
    EXPECT_THAT(now(store->get(Key("a"))), Holds("v")) << change;
    Sql(file.path())(change);
    EXPECT_TRUE(now(store->set(Key("a"), std::string("w")))) << change;
    EXPECT_THAT(now(store->get(Key("a"))), Holds("w")) << change;
    EXPECT_TRUE(sqlite::backend(file.path())) << change;
  }
}

TEST(SqliteRefusals, StatisticsThatComputeSomethingAreNotUsed) {
  const LockFile file;
  file.backend();
  Sql sql(file.path());
  sql("ANALYZE");
  sql("PRAGMA writable_schema = ON");
  sql("UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat CHECK (1))'"
      " WHERE name = 'sqlite_stat1'");
  EXPECT_THAT(sqlite::backend(file.path()),
              Refuses(Errc::rejected, "another program has changed the tables", "move it away"));
}

TEST(SqliteRefusals, AValueThatNoLockHasIsNotRead) {
  const LockFile file;
  const auto store = file.backend()->open();
  Sql(file.path())("INSERT INTO keys VALUES (CAST('a' AS BLOB), zeroblob(40000000), 0, NULL)");
  EXPECT_THAT(now(store->get(Key("a"))),
              Refuses(Errc::rejected, "more than 32 MiB", "move it away"));
}

TEST(SqliteRefusals, ADamagedFileIsSaidToBeDamaged) {
  const LockFile file;
  {
    const auto store = file.backend()->open();
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(now(store->claim(Key("lock/" + std::to_string(i)), mine, ttl)));
    }
  }
  Sql(file.path())("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size = std::filesystem::file_size(file.path());
  std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(4096);
  bytes << std::string(size - 4096, '\x7f');
  bytes.close();

  const auto backend = sqlite::backend(file.path());
  if (!backend) {
    EXPECT_THAT(backend, Refuses(Errc::rejected, "damaged", "move it away"));
  } else {
    EXPECT_THAT(now((*backend)->open()->claim(Key("lock/7"), mine, ttl)),
                Refuses(Errc::rejected, "damaged", "move it away"));
  }
}

// The file locks of SQLite itself, on which readers wait, too; given up a moment after the wait.
TEST(SqliteRefusals, AFileThatSomebodyKeepsFromBeingReadIsUnavailableForAWhile) {
  const LockFile file;
  ASSERT_TRUE(file.backend());
  int locked[2];
  ASSERT_EQ(pipe(locked), 0);
  const pid_t somebody = start_process([&] {
    const int descriptor = open(file.path().c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    if (fcntl(descriptor, F_SETLK, &lock) != 0 || write(locked[1], "l", 1) != 1) return 1;
    std::this_thread::sleep_for(milliseconds{10'500});
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(locked[0], &byte, 1), 1);
  const auto opened = sqlite::backend(file.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::unavailable);
  EXPECT_THAT(opened.error().detail(), HasSubstr("kept the file locked for 10 s"));
  EXPECT_EQ(end_of(somebody), 0);
  close(locked[0]);
  close(locked[1]);
}

TEST(SqliteRefusals, AFileThatSomebodyKeepsLockedIsUnavailableForAWhile) {
  const LockFile file;
  const auto store = file.backend()->open();
  ASSERT_TRUE(now(store->set(Key("k"), "before")));
  Sql somebody(file.path());
  somebody("BEGIN IMMEDIATE");
  EXPECT_THAT(now(store->claim(Key("lock"), mine, ttl)),
              Refuses(Errc::unavailable, "kept the file locked for 10 s", "try again"));
  // A transaction that only reads does not wait.
  EXPECT_THAT(now(store->get(Key("k"))), Holds(testing::Optional(testing::Eq("before"))));
  somebody("ROLLBACK");
  EXPECT_THAT(now(store->claim(Key("lock"), mine, ttl)),
              Holds(testing::VariantWith<Claimed>(testing::_)));
}

TEST(SqliteRefusals, AUserWhoMayNotWriteIsToldSo) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  const LockFile file;
  file.backend();
  std::filesystem::permissions(file.path().parent_path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file.path(), std::filesystem::perms(0644));
  in_a_process([&]() -> std::string {
    if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) return "skip";
    auto opened = sqlite::backend(file.path());
    const auto refusal = Refuses(Errc::rejected, "may not write it", "write permission");
    if (!opened) return mismatch(opened, refusal);
    return mismatch(now((*opened)->open()->claim(Key("lock"), mine, ttl)), refusal);
  });
}

TEST(SqliteRefusals, ADirectoryOfAnotherUserIsNotCalledMissing) {
  const test::ScratchFolder scratch;
  const auto path = scratch.path() / "locks.sqlite3";
  in_a_process([&]() -> std::string {
    if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) return "skip";
    return mismatch(sqlite::backend(path),
                    Refuses(Errc::rejected, "Permission denied", "name another file"));
  });
}

TEST(SqliteRefusals, ALinkToNothingIsNoMissingDirectory) {
  const LockFile file;
  std::filesystem::create_symlink(file.path().parent_path() / "nothing", file.path());
  EXPECT_THAT(sqlite::backend(file.path()),
              Refuses(Errc::rejected, "a symbolic link to nothing", "name the file itself"));
}

// Whether the file is there already or not: one cause, one message.
TEST(SqliteRefusals, AReadOnlyFileSystemIsSaidToBeOne) {
  const test::ScratchFolder scratch;
  in_a_process([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0) return "skip";
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=1m") != 0) return "skip";
    static_cast<void>(sqlite::backend(scratch.path() / "there.db"));
    if (mount("", scratch.path().c_str(), "", MS_REMOUNT | MS_RDONLY, nullptr) != 0) return "skip";
    const auto refusal =
        Refuses(Errc::rejected, "it is on a read-only file system", "mount it writable");
    const std::string why = mismatch(sqlite::backend(scratch.path() / "there.db"), refusal);
    return why.empty() ? mismatch(sqlite::backend(scratch.path() / "new.db"), refusal) : why;
  });
}

// Also where SQLite calls it an input or output error, because its index cannot grow.
TEST(SqliteRefusals, OfAFullDiskTheOpeningSaysTheSame) {
  const test::ScratchFolder scratch;
  in_a_process([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0) return "skip";
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=200k") != 0) return "skip";
    const auto path = scratch.path() / "locks.sqlite3";
    static_cast<void>(sqlite::backend(path));
    empty_log(path);
    std::ofstream ballast(scratch.path() / "ballast", std::ios::binary);
    while (ballast << std::string(4096, 'x') << std::flush) {
    }
    ballast.close();
    return mismatch(sqlite::backend(path),
                    Refuses(Errc::rejected, "file system is full", "free some space"));
  });
}

TEST(SqliteRefusals, OfTooLittleMemoryTheMessageIsNotToCheckTheDisk) {
  const LockFile file;
  static_cast<void>(file.backend());
  in_a_process([&]() -> std::string {
    sqlite3_hard_heap_limit64(1000);
    return mismatch(
        sqlite::backend(file.path()),
        Refuses(Errc::unavailable, "Cannot allocate memory", "raise the limit (ulimit -v)"));
  });
}

TEST(SqliteRefusals, AFullDiskGrantsNothingAndRecovers) {
  const test::ScratchFolder scratch;
  in_a_process([&]() -> std::string {
    // A file system of 256 KiB that only this process sees.
    if (unshare(CLONE_NEWNS) != 0) return "skip";
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=256k") != 0) return "skip";

    const auto store = (*sqlite::backend(scratch.path() / "locks.sqlite3"))->open();
    if (!now(store->claim(Key("lock"), mine, ttl))) return "no claim while there is space";
    std::ofstream ballast(scratch.path() / "ballast", std::ios::binary);
    while (ballast << std::string(4096, 'x') << std::flush) {
    }
    ballast.close();
    const auto refusal = Refuses(Errc::rejected, "file system is full", "free some space");
    std::string why = "never refused";
    for (int i = 0; i < 1000 && why == "never refused"; ++i) {
      const auto answer = now(store->claim(Key("lock/" + std::to_string(i)), mine, ttl));
      if (answer) continue;
      why = mismatch(answer, refusal);
      if (now(store->get(Key("lock/" + std::to_string(i)))).value_or("") != std::nullopt) {
        return "refused, and yet it is there";
      }
    }
    if (!why.empty()) return why;
    std::filesystem::remove(scratch.path() / "ballast");
    return mismatch(now(store->claim(Key("another"), mine, ttl)),
                    Holds(testing::VariantWith<Claimed>(testing::_)));
  });
}

}  // namespace
}  // namespace interlock::testing_support
