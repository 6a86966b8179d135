// LockOptions::note: what a holder tells people of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"

namespace interlock {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LockOptions noted(std::string note) {
  LockOptions options;
  options.note = std::move(note);
  return options;
}

std::string note_of(const Guard& guard) {
  return HolderNote::of(guard.owner());
}

class Note : public ::testing::Test {
 protected:
  const std::shared_ptr<Backend> backend_ = memory::backend();
  Client client_{backend_};
  Client other_{backend_};
};

TEST_F(Note, IsSeenByThoseWhoFindTheLockBusy) {
  const AcquireResult held = client_.acquire("deploy", noted("release 42, by Ann"));
  const AcquireResult refused = other_.try_acquire("deploy");
  ASSERT_NE(refused.busy(), nullptr);
  EXPECT_EQ(HolderNote::of(refused.busy()->holder), "release 42, by Ann");
}

TEST_F(Note, StandsBesideTheMarksOfEachKindOfLock) {
  AcquireResult queued = client_.acquire("a", noted("x"));
  EXPECT_THAT(queued->owner().text(), EndsWith("/note:x/fair"));
  LockOptions unfair = noted("x");
  unfair.fair = false;
  EXPECT_THAT(client_.acquire("b", unfair)->owner().text(), EndsWith("/note:x"));
  EXPECT_THAT(client_.acquire_shared("c", noted("x"))->owner().text(),
              EndsWith("/note:x/shared/fair"));
  AcquireResult some = client_.acquire_permits("d", *Permits::parse(2, 3), noted("x"));
  ASSERT_TRUE(some);
  EXPECT_THAT(some->owner().text(), EndsWith("/note:x/permits:2of3/fair"));
  EXPECT_TRUE(other_.acquire_permits("d", *Permits::parse(1, 3), noted("y")));
  LockOptions once = noted("y");
  once.wait = Duration::zero();
  EXPECT_NE(other_.acquire_permits("d", *Permits::parse(2, 3), once).busy(), nullptr);
}

TEST_F(Note, IsShownToThoseWhoDoNotGetTheLock) {
  const AcquireResult held = client_.acquire("deploy", noted("release 42\x1b[2J"));
  const std::string why = other_.try_acquire("deploy").why_not();
  EXPECT_THAT(why, StartsWith("held by "));
  EXPECT_THAT(why, HasSubstr(" pid " + std::to_string(getpid()) + " (release 42?[2J)"));
  EXPECT_THAT(why, Not(HasSubstr("il1:")));
}

TEST_F(Note, GoesAlongWithADowngrade) {
  AcquireResult held = client_.acquire("deploy", noted("x"));
  AcquireResult reader = client_.downgrade(*std::move(held));
  ASSERT_TRUE(reader) << reader.why_not();
  EXPECT_EQ(note_of(*reader), "x");
}

TEST_F(Note, ThatIsTooLongIsAnErrorThatNamesTheLock) {
  const AcquireResult refused = client_.acquire("deploy", noted(std::string(257, 'x')));
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
  EXPECT_THAT(refused.error()->detail(), HasSubstr("acquiring 'deploy': the note has 257 bytes"));
}

// Otherwise the second section would have the owner of the first.
TEST_F(Note, IsThatOfTheSectionAlsoInAMutexThatKeepsItsGrant) {
  MutexOptions options = noted("first");
  options.keep = true;
  Mutex first(client_, "deploy", options);
  options.note = "second";
  Mutex second(client_, "deploy", options);
  for (int round = 0; round < 3; ++round) {
    first.lock();
    EXPECT_EQ(note_of(first.guard()), "first");
    first.unlock();
    second.lock();
    EXPECT_EQ(note_of(second.guard()), "second");
    second.unlock();
  }
}

TEST_F(Note, OfACallerThatWaitsIsItsOwn) {
  AcquireResult held = client_.acquire("deploy", noted("first"));
  std::thread waiting([&] {
    const AcquireResult second = client_.acquire("deploy", noted("second"));
    ASSERT_TRUE(second);
    const AcquireResult refused = other_.try_acquire("deploy");
    ASSERT_NE(refused.busy(), nullptr);
    EXPECT_EQ(HolderNote::of(refused.busy()->holder), "second");
  });
  std::this_thread::sleep_for(milliseconds{50});
  EXPECT_TRUE(held->release());
  waiting.join();
}

}  // namespace
}  // namespace interlock
