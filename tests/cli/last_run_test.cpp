// What is noted of a run, on the memory store. The same on Redis and SQLite: period.bash.
#include "lock/last_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interlock/memory/memory_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/task.hpp"

namespace interlock::cli {
namespace {

using ::testing::HasSubstr;

class LastRunTest : public testing::Test {
 protected:
  void hold(const OwnerToken& owner) {
    ASSERT_TRUE(run(set_in(*store_, lock_key(lock_), owner.text())));
  }
  static Task<Result<std::monostate>> set_in(KeyValueStore& store, Key key, std::string value) {
    co_return co_await store.set(std::move(key), std::move(value));
  }
  std::optional<Error> note(const OwnerToken& owner, int exit_code) {
    return note_run(*store_, lock_, owner, milliseconds{41'000}, exit_code, period_,
                    backend_->retention());
  }
  std::optional<LastRun> seen() { return look_for_run(*store_, lock_).value(); }

  const LockName lock_ = *LockName::parse("nightly");
  const OwnerToken owner_{"il1:00:812@web-3/fair"};
  const milliseconds period_{3'600'000};
  milliseconds now_{1'700'000'000'000};
  std::shared_ptr<Backend> backend_ = memory::backend([this] { return StoreTime(now_); });
  std::unique_ptr<KeyValueStore> store_ = backend_->open();
};

TEST_F(LastRunTest, NothingIsNotedAtFirst) {
  EXPECT_FALSE(seen());
}

TEST_F(LastRunTest, ARunIsNotedByTheStoresClock) {
  hold(owner_);
  EXPECT_FALSE(note(owner_, 3));
  now_ += milliseconds{720'000};
  const auto last = seen();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->owner, owner_);
  EXPECT_EQ(last->ago, milliseconds{720'000});
  EXPECT_EQ(last->took, milliseconds{41'000});
  EXPECT_EQ(last->exit_code, 3);
  EXPECT_EQ(last_run_text(*last),
            "the last run ended 12 min ago with exit code 3, after 41 s, by web-3 pid 812");
  EXPECT_THAT(last_run_json(*last).dump(),
              HasSubstr(R"("ended_ms_ago":720000,"held_ms":41000,"exit":3)"));
}

TEST_F(LastRunTest, ARunIsNotNotedWhenAnotherHoldsTheLock) {
  hold(OwnerToken("il1:01:1@web-4"));
  EXPECT_FALSE(note(owner_, 0));
  EXPECT_FALSE(seen());
}

TEST_F(LastRunTest, ANoteEndsAPeriodAndTheRetentionAfterTheRun) {
  hold(owner_);
  EXPECT_FALSE(note(owner_, 0));
  now_ += backend_->retention().with(period_);
  EXPECT_TRUE(seen());
  now_ += milliseconds{1};
  EXPECT_FALSE(seen());
}

TEST_F(LastRunTest, AServersClockThatWasSetBackGivesNoTimeBelowZero) {
  hold(owner_);
  EXPECT_FALSE(note(owner_, 0));
  now_ -= milliseconds{5'000};
  EXPECT_EQ(seen()->ago, milliseconds{0});
}

TEST_F(LastRunTest, WhatCannotBeReadIsNoRun) {
  for (const char* garbled :
       {"", "1", "1 2 3", "1 2 3 ", "1 2 256 il1:a", "a 2 3 il1:a", "-1 2 3 il1:a", "1 2 3"}) {
    ASSERT_TRUE(run(set_in(*store_, last_run_key(lock_key(lock_)), garbled)));
    EXPECT_FALSE(seen()) << garbled;
  }
}

}  // namespace
}  // namespace interlock::cli
