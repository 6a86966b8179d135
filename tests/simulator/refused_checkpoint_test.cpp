// A checkpoint of another search, and a file that is damaged or none at all, is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "checkpoint_folder.hpp"
#include "interlock/sim/checkpoint.hpp"
#include "search/checkpoint_file.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

using RefusedCheckpointTest = CheckpointTest;

TEST_F(RefusedCheckpointTest, BelongsToItsOwnerAlone) {
  Limits limits;
  limits.states = 100;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ::chmod(file_.c_str(), 0620);
  const Result<Verdict> refused = explore_resumable(stamps(), {}, checkpoints(true));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail(), HasSubstr("other users may write to it"));
}

TEST_F(RefusedCheckpointTest, IsRefusedForAnotherSearch) {
  Limits limits;
  limits.states = 100;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  const auto expect_refused = [](const Scenario& scenario, const Limits& now,
                                 const Checkpoints& how, const char* why) {
    const Result<Verdict> verdict = explore_resumable(scenario, now, how);
    ASSERT_FALSE(verdict) << why;
    EXPECT_EQ(verdict.error().code(), Errc::invalid_argument);
    EXPECT_THAT(verdict.error().detail(), HasSubstr(why));
  };
  constexpr const char* other = "another scenario or of other bounds";
  expect_refused(stamps(3), {}, checkpoints(true), other);
  expect_refused(stamps(2, 2, 3), {}, checkpoints(true), other);
  expect_refused(stamps().allow_deadlock(), {}, checkpoints(true), other);
  expect_refused(stamps().named("else"), {}, checkpoints(true), other);
  expect_refused(stamps().symmetry(false), {}, checkpoints(true), other);
  Limits counting;
  counting.count_violations = true;
  expect_refused(stamps(), counting, checkpoints(true), other);
  Checkpoints of_another = checkpoints(true);
  of_another.identity = "other tests";
  expect_refused(stamps(), {}, of_another, "another program");
}

Task<void> writes(Client& me, std::string value) {
  for (int left = 5; left > 0; --left) {
    static_cast<void>(co_await me.store().set(Key("k"), value));
  }
}

Task<void> does_nothing(Client&) {
  co_return;
}

// Another program under the same identity: it learns something else.
TEST_F(RefusedCheckpointTest, IsRefusedIfTheProgramsDoSomethingElse) {
  const auto scenario = [](bool also_third) {
    Scenario made("writers");
    made.client([](Client& me) { return writes(me, "a"); });
    made.client([](Client& me) { return writes(me, "b"); });
    made.client(
        [also_third](Client& me) { return also_third ? writes(me, "c") : does_nothing(me); });
    return made.require(never("anything"));
  };
  Limits limits;
  limits.states = 60;
  ASSERT_TRUE(explore_resumable(scenario(false), limits, checkpoints(false)));
  const Result<Verdict> refused = explore_resumable(scenario(true), {}, checkpoints(true));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail(), HasSubstr("do not do what they did"));
}

TEST_F(RefusedCheckpointTest, IsRefusedIfOneByteDiffersOrIsMissing) {
  Limits limits;
  limits.states = 60;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  const std::string whole = content();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 1 << at % 8);
    write(wrong);
    const Result<Verdict> verdict = explore_resumable(stamps(), {}, checkpoints(true));
    ASSERT_FALSE(verdict) << at;
    EXPECT_EQ(verdict.error().code(), Errc::invalid_argument);
    if (at % 7 != 0) continue;
    write(whole.substr(0, at));
    ASSERT_FALSE(explore_resumable(
        stamps(), {}, checkpoints(false).resumed.empty() ? checkpoints(true) : checkpoints(false)))
        << at;
  }
  write(whole + "\n");
  EXPECT_FALSE(explore_resumable(stamps(), {}, checkpoints(true)));
}

// With the checksum of what it says. Nobody else can write such a file, so its verdict does not
// matter, but it must not lead outside of any table.
TEST_F(RefusedCheckpointTest, IsReadWithinItsBounds) {
  for (const Scenario& scenario : {stamps(), leases_with_faults()}) {
    remove();
    Limits limits;
    limits.states = 150;
    ASSERT_TRUE(explore_resumable(scenario, limits, checkpoints(false)));
    const std::string whole = content();
    std::size_t refused = 0;
    std::uint32_t chance = 1;
    limits.states = 2'000;
    for (std::size_t at = 24; at + 8 < whole.size(); at += trials(5, 1)) {
      chance = chance * 1'664'525U + 1'013'904'223U;
      std::string wrong = whole.substr(0, whole.size() - 8);
      wrong[at] =
          static_cast<char>(static_cast<unsigned char>(wrong[at]) ^ (1 + (chance >> 24) % 255));
      Checksum sum;
      sum.add(reinterpret_cast<const unsigned char*>(wrong.data()), wrong.size());
      const std::uint64_t value = sum.value();
      wrong.append(reinterpret_cast<const char*>(&value), sizeof value);
      write(wrong);
      Checkpoints how = checkpoints(true);
      how.file.clear();
      if (!explore_resumable(scenario, limits, how)) ++refused;
    }
    EXPECT_GT(refused, 100U);
  }
}

TEST_F(RefusedCheckpointTest, WhatIsNoCheckpointIsLeftAlone) {
  write("my notes\n");
  Checkpoints how = checkpoints(false);
  const Result<Verdict> over_notes = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(over_notes);
  EXPECT_THAT(over_notes.error().detail(), HasSubstr("the file that is there is no checkpoint"));
  EXPECT_EQ(content(), "my notes\n");
  how.file = folder_;
  ASSERT_FALSE(explore_resumable(stamps(), {}, how));
  how.file = folder_ + "/none/search";
  const Result<Verdict> nowhere = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), Errc::unavailable);
  how = checkpoints(true);
  remove();
  const Result<Verdict> none = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Errc::unavailable);
}

}  // namespace
}  // namespace interlock::sim
