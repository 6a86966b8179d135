#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store.hpp"

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
  EXPECT_EQ(code(Errc::rejected, "OOM command not allowed"), unreachable);
  EXPECT_EQ(code(Errc::rejected, "NOAUTH Authentication required."), refused);
  EXPECT_EQ(code(Errc::rejected, "WRONGPASS invalid username-password pair"), refused);
  EXPECT_EQ(code(Errc::rejected, "NOPERM this user has no permissions"), refused);
  EXPECT_EQ(code(Errc::rejected, "WRONGTYPE Operation against a key"), bad_configuration);
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
