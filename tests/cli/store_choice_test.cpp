#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "console/safe_text.hpp"
#include "console/urls.hpp"
#include "lock/lock_flags.hpp"
#include "lock/store.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<Given> flag(const std::string& url) {
  return Given(url, "--store", false);
}

TEST(ChooseStore, RefusesWhatIsNoStore) {
  for (const char* url : {"", "x", "locks.db", "etcd://host", "http://host", "sqlite:", "sqlite"}) {
    const auto store = choose_store(flag(url));
    ASSERT_FALSE(store) << url;
    EXPECT_EQ(store.error().code, usage) << url;
    EXPECT_THAT(store.error().message, HasSubstr("sqlite:PATH")) << url;
  }
}

TEST(ChooseStore, RefusesNamesThatOtherProgramsTakeForADatabaseInMemory) {
  for (const char* url : {"sqlite::memory:", "sqlite:file:a?mode=memory", "sqlite:file:a"}) {
    const auto store = choose_store(Given(url, "--store", false), Purpose::look);
    ASSERT_FALSE(store) << url;
    EXPECT_EQ(store.error().code, usage);
    EXPECT_THAT(store.error().message, HasSubstr("write ./ before"));
  }
}

TEST(ChooseStore, ReadsNoFileWithoutEnd) {
  StoreFlags flags;
  flags.file = Given("/dev/zero", "--store-file", false);
  const auto store = choose_store(flags, Purpose::look);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("its first line has more than 4095 bytes"));
}

TEST(ChooseStore, BlamesTheConfigurationForAWrongVariable) {
  const auto store = choose_store(Given("etcd://host", "INTERLOCK_STORE", true));
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, bad_configuration);
  EXPECT_THAT(store.error().message, HasSubstr("INTERLOCK_STORE=etcd://host"));
}

TEST(ChooseStore, NeverShowsAPassword) {
  for (const char* url :
       {"etcd://user:secret@host", "etcd://:secret@host/0", "etcd://user:secret@with@host",
        "etcd://a-user-name-that-is-so-long-that-its-line-has-to-be-cut-short-"
        "somewhere:secret@host"}) {
    const auto store = choose_store(flag(url));
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().message, Not(HasSubstr("secret"))) << url;
  }
}

TEST(ChooseStore, NeverShowsThePasswordOfAMistypedUrl) {
  for (const char* url : {"redis:/:secret@host/0",
                          ":secret@host",
                          "redis//:secret@host",
                          "secret@h",
                          "redis://:secret",
                          "redis://user:secret/0",
                          "redis://:secret@host:port",
                          "redis://:se@secret@host:port",
                          "rediss://:secret@host/0/x",
                          "rediss://host/0?password=secret",
                          "rediss://host/0?ca=/f&password=secret",
                          "redis://h:6379?password=secret",
                          "redis+unix:///s?password=secret",
                          "host=h password=secret",
                          "h:6379,password=secret,ssl=0",
                          "redis://h:6379/secret!",
                          "redis://h:6379#secret",
                          "redis://h/?auth=secret",
                          "h secret",
                          "redis://user@h?secret",
                          "secret?://h",
                          "redis:secret"}) {
    const auto store = choose_store(flag(url));
    ASSERT_FALSE(store) << url;
    EXPECT_THAT(store.error().message, Not(HasSubstr("secret"))) << url;
  }
}

TEST(ChooseStore, TakesNoDotsForAStore) {
  EXPECT_FALSE(choose_store(flag("...")));
}

TEST(ChooseStore, ShowsAMistypedUrlAsFarAsItHidesNothing) {
  for (const char* url :
       {"etcd://host", "etcd://host:2379/a", "locks.db", "/var/lib/locks.db", "http://[::1]:80/0",
        "rediss://h:1/0?ca=/etc/ca.pem&server-name=a.b", "redis+sentinel://h1:1,[::1]:2,h3/mine/0",
        "redis+cluster://h1:1,[::1]:2,h3", "rediss+sentinel://h1:1,h2/mine?ca=/etc/ca.pem"}) {
    EXPECT_EQ(without_password(url), url);
  }
  EXPECT_EQ(without_password("etcd://user:secret@host:2379"), "etcd://...@host:2379");
  EXPECT_EQ(without_password("sqlite:/var/lib/my locks?.db"), "sqlite:/var/lib/my locks?.db");
  EXPECT_EQ(without_password("redis+sentinel://u:secret@h1:1,h2/mine"),
            "redis+sentinel://...@h1:1,h2/mine");
  EXPECT_EQ(without_password("rediss+cluster://u:secret@h1:1,h2?ca=/etc/ca.pem"),
            "rediss+cluster://...@h1:1,h2?ca=/etc/ca.pem");
  EXPECT_EQ(without_password("redis+sentinel://h1/mine?sentinel-password=secret"),
            "redis+sentinel://...");
  EXPECT_EQ(without_password("memory:"), "memory:");
}

TEST(ChooseStore, ReadsTheUrlFromAFile) {
  const test::ScratchFolder scratch;
  const auto path = scratch.path() / "store";
  std::ofstream(path) << "memory: \nanything\n";
  StoreFlags flags;
  flags.file.emplace(path.string(), "--store-file", false);
  EXPECT_TRUE(choose_store(flags));
  std::ofstream(path) << "redis:/:secret@host\n";
  const auto wrong = choose_store(flags);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, usage);
  EXPECT_THAT(wrong.error().message, HasSubstr(path.string()));
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("secret")));
  std::filesystem::remove(path);
  const auto missing = choose_store(flags);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("there is no such file: check its name"));
}

TEST(ChooseStore, TakesTheCommandLinesFileRatherThanTheEnvironmentsUrl) {
  const test::ScratchFolder scratch;
  const auto path = scratch.path() / "store";
  std::ofstream(path) << "memory:";
  StoreFlags flags;
  flags.file.emplace(path.string(), "--store-file", false);
  flags.url.emplace("etcd://h", "INTERLOCK_STORE", true);
  EXPECT_TRUE(choose_store(flags));
  flags.url.emplace("memory:", "--store", false);
  EXPECT_FALSE(choose_store(flags));
}

// Without the variable, an interlock that the command calls would use the default store.
TEST(ChooseStore, HandsTheStoreOnInTheEnvironmentButNoPassword) {
  StoreFlags flags;
  const std::map<std::string, std::string> handed_on{
      {"memory:", "memory:"},
      {"redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0"},
      {"redis://:secret@127.0.0.1:1/0", "redis://127.0.0.1:1/0"},
      {"redis://user:se@cret@127.0.0.1:1/0", "redis://127.0.0.1:1/0"}};
  for (const auto& [url, expected] : handed_on) {
    setenv("INTERLOCK_STORE", url.c_str(), 1);
    flags.url.emplace(url, "INTERLOCK_STORE", true);
    EXPECT_TRUE(choose_store(flags));
    EXPECT_STREQ(std::getenv("INTERLOCK_STORE"), expected.c_str());
    unsetenv("INTERLOCK_STORE");
  }
}

TEST(WithoutLogin, LeavesWhatIsNoSecret) {
  EXPECT_EQ(without_login("rediss://u:secret@h:1/0?ca=/etc/ca.pem"),
            "rediss://h:1/0?ca=/etc/ca.pem");
  EXPECT_EQ(without_login("redis+sentinel://h1,h2:1/mine?sentinel-user=u&sentinel-password=secret"),
            "redis+sentinel://h1,h2:1/mine");
  EXPECT_EQ(without_login("rediss+sentinel://u:p@h/mine?sentinel-password=secret&ca=/ca.pem"),
            "rediss+sentinel://h/mine?ca=/ca.pem");
}

TEST(WithoutLogin, HasNothingOfAPasswordThatCannotBeToldFromTheRest) {
  for (const char* url :
       {"redis://h:1?password=secret", "redis://:sec ret@h x", "sec?://u:ret@h"}) {
    EXPECT_EQ(without_login(url), "...") << url;
  }
}

TEST(HidePasswords, OverwritesThemInTheArgumentsBeforeTheCommand) {
  std::vector<std::string> words{
      "interlock",        "run", "--store=redis://u:secret@h/0",        "x",  "redis://:secret@h",
      "redis://h:6379/0", "a@b", "--store=redis://h:1?password=secret", "--", "redis://:secret@h"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  hide_passwords(static_cast<int>(arguments.size()), arguments.data());
  EXPECT_EQ(words[2], "--store=redis://u:******@h/0");
  EXPECT_EQ(words[4], "redis://:******@h");
  EXPECT_EQ(words[5], "redis://h:6379/0");
  EXPECT_EQ(words[6], "a@b");
  EXPECT_EQ(words[7], "--store=redis://h:1?password=******");
  EXPECT_EQ(words[9], "redis://:secret@h");
}

TEST(NameToAcquire, IsNoUrlWithAPassword) {
  for (const char* url : {"redis://u:secret@h/0", "rediss://:secret@h", "redis+unix://p@/s"}) {
    const auto name = parse_name_to_acquire(url);
    ASSERT_FALSE(name) << url;
    EXPECT_EQ(name.error().code, usage);
    EXPECT_THAT(name.error().message, HasSubstr("write --store before it"));
    EXPECT_THAT(name.error().message, Not(HasSubstr("secret")));
    EXPECT_TRUE(parse_lock_name(url)) << "it can be looked at";
  }
  EXPECT_TRUE(parse_name_to_acquire("redis://h/0"));
  EXPECT_TRUE(parse_name_to_acquire("orders/42@eu"));
}

TEST(ChooseStore, RefusesAStoreOfThisProcessAloneForALockThatOthersAreToFind) {
  const auto store = choose_store(flag("memory:"), Purpose::hold);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, usage);
  EXPECT_THAT(store.error().message, HasSubstr("excludes nobody"));
  EXPECT_THAT(store.error().message, HasSubstr("sqlite:PATH"));

  const auto from_environment =
      choose_store(Given("memory:", "INTERLOCK_STORE", true), Purpose::hold);
  ASSERT_FALSE(from_environment);
  EXPECT_EQ(from_environment.error().code, bad_configuration);
  EXPECT_THAT(from_environment.error().message, HasSubstr("excludes nobody"));
}

TEST(ChooseStore, LooksIntoNothingOnlyWhereAStoreMayYetBeMade) {
  const test::ScratchFolder scratch;
  const auto look = [](const std::filesystem::path& path) {
    return choose_store(flag("sqlite:" + path.string()), Purpose::look);
  };
  const auto none = look(scratch.path() / "locks.db");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->backend, nullptr);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "locks.db"));
  EXPECT_FALSE(look(scratch.path() / "mistyped" / "locks.db"));
  std::ofstream(scratch.path() / "file") << "";
  EXPECT_FALSE(look(scratch.path() / "file" / "locks.db"));
  std::filesystem::create_symlink(scratch.path() / "nowhere", scratch.path() / "link");
  EXPECT_FALSE(look(scratch.path() / "link"));
}

TEST(ChooseStore, OpensMemory) {
  const auto store = choose_store(flag("memory:"));
  ASSERT_TRUE(store);
  EXPECT_NE(store->backend, nullptr);
}

TEST(StoreFailure, TellsUnreachableFromRefusedFromUnfit) {
  Store store;
  store.description = "redis://h:1/0";
  const auto code = [&](Errc errc, const char* detail) {
    return store_failure("'x' not acquired", Error(errc, detail), store).code;
  };
  EXPECT_EQ(code(Errc::unavailable, "Connection refused"), unreachable);
  EXPECT_EQ(code(Errc::indeterminate, "no answer for 2 s"), unreachable);
  EXPECT_EQ(code(Errc::rejected, "OOM command not allowed when used memory"), operating_system);
  EXPECT_EQ(code(Errc::rejected, "MISCONF Redis is configured to save"), operating_system);
  EXPECT_EQ(code(Errc::unavailable, "cannot connect to redis://bloom:1/0"), unreachable);
  EXPECT_EQ(code(Errc::unavailable, "cannot connect to redis://misconf:1/0"), unreachable);
  EXPECT_EQ(code(Errc::rejected, "NOAUTH Authentication required."), refused);
  EXPECT_EQ(code(Errc::rejected, "WRONGPASS invalid username-password pair"), refused);
  EXPECT_EQ(code(Errc::rejected, "NOPERM this user has no permissions"), refused);
  EXPECT_EQ(code(Errc::rejected, "NOPERM in a script: ACL failure in script"), refused);
  EXPECT_EQ(code(Errc::rejected, "WRONGTYPE Operation against a key"), bad_configuration);
  EXPECT_EQ(code(Errc::rejected, "MOVED 1 h:2: this server is part of a Redis Cluster, which"),
            bad_configuration);
  EXPECT_EQ(code(Errc::rejected, "this is no Redis server that keeps locks"), bad_configuration);
}

TEST(StoreFailure, OfAFileIsTheSameAtEachUseAsAtItsOpening) {
  Store store;
  store.description = "sqlite:/a";
  const auto code = [&](const char* detail) {
    return store_failure("'x' not acquired", Error(Errc::rejected, detail), store).code;
  };
  EXPECT_EQ(code("claiming in '/a': this user may not write the file or its directory"), refused);
  EXPECT_EQ(code("opening the default store in '/a': it is not open to all users (mode 0700)"),
            refused);
  EXPECT_EQ(code("opening '/a': it is on a read-only file system"), bad_configuration);
  EXPECT_EQ(code("claiming in '/a': the file is damaged"), bad_configuration);
  EXPECT_EQ(code("claiming in '/a': this user may not write it (Permission denied)"), refused);
  EXPECT_EQ(code("claiming in '/a': its file system is full"), operating_system);
}

// The parameters of another kind of URL, which would be a part of the file's name.
TEST(ChooseStore, TakesNoParametersForAFile) {
  const test::ScratchFolder folder;
  const std::string place = "sqlite:" + folder.path().string();
  for (const char* name :
       {"/x.db?after-failover=wait", "/x.db?mode=ro&cache=shared", "/a?b=c/x.db",
        "/x?.db?longest-ttl=", "/x.db?Retention=1m", "/x.db?retention", "/x.db?"}) {
    const auto store = choose_store(flag(place + name));
    ASSERT_FALSE(store) << name;
    EXPECT_EQ(store.error().code, usage);
    EXPECT_THAT(store.error().message, HasSubstr("a file takes no parameters"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_TRUE(choose_store(flag(place + "/a=b&c.db")));
}

TEST(ChooseStore, TakesTls) {
  const auto store = choose_store(flag("rediss://:secret@h:6380/0?ca=/etc/ca.pem"));
  ASSERT_TRUE(store);
  EXPECT_EQ(store->description, "rediss://h:6380/0");
}

TEST(StoreFailure, OfTlsIsABadConfiguration) {
  Store store;
  store.description = "rediss://h:1/0";
  const Error error(Errc::rejected, "cannot connect to rediss://h:1/0: the certificate: renew it");
  EXPECT_EQ(store_failure("'x' not acquired", error, store).code, bad_configuration);
}

TEST(StoreFailure, OfAnotherTypeNamesAllKeysThatMayHaveIt) {
  Store store;
  store.description = "redis://h:1/0";
  const Error error(Errc::rejected, "WRONGTYPE Operation against a key");
  EXPECT_THAT(store_failure("'x' not acquired", error, store).message,
              AllOf(HasSubstr("is not a lock"), HasSubstr("{NAME}:interlock:fence"),
                    HasSubstr("{NAME}:interlock:queue")));
}

TEST(StoreFailure, OfAnIncarnationOfAnotherTypeNamesThatKeyAndNoOther) {
  Store store;
  store.description = "redis://h:1/0";
  const Error error(Errc::rejected, "WRONGTYPE Operation against a key: interlock:incarnation");
  const Failure failure = store_failure("'x' not acquired", error, store);
  EXPECT_EQ(failure.code, bad_configuration);
  EXPECT_THAT(failure.message, AllOf(HasSubstr("interlock:incarnation"), HasSubstr("delete it"),
                                     testing::Not(HasSubstr("choose another name"))));
}

TEST(ChooseStore, AdviceOnAUrlIsReadableWhenPasswordsAreHidden) {
  for (const char* url : {"redis://", "redis://u@h/0", "redis+unix://u@h/x"}) {
    const auto store = choose_store(flag(url));
    ASSERT_FALSE(store);
    EXPECT_EQ(printable(store.error().message, 1000), store.error().message);
    EXPECT_THAT(store.error().message,
                HasSubstr("write redis://host[:port][/database], rediss://host[:port][/database]"));
  }
  const auto slash = choose_store(flag("redis://:a/b@h"));
  ASSERT_FALSE(slash);
  EXPECT_EQ(printable(slash.error().message, 1000), slash.error().message);
  EXPECT_THAT(slash.error().message, HasSubstr("/ is written as %2F, @ as %40"));
}

TEST(StoreFailure, NamesTheStoreOnce) {
  Store store;
  store.description = "redis://h:1/0";
  EXPECT_EQ(store_failure("x", Error(Errc::unavailable, "refused"), store).message,
            "x: redis://h:1/0: refused");
  EXPECT_EQ(store_failure("x", Error(Errc::unavailable, "redis://h:1/0 is down"), store).message,
            "x: redis://h:1/0 is down");
}

}  // namespace
}  // namespace interlock::cli
