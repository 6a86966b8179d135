// Several users of one machine: whom a lock file lets in, and that nobody is kept out by another
// one's failed try.
#include <gmock/gmock.h>

#include <fstream>

#include "several_users.hpp"

namespace interlock::testing_support {
namespace {

using std::filesystem::path;
using testing::HasSubstr;
using testing::Not;

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

// As Debian mounts it.
class SmallDefaultStore : public SeveralUsers {
 protected:
  void SetUp() override {
    SeveralUsers::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(mount("tmpfs", "/run/lock", "tmpfs", MS_REMOUNT, "mode=1777,size=5m"), 0);
  }
  static Finding free_space(Backend& backend) {
    const auto findings = backend.inspect();
    if (!findings) return {Finding::Grade::bad, "free space", findings.error().detail()};
    for (const Finding& finding : *findings) {
      if (finding.subject == "free space") return finding;
    }
    return {Finding::Grade::bad, "free space", "not told"};
  }
};

TEST_F(SmallDefaultStore, IsNotFilledByLocksThatWereReleased) {
  const auto backend = *sqlite::default_backend();
  EXPECT_EQ(free_space(*backend).grade, Finding::Grade::good);
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
  EXPECT_EQ(free_space(*backend).grade, Finding::Grade::good);
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
  EXPECT_EQ(free_space(*backend).grade, Finding::Grade::good);
  std::ofstream rest("/run/lock/rest", std::ios::binary);
  const std::string block(4096, 'x');
  while (rest.write(block.data(), 4096) && rest.flush()) {
  }
  const Finding finding = free_space(*backend);
  EXPECT_EQ(finding.grade, Finding::Grade::bad);
  EXPECT_EQ(finding.fact, "0 KiB");
  EXPECT_THAT(finding.advice, HasSubstr("name a store elsewhere"));
}

TEST_F(SeveralUsers, AreToldHowToOpenAFolderThatRootHasMadeForItselfAlone) {
  ASSERT_EQ(mkdir(common_.c_str(), 0755), 0);
  for (const uid_t user : {root, person}) {
    EXPECT_EQ(as(user,
                 [] {
                   const auto opened = sqlite::default_backend();
                   if (opened || opened.error().code() != Errc::rejected) return 1;
                   return opened.error().detail().find("chmod 0777") == std::string::npos ? 2 : 0;
                 }),
              0);
  }
  EXPECT_FALSE(exists(database_)) << "others could not use it later";
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
