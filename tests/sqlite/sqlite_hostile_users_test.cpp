// A user of the machine who means harm: what is put beside a lock file, in its place or into it
// leads nobody to another file, and runs nothing.
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/prctl.h>

#include <csignal>
#include <fstream>

#include "several_users.hpp"

namespace interlock::testing_support {
namespace {

using std::filesystem::path;

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
  ASSERT_EQ(chown(secret.c_str(), service, service), 0);
  ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
  EXPECT_EQ(as(service, by_default), granted);
  const path link = common_ / "link";
  const pid_t attacker = watch_as(person, common_, IN_CREATE, [&](const std::string& name) {
    if (!name.starts_with(".locks")) return;
    static_cast<void>(!symlink(secret.c_str(), link.c_str()));
    static_cast<void>(!rename(link.c_str(), (common_ / name).c_str()));
  });
  // The attacker does not win each race against a process that makes the mistake.
  for (int time = 0; time < 300; ++time) {
    for (const auto& entry : std::filesystem::directory_iterator(common_)) {
      std::filesystem::remove(entry.path());
    }
    const int outcome = as(service, by_default);
    EXPECT_TRUE(outcome == granted || outcome == refused) << outcome;
    if (mode_of(secret) != 0600U) break;
  }
  end(attacker);
  EXPECT_EQ(mode_of(secret), 0600U);
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

// A file of root's that lies in another user's folder. He may move and remove it, and no more.
class FileOfRoot {
 public:
  explicit FileOfRoot(const path& at) {
    // By one descriptor: a user who watches the folder may move the file as soon as it is there.
    opened_ = open(at.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    EXPECT_EQ(write(opened_, "secret", 6), 6);
  }
  FileOfRoot(const FileOfRoot&) = delete;
  FileOfRoot& operator=(const FileOfRoot&) = delete;
  ~FileOfRoot() { close(opened_); }

  void expect_untouched() const {
    struct stat info {};
    ASSERT_EQ(fstat(opened_, &info), 0);
    EXPECT_EQ(info.st_uid, root);
    EXPECT_EQ(info.st_mode & 07777U, 0600U);
    char text[16] = {};
    EXPECT_EQ(pread(opened_, text, sizeof text, 0), 6);
    EXPECT_STREQ(text, "secret");
  }

 private:
  int opened_;
};

TEST_F(SeveralUsers, LeadRootToNoFileOfItsInTheLogsPlace) {
  for (const uid_t first : {person, root}) {
    EXPECT_EQ(as(first, by_default), granted);
    empty_log_as_owner(database_);
    for (const char* suffix : {"-wal", "-shm"}) {
      const path log = database_.string() + suffix;
      const FileOfRoot secret(log);
      EXPECT_EQ(as(root, by_default), refused) << suffix;
      secret.expect_untouched();
      std::filesystem::remove(log);
    }
    EXPECT_EQ(as(root, by_default), busy);
    std::filesystem::remove_all(common_);
  }
}

TEST_F(SeveralUsers, LeadRootToNoFileOfItsThatTheyMoveToTheLogsPlaceMeanwhile) {
  EXPECT_EQ(as(person, by_default), granted);
  const path ready = common_ / "ready";
  const path log = database_.string() + "-wal";
  const pid_t attacker = watch_as(person, common_, IN_OPEN, [&](const std::string& name) {
    if (name != database_.filename()) return;
    static_cast<void>(!rename(ready.c_str(), log.c_str()));
  });
  for (int time = 0; time < 100; ++time) {
    const FileOfRoot secret(ready);
    as(root, by_default);
    secret.expect_untouched();
    std::filesystem::remove(ready);
    std::filesystem::remove(log);
  }
  end(attacker);
}

TEST_F(SeveralUsers, LeadRootToNoHardLinkInTheLogsPlace) {
  EXPECT_EQ(as(person, by_default), granted);
  empty_log_as_owner(database_);
  for (const char* suffix : {"-wal", "-shm"}) {
    const path other = common_ / "other";
    std::ofstream(other) << "secret";
    EXPECT_EQ(chmod(other.c_str(), 0666), 0);
    const path log = database_.string() + suffix;
    ASSERT_EQ(link(other.c_str(), log.c_str()), 0);
    EXPECT_EQ(as(root, by_default), refused) << suffix;
    EXPECT_EQ(std::filesystem::file_size(other), 6U) << suffix;
    EXPECT_EQ(owner_of(other), root) << suffix;
    std::filesystem::remove(log);
    std::filesystem::remove(other);
  }
}

// The kernel clears some attributes of a thread, and of its process, that changes its rights.
TEST_F(SeveralUsers, LeaveRootWhatItHadBefore) {
  EXPECT_EQ(as(person, by_default), granted);
  EXPECT_EQ(as(root,
               [] {
                 const gid_t groups[] = {0, common_group};
                 if (setgroups(2, groups) != 0 || prctl(PR_SET_PDEATHSIG, SIGURG) != 0 ||
                     prctl(PR_SET_DUMPABLE, 1) != 0 || by_default() != busy) {
                   return not_permitted;
                 }
                 int signal = 0;
                 prctl(PR_GET_PDEATHSIG, &signal);
                 gid_t after[4] = {};
                 const bool same = getgroups(4, after) == 2 && after[1] == common_group &&
                                   prctl(PR_GET_DUMPABLE) == 1 && signal == SIGURG &&
                                   setfsuid(~0U) == 0 && setfsgid(~0U) == 0 &&
                                   access("/root", W_OK) == 0;
                 return same ? granted : refused;
               }),
            granted);
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
  empty_log_as_owner(database_);
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

// In a sticky folder the kernel may refuse such a log by itself (proc(5), fs.protected_regular).
TEST_F(SeveralUsers, CannotPutALogBesideAnothersPrivateFile) {
  for (const mode_t mode : {01777U, 0777U}) {
    const path file = folder(mode == 01777U ? "sticky" : "open", mode) / "locks.sqlite3";
    const auto try_it = [&] { return claim(sqlite::backend(file)); };
    EXPECT_EQ(as(service, try_it), granted);
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    empty_log_as_owner(file);
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
}

TEST_F(SeveralUsers, RunNothingOfWhatAnotherOneHasPutIntoTheFile) {
  EXPECT_EQ(as(person, by_default), granted);
  Sql connection(database_);
  connection("CREATE TRIGGER theirs AFTER INSERT ON channels BEGIN DELETE FROM keys; END");
  EXPECT_EQ(as(root, by_default), refused);
  EXPECT_EQ(connection("SELECT count(*) > 0 FROM keys"), "1");
}

}  // namespace
}  // namespace interlock::testing_support
