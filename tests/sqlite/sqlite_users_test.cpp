// Several users of one machine: whom a lock file lets in, and that nobody is kept out by another
// one's failed try. Needs root, to become three users; each test has a /run/lock of its own.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "lock_file.hpp"

namespace interlock::testing_support {
namespace {

using std::filesystem::path;
using testing::HasSubstr;
using testing::Not;

constexpr uid_t root = 0;
constexpr uid_t service = 60'001;
constexpr uid_t person = 60'002;
constexpr gid_t common_group = 60'100;

const Ttl ttl(std::chrono::seconds{30});

mode_t mode_of(const path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

uid_t owner_of(const path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 ? info.st_uid : ~uid_t{0};
}

// Exit codes of as(): what became of the try.
constexpr int granted = 0;
constexpr int busy = 1;
constexpr int refused = 2;
constexpr int not_permitted = 77;

int outcome_of(const Result<ClaimReply>& reply) {
  if (!reply) return refused;
  return std::holds_alternative<Claimed>(*reply) ? granted : busy;
}

int as(uid_t user, const std::function<int()>& body, gid_t group = 0) {
  return end_of(start_process([&] {
    umask(022);
    if (user == root) return body();
    const gid_t groups[] = {group};
    const bool changed = setgroups(group == 0 ? 0 : 1, groups) == 0 &&
                         setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
    return changed ? body() : not_permitted;
  }));
}

int claim(const Result<std::shared_ptr<Backend>>& backend) {
  if (!backend) {
    fprintf(stderr, "%s\n", backend.error().detail().c_str());
    return refused;
  }
  const auto store = (*backend)->open();
  return outcome_of(
      now(store->claim(Key("deploy"), OwnerToken("il1:" + std::to_string(getpid())), ttl)));
}

class SeveralUsers : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != root) GTEST_SKIP() << "needs root, to become other users";
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", "/run/lock", "tmpfs", 0, "mode=1777,size=16m") != 0) {
      GTEST_SKIP() << "this system permits no mounts";
    }
    std::filesystem::permissions(scratch_.path(), std::filesystem::perms(0755));
  }
  void TearDown() override { umount2("/run/lock", MNT_DETACH); }

  path folder(const char* name, mode_t mode, uid_t owner = root, gid_t group = 0) const {
    const path made = scratch_.path() / name;
    EXPECT_EQ(mkdir(made.c_str(), 0700), 0);
    EXPECT_EQ(chown(made.c_str(), owner, group), 0);
    EXPECT_EQ(chmod(made.c_str(), mode), 0);
    return made;
  }

  const path common_ = "/run/lock/interlock";
  const path database_ = common_ / "locks.sqlite3";
  test::ScratchFolder scratch_;
};

const auto by_default = [] { return claim(sqlite::default_backend()); };

TEST_F(SeveralUsers, OfTheDefaultStoreExcludeEachOtherInAnyOrder) {
  for (const uid_t first : {root, service, person}) {
    EXPECT_EQ(as(first, by_default), granted) << first;
    for (const uid_t other : {root, service, person}) {
      EXPECT_EQ(as(other, by_default), busy) << first << " " << other;
    }
    std::filesystem::remove_all(common_);
  }
}

TEST_F(SeveralUsers, FindTheModesThatTheHeaderPromises) {
  EXPECT_EQ(as(person, by_default), granted);
  EXPECT_EQ(mode_of(common_), 0777U);
  EXPECT_EQ(mode_of(database_), 0666U);
  EXPECT_EQ(sqlite::shared_by(database_), "all users of this machine");
}

TEST_F(SeveralUsers, KeepTheirLocksWhenRootTakesTheDefaultStoreOver) {
  EXPECT_EQ(as(person, by_default), granted);
  EXPECT_EQ(owner_of(database_), person);
  EXPECT_EQ(as(root, by_default), busy);
  EXPECT_EQ(owner_of(common_), root);
  EXPECT_EQ(as(service, by_default), busy);
}

TEST_F(SeveralUsers, AreLetInAgainByRootWhenTheFirstOneHadClosedTheFolder) {
  EXPECT_EQ(as(person, by_default), granted);
  ASSERT_EQ(chmod(common_.c_str(), 0700), 0);
  EXPECT_EQ(as(service, by_default), refused);
  EXPECT_EQ(as(root, by_default), busy);
  EXPECT_EQ(as(service, by_default), busy);
}

// The first user of the store owns its folder, and may move into it what he could also delete.
TEST_F(SeveralUsers, DoNotOpenAPrivateFileThatAnotherOneHasMovedToTheStoresName) {
  EXPECT_EQ(as(person, by_default), granted);
  const path secret = common_ / "secret";
  std::ofstream(secret) << "secret";
  ASSERT_EQ(chown(secret.c_str(), service, service), 0);
  ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
  ASSERT_EQ(rename(secret.c_str(), database_.c_str()), 0);
  for (const uid_t user : {root, service, person}) EXPECT_EQ(as(user, by_default), refused);
  EXPECT_EQ(mode_of(database_), 0600U);
  EXPECT_EQ(owner_of(database_), service);
}

// Calls `act` with the name of each file in the folder that the system tells of. In a process of
// its own, as `user`; the descriptor is readable when it watches.
pid_t watch_as(uid_t user,
               const path& folder,
               std::uint32_t events,
               const std::function<void(const std::string&)>& act) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t watcher = start_process([&] {
    const int notices = inotify_init1(IN_CLOEXEC);
    if (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0 ||
        inotify_add_watch(notices, folder.c_str(), events) < 0 || write(ready[1], "r", 1) != 1) {
      return not_permitted;
    }
    alignas(inotify_event) char buffer[4096];
    for (;;) {
      const ssize_t size = read(notices, buffer, sizeof buffer);
      for (ssize_t at = 0; at < size;) {
        const auto& event = *reinterpret_cast<const inotify_event*>(buffer + at);
        if (event.len > 0) act(event.name);
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
  });
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return watcher;
}

void end(pid_t watcher) {
  kill(watcher, SIGKILL);
  end_of(watcher);
}

TEST_F(SeveralUsers, DoNotChangeTheModeOfAFileToWhichAnotherOneLeadsThem) {
  const path secret = scratch_.path() / "secret";
  std::ofstream(secret) << "secret";
  ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
  EXPECT_EQ(as(service, by_default), granted);
  const path link = common_ / "link";
  const pid_t attacker = watch_as(person, common_, IN_CREATE, [&](const std::string& name) {
    if (!name.starts_with(".locks")) return;
    static_cast<void>(!symlink(secret.c_str(), link.c_str()));
    static_cast<void>(!rename(link.c_str(), (common_ / name).c_str()));
  });
  for (int time = 0; time < 10; ++time) {
    for (const auto& entry : std::filesystem::directory_iterator(common_)) {
      std::filesystem::remove(entry.path());
    }
    const int outcome = as(root, by_default);
    EXPECT_TRUE(outcome == granted || outcome == refused) << outcome;
    EXPECT_EQ(mode_of(secret), 0600U) << time;
  }
  end(attacker);
}

// The log is put there when the file is opened, which is after it was looked for.
TEST_F(SeveralUsers, BelieveNoLogThatAnotherOnePutsBesideAPrivateFileMeanwhile) {
  const path theirs = folder("theirs", 0700) / "locks.sqlite3";
  const path innocent = scratch_.path() / "innocent";
  const path forged = scratch_.path() / "forged";
  ASSERT_TRUE(sqlite::backend(theirs));
  std::filesystem::copy_file(theirs, innocent);
  {
    const auto store = (*sqlite::backend(theirs))->open();
    ASSERT_TRUE(now(store->set(Key("planted"), std::string("v"))));
    std::filesystem::copy_file(theirs.string() + "-wal", forged);
  }
  const path shared = folder("sticky", 01777);
  for (int time = 0; time < 10; ++time) {
    const path file = shared / ("locks" + std::to_string(time));
    std::filesystem::copy_file(innocent, file);
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    const path ready = shared / "ready";
    std::filesystem::copy_file(forged, ready, std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(chown(ready.c_str(), person, person), 0);
    ASSERT_EQ(chmod(ready.c_str(), 0666), 0);
    const pid_t attacker = watch_as(person, shared, IN_OPEN, [&](const std::string& name) {
      if (name != file.filename()) return;
      static_cast<void>(!rename(ready.c_str(), (file.string() + "-wal").c_str()));
    });
    as(root, [&] { return sqlite::backend(file) ? granted : refused; });
    end(attacker);
    const path log = file.string() + "-wal";
    if (std::filesystem::exists(log) && owner_of(log) == person) std::filesystem::remove(log);
    const auto store = (*sqlite::backend(file))->open();
    EXPECT_THAT(now(store->get(Key("planted"))), Holds(std::nullopt)) << time;
  }
}

TEST_F(SeveralUsers, AreNotLedAwayByALinkInTheFoldersPlace) {
  const path elsewhere = folder("elsewhere", 0700);
  ASSERT_EQ(symlink(elsewhere.c_str(), common_.c_str()), 0);
  EXPECT_EQ(as(root, by_default), refused);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
  EXPECT_EQ(mode_of(elsewhere), 0700U);
}

TEST_F(SeveralUsers, AreNotLedAwayByALinkInTheFilesPlace) {
  const path secret = scratch_.path() / "secret";
  std::ofstream(secret) << "";
  ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
  ASSERT_EQ(mkdir(common_.c_str(), 0700), 0);
  ASSERT_EQ(chmod(common_.c_str(), 0777), 0);
  ASSERT_EQ(chown(common_.c_str(), person, person), 0);
  ASSERT_EQ(symlink(secret.c_str(), database_.c_str()), 0);
  EXPECT_EQ(as(root, by_default), refused);
  EXPECT_EQ(std::filesystem::file_size(secret), 0U);
  EXPECT_EQ(mode_of(secret), 0600U);
}

// SQLite makes a log that is not there: a link could have it made elsewhere.
TEST_F(SeveralUsers, AreNotLedAwayByALinkInThePlaceOfTheLog) {
  const path secret = scratch_.path() / "secret";
  std::ofstream(secret) << "not a log";
  EXPECT_EQ(as(person, by_default), granted);
  for (const char* suffix : {"-wal", "-shm"}) {
    const std::string log = database_.string() + suffix;
    std::filesystem::remove(log);
    ASSERT_EQ(symlink(secret.c_str(), log.c_str()), 0);
    EXPECT_EQ(as(root, by_default), refused) << suffix;
    EXPECT_EQ(std::filesystem::file_size(secret), 9U) << suffix;
    std::filesystem::remove(log);
  }
  EXPECT_EQ(as(root, by_default), busy);
}

// As Debian mounts it.
class SmallDefaultStore : public SeveralUsers {
 protected:
  void SetUp() override {
    SeveralUsers::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(mount("tmpfs", "/run/lock", "tmpfs", MS_REMOUNT, "mode=1777,size=5m"), 0);
  }
  static Fact free_space(Backend& backend) {
    const auto facts = backend.inspect();
    if (!facts) return {Fact::Verdict::bad, "free space", facts.error().detail()};
    for (const Fact& fact : *facts) {
      if (fact.subject == "free space") return fact;
    }
    return {Fact::Verdict::bad, "free space", "not told"};
  }
};

TEST_F(SmallDefaultStore, IsNotFilledByLocksThatWereReleased) {
  const auto backend = *sqlite::default_backend();
  EXPECT_EQ(free_space(*backend).verdict, Fact::Verdict::good);
  {
    const auto store = backend->open();
    for (int i = 0; i < 6500; ++i) {
      const Key lock("orders/" + std::to_string(i));
      const auto claimed = now(store->claim(lock, OwnerToken("il1:a"), ttl));
      ASSERT_TRUE(claimed) << i << ": " << claimed.error().detail();
      ASSERT_TRUE(now(store->release(lock, OwnerToken("il1:a")))) << i;
    }
    EXPECT_LT(std::filesystem::file_size(database_.string() + "-wal"), 1U << 20U);
  }
  EXPECT_LT(std::filesystem::file_size(database_), 2U << 20U);
  EXPECT_EQ(free_space(*backend).verdict, Fact::Verdict::good);
}

// One inode for the root, one for the folder, then the file, its log, and the log's index.
TEST_F(SmallDefaultStore, IsCalledFullWhenNoFileCanBeMade) {
  for (const char* inodes : {"nr_inodes=2", "nr_inodes=3", "nr_inodes=4"}) {
    ASSERT_EQ(umount2("/run/lock", MNT_DETACH), 0);
    ASSERT_EQ(mount("tmpfs", "/run/lock", "tmpfs", 0, inodes), 0);
    const auto opened = sqlite::default_backend();
    ASSERT_FALSE(opened) << inodes;
    EXPECT_EQ(opened.error().code(), Errc::rejected) << inodes;
    EXPECT_THAT(opened.error().detail(), HasSubstr("its file system is full")) << inodes;
  }
}

TEST_F(SmallDefaultStore, IsUnfitWhenItsFileSystemIsFull) {
  const auto backend = *sqlite::default_backend();
  EXPECT_EQ(free_space(*backend).verdict, Fact::Verdict::good);
  std::ofstream rest("/run/lock/rest", std::ios::binary);
  const std::string block(4096, 'x');
  while (rest.write(block.data(), 4096) && rest.flush()) {
  }
  const Fact fact = free_space(*backend);
  EXPECT_EQ(fact.verdict, Fact::Verdict::bad);
  EXPECT_EQ(fact.fact, "0 KiB");
  EXPECT_THAT(fact.advice, HasSubstr("name a store elsewhere"));
}

TEST_F(SeveralUsers, AreToldHowToOpenAFolderThatRootHasMadeForItselfAlone) {
  ASSERT_EQ(mkdir(common_.c_str(), 0755), 0);
  EXPECT_EQ(as(root, by_default), granted);
  EXPECT_EQ(as(person,
               [] {
                 const auto opened = sqlite::default_backend();
                 if (opened || opened.error().code() != Errc::rejected) return 1;
                 return opened.error().detail().find("chmod 0777") == std::string::npos ? 2 : 0;
               }),
            0);
}

TEST_F(SeveralUsers, AreToldThatTheFileIsOnAReadOnlyFileSystem) {
  EXPECT_EQ(as(person, by_default), granted);
  ASSERT_EQ(mount("tmpfs", "/run/lock", "tmpfs", MS_REMOUNT | MS_RDONLY, "mode=1777"), 0);
  for (const auto& opened : {sqlite::default_backend(), sqlite::backend(database_)}) {
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().detail(), HasSubstr("read-only file system"));
    EXPECT_THAT(opened.error().detail(), Not(HasSubstr("write permission")));
  }
}

TEST_F(SeveralUsers, AreToldWhenTheSystemHasNoPlaceForTheDefaultStore) {
  ASSERT_EQ(mount("tmpfs", "/run/lock", "tmpfs", MS_REMOUNT | MS_RDONLY, "mode=1777"), 0);
  const auto opened = sqlite::default_backend();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::rejected);
  EXPECT_THAT(opened.error().detail(),
              HasSubstr("'/run/lock' is on a read-only file system: mount it writable"));
  EXPECT_THAT(opened.error().detail(), HasSubstr("--store"));
}

// As SQLite writes it: it names another file, which SQLite deletes when it plays the journal back.
// Source: "Database File Format", 3; pager.c, readSuperJournal.
std::string journal_that_deletes(const std::string& file) {
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  constexpr std::uint32_t page = 4096;
  const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  std::string header = magic + number(0) + number(1234) + number(5) + number(512) + number(page);
  header.resize(512, '\0');
  std::uint32_t sum = 0;
  for (const char letter : file) sum += static_cast<std::uint32_t>(letter);
  return header + number(0x40000000 / page + 1) + file +
         number(static_cast<std::uint32_t>(file.size())) + number(sum) + magic;
}

TEST_F(SeveralUsers, CannotMakeOthersDeleteAFileByAJournalBesideTheStore) {
  const path precious = folder("root", 0700) / "precious";
  std::ofstream(precious) << "mine";
  EXPECT_EQ(as(service, by_default), granted);
  std::ofstream(database_.string() + "-journal") << journal_that_deletes(precious.string());
  ASSERT_EQ(chown((database_.string() + "-journal").c_str(), person, person), 0);
  EXPECT_EQ(as(root, by_default), busy);
  EXPECT_TRUE(exists(precious));
  EXPECT_EQ(as(service, by_default), busy);
}

TEST_F(SeveralUsers, FindAJournalBesideANewFileRemovedAndNotPlayedBack) {
  const path precious = folder("root", 0700) / "precious";
  std::ofstream(precious) << "mine";
  const path file = folder("all", 01777) / "locks.sqlite3";
  const path journal = file.string() + "-journal";
  std::ofstream(journal) << journal_that_deletes(precious.string());
  ASSERT_EQ(chown(journal.c_str(), person, person), 0);
  EXPECT_EQ(as(root, [&] { return claim(sqlite::backend(file)); }), granted);
  EXPECT_TRUE(exists(precious));
  EXPECT_FALSE(exists(journal));
}

TEST_F(SeveralUsers, CannotHoldOthersUpByAPipeInTheJournalsPlace) {
  EXPECT_EQ(as(service, by_default), granted);
  ASSERT_EQ(mkfifo((database_.string() + "-journal").c_str(), 0666), 0);
  EXPECT_EQ(as(root, by_default), busy);
}

TEST_F(SeveralUsers, CannotPutALogBesideAnothersPrivateFile) {
  const path file = folder("sticky", 01777) / "locks.sqlite3";
  const auto try_it = [&] { return claim(sqlite::backend(file)); };
  EXPECT_EQ(as(service, try_it), granted);
  for (const char* part : {"-wal", "-shm"}) {
    const path planted = file.string() + part;
    std::ofstream(planted).put('x');
    ASSERT_EQ(chown(planted.c_str(), person, person), 0);
    ASSERT_EQ(chmod(planted.c_str(), 0666), 0);
    EXPECT_EQ(as(service, try_it), refused) << part;
    EXPECT_EQ(as(root, try_it), refused) << part;
    std::filesystem::remove(planted);
  }
  EXPECT_EQ(as(service, try_it), busy);
}

TEST_F(SeveralUsers, AreToldOfADefaultFolderWhoseFilesNobodyCouldShare) {
  EXPECT_EQ(mkdir(common_.c_str(), 0777), 0);
  EXPECT_EQ(chmod(common_.c_str(), 01777), 0);
  const auto opened = sqlite::default_backend();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::rejected);
  EXPECT_THAT(opened.error().detail(), HasSubstr("sticky bit"));
  EXPECT_THAT(opened.error().detail(), HasSubstr("chmod 0777"));
}

TEST_F(SeveralUsers, DoNotShutTheOwnerOutByAFailedTry) {
  for (const mode_t mode : {01777U, 0777U, 0755U}) {
    const path file = folder("private", mode, mode == 0755 ? service : root) / "locks.sqlite3";
    const auto try_it = [&] { return claim(sqlite::backend(file)); };
    EXPECT_EQ(as(service, try_it), granted) << std::oct << mode;
    ASSERT_EQ(chmod(file.c_str(), 0644), 0);
    EXPECT_EQ(as(person, try_it), refused) << std::oct << mode;
    EXPECT_EQ(as(service, try_it), busy) << std::oct << mode;
    std::filesystem::remove_all(file.parent_path());
  }
}

TEST_F(SeveralUsers, ShareAFileInAFolderThatIsOpenToAll) {
  const path file = folder("open", 0777) / "locks.sqlite3";
  const auto try_it = [&] { return claim(sqlite::backend(file)); };
  EXPECT_EQ(as(service, try_it), granted);
  EXPECT_EQ(as(person, try_it), busy);
  EXPECT_EQ(as(root, try_it), busy);
  EXPECT_EQ(as(service, try_it), busy);
}

TEST_F(SeveralUsers, OfAGroupShareAFileInItsFolder) {
  const path file = folder("group", 02770, root, common_group) / "locks.sqlite3";
  const auto try_it = [&] { return claim(sqlite::backend(file)); };
  EXPECT_EQ(as(service, try_it, common_group), granted);
  EXPECT_EQ(mode_of(file), 0660U);
  EXPECT_EQ(as(person, try_it, common_group), busy);
  EXPECT_EQ(as(person, try_it), refused);
  EXPECT_EQ(as(service, try_it, common_group), busy);
}

TEST_F(SeveralUsers, HaveFilesOfTheirOwnInAFolderOfTheirOwn) {
  const path file = folder("own", 0755, person) / "locks.sqlite3";
  EXPECT_EQ(as(person, [&] { return claim(sqlite::backend(file)); }), granted);
  EXPECT_EQ(mode_of(file), 0600U);
}

TEST_F(SeveralUsers, RunNothingOfWhatAnotherOneHasPutIntoTheFile) {
  EXPECT_EQ(as(person, by_default), granted);
  Sql connection(database_);
  connection("CREATE TRIGGER theirs AFTER INSERT ON channels BEGIN DELETE FROM keys; END");
  EXPECT_EQ(as(root, by_default), refused);
  EXPECT_EQ(connection("SELECT count(*) > 0 FROM keys"), "1");
}

TEST_F(SeveralUsers, AreCountedByTheModesOfTheFileAndOfTheWayToIt) {
  const path closed = folder("closed", 0700);
  const path open = closed / "open";
  ASSERT_EQ(mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  const path file = open / "locks.sqlite3";
  ASSERT_TRUE(sqlite::backend(file));
  EXPECT_EQ(mode_of(file), 0666U);
  EXPECT_EQ(sqlite::shared_by(file), "the user root alone");
  ASSERT_EQ(chmod(closed.c_str(), 0711), 0);
  EXPECT_EQ(sqlite::shared_by(file), "all users of this machine");
  ASSERT_EQ(chmod(open.c_str(), 0755), 0);
  EXPECT_EQ(sqlite::shared_by(file), "the user root alone");
}

}  // namespace
}  // namespace interlock::testing_support
