// Tests with three users of one machine. They need root, to become them; each test has a /run/lock
// of its own.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "lock_file.hpp"

namespace interlock::testing_support {

inline constexpr uid_t root = 0;
inline constexpr uid_t service = 60'001;
inline constexpr uid_t person = 60'002;
inline constexpr gid_t common_group = 60'100;

inline const Ttl ttl(std::chrono::seconds{30});

inline mode_t mode_of(const std::filesystem::path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

inline uid_t owner_of(const std::filesystem::path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 ? info.st_uid : ~uid_t{0};
}

// Exit codes of as(): what became of the try.
inline constexpr int granted = 0;
inline constexpr int busy = 1;
inline constexpr int refused = 2;
inline constexpr int not_permitted = 77;

inline int outcome_of(const Result<ClaimReply>& reply) {
  if (!reply) return refused;
  return std::holds_alternative<Claimed>(*reply) ? granted : busy;
}

inline int as(uid_t user, const std::function<int()>& body, gid_t group = 0) {
  return end_of(start_process([&] {
    umask(022);
    if (user == root) return body();
    const gid_t groups[] = {group};
    const bool changed = setgroups(group == 0 ? 0 : 1, groups) == 0 &&
                         setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
    return changed ? body() : not_permitted;
  }));
}

// As its owner: root may not open it to write in a folder like /tmp where fs.protected_regular is
// set (proc(5)).
inline void empty_log_as_owner(const std::filesystem::path& file) {
  ASSERT_EQ(as(owner_of(file),
               [&] {
                 empty_log(file);
                 return granted;
               }),
            granted);
}

inline int claim(const Result<std::shared_ptr<Backend>>& backend) {
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

  std::filesystem::path folder(const char* name,
                               mode_t mode,
                               uid_t owner = root,
                               gid_t group = 0) const {
    const std::filesystem::path made = scratch_.path() / name;
    EXPECT_EQ(mkdir(made.c_str(), 0700), 0);
    EXPECT_EQ(chown(made.c_str(), owner, group), 0);
    EXPECT_EQ(chmod(made.c_str(), mode), 0);
    return made;
  }

  const std::filesystem::path common_ = "/run/lock/interlock";
  const std::filesystem::path database_ = common_ / "locks.sqlite3";
  test::ScratchFolder scratch_;
};

inline const auto by_default = [] { return claim(sqlite::default_backend()); };

}  // namespace interlock::testing_support
