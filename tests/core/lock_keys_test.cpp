#include "interlock/store/lock_keys.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>

namespace interlock {
namespace {

Key named(const char* text) {
  return Key(text);
}

// The part of a key that decides its slot. Source: Redis cluster specification, "Hash tags".
std::string hashed(const std::string& key) {
  const auto open = key.find('{');
  if (open == std::string::npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == std::string::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

// Names in which braces and the suffix itself are likely.
rc::Gen<std::string> names() {
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "{", "}", "a", "b", ":", "{}", "{a}", ":interlock:fence", ":interlock:released"))),
      [](const std::vector<std::string>& parts) {
        std::string name;
        for (const std::string& part : parts) name += part;
        return name;
      });
}

TEST(LockKeys, TheLocksOwnKeyIsItsName) {
  EXPECT_EQ(lock_key(LockName::parse("orders/42").value()), named("orders/42"));
}

TEST(LockKeys, OfANameAreThoseThatBelongToItsKey) {
  for (const char* text : {"deploy", "a name that is too long to be kept inside a std::string"}) {
    const LockName name = LockName::parse(text).value();
    const Key lock = lock_key(name);
    const LockKeys& keys = name.keys();
    EXPECT_EQ(keys.lock(), lock);
    EXPECT_EQ(keys.fencing(), fencing_key(lock));
    EXPECT_EQ(keys.queue(), queue_key(lock));
    EXPECT_EQ(keys.released(), release_channel(lock));
    EXPECT_EQ(keys.all(), (KeyList{lock, fencing_key(lock), queue_key(lock)}));
  }
}

TEST(LockKeys, AreMadeOnceForAllCopiesOfAName) {
  const LockName name = LockName::parse("deploy").value();
  const LockName copy = name;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(&name.keys(), &copy.keys());
  EXPECT_NE(&name.keys(), &LockName::parse("deploy").value().keys());
}

TEST(LockKeys, OutliveTheNameInTheKeyThatSharesItsText) {
  const std::string text(100, 'x');
  auto name = std::make_unique<LockName>(LockName::parse(text).value());
  const Key lock = lock_key(*name);
  name.reset();
  EXPECT_EQ(lock.text(), text);
}

TEST(LockKeys, AreWrittenIntoMemoryThatIsThere) {
  std::string into = "what was there before";
  write_fencing_key(named("deploy"), into);
  EXPECT_EQ(into, fencing_key(named("deploy")).text());
  write_release_channel(named("{eu}"), into);
  EXPECT_EQ(into, release_channel(named("{eu}")).text());
}

TEST(LockKeys, WhatLivesBesideALockSharesItsSlotByAHashTag) {
  EXPECT_EQ(fencing_key(named("deploy")), named("{deploy}:interlock:fence"));
  EXPECT_EQ(release_channel(named("deploy")), Channel("{deploy}:interlock:released"));
}

TEST(LockKeys, ANameWithAHashTagKeepsIt) {
  EXPECT_EQ(hashed(fencing_key(named("{eu}/orders")).text()), "eu");
  EXPECT_EQ(hashed(fencing_key(named("orders{eu}")).text()), "eu");
  EXPECT_EQ(hashed(release_channel(named("{eu}")).text()), "eu");
}

TEST(LockKeys, EmptyBracesAreNoHashTag) {
  EXPECT_EQ(fencing_key(named("{}")), named("{{}}:interlock:fence"));
}

TEST(LockKeys, OtherKeysAreNoFencingCounters) {
  EXPECT_EQ(lock_of_fencing_key(named("deploy")), std::nullopt);
  EXPECT_EQ(lock_of_fencing_key(named("{deploy}:interlock:released")), std::nullopt);
  EXPECT_EQ(lock_of_fencing_key(named("{deploy}:interlock:fence:more")), std::nullopt);
  EXPECT_EQ(lock_of_fencing_key(named("deploy:interlock:fence")), std::nullopt);
  EXPECT_EQ(lock_of_fencing_key(named(":interlock:fence")), std::nullopt);
  EXPECT_EQ(lock_of_fencing_key(named("")), std::nullopt);
}

TEST(LockKeys, OtherKeysAreNoNotesOfARun) {
  EXPECT_EQ(lock_of_last_run_key(named("deploy")), std::nullopt);
  EXPECT_EQ(lock_of_last_run_key(fencing_key(named("deploy"))), std::nullopt);
  EXPECT_EQ(lock_of_last_run_key(named(":interlock:last")), std::nullopt);
}

TEST(LockKeys, ALockAndTheSameNameInBracesHaveCountersOfTheirOwn) {
  EXPECT_NE(fencing_key(named("a")), fencing_key(named("{a}")));
  EXPECT_NE(release_channel(named("a")), release_channel(named("{a}")));
}

RC_GTEST_PROP(LockKeys, AFencingCounterLeadsBackToItsLock, ()) {
  const Key lock(*names());
  RC_ASSERT(lock_of_fencing_key(fencing_key(lock)) == std::optional<Key>(lock));
}

RC_GTEST_PROP(LockKeys, ANoteOfARunLeadsBackToItsLock, ()) {
  const Key lock(*names());
  RC_ASSERT(lock_of_last_run_key(last_run_key(lock)) == std::optional<Key>(lock));
}

RC_GTEST_PROP(LockKeys, DifferentLocksNeverShareACounterOrAChannel, ()) {
  const Key one(*names());
  const Key two(*names());
  RC_PRE(one != two);
  RC_ASSERT(fencing_key(one) != fencing_key(two));
  RC_ASSERT(release_channel(one) != release_channel(two));
}

RC_GTEST_PROP(LockKeys, OfANameThatMayBeALocksShareOneSlot, ()) {
  const std::string name = *names();
  const bool shared = hashed(fencing_key(Key(name)).text()) == hashed(name);
  RC_ASSERT(keys_share_a_slot(name) == shared);
  if (!LockName::parse(name)) return;
  RC_ASSERT(shared);
  RC_ASSERT(hashed(queue_key(Key(name)).text()) == hashed(name));
  RC_ASSERT(hashed(release_channel(Key(name)).text()) == hashed(name));
}

RC_GTEST_PROP(LockKeys, WhatLivesBesideALockIsNoLocksName, ()) {
  const Key lock(*names());
  for (const std::string& beside :
       {fencing_key(lock).text(), queue_key(lock).text(), release_channel(lock).text()}) {
    RC_ASSERT(failed_with(LockName::parse(beside), Errc::invalid_argument));
  }
}

RC_GTEST_PROP(LockKeys, WhateverIsTakenForACounterIsTheCounterOfThatLock, ()) {
  const Key key(*names());
  const auto lock = lock_of_fencing_key(key);
  if (lock) RC_ASSERT(fencing_key(*lock) == key);
}

}  // namespace
}  // namespace interlock
