// Operations as text, and answers as typed results.
#include "interlock/store/operation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "interlock/store/queue_scripts.hpp"
#include "interlock/store/script.hpp"
#include "scripted_world.hpp"

namespace interlock {
namespace {

using scripted::FakeTime;
using scripted::ScriptedStore;
using scripted::ttl_of;

class OperationText : public testing::Test {
 protected:
  // What a typed call submits.
  template <class Awaiter>
  static std::string said(const Awaiter& awaiter) {
    return describe(awaiter.operation());
  }

  FakeTime time;
  ScriptedStore store{time};
  Key foo{"lock.foo"};
};

TEST_F(OperationText, ReadsLikeTheRedisCommandsThatItStandsFor) {
  EXPECT_EQ(said(store.get(foo)), "GET lock.foo");
  EXPECT_EQ(said(store.set(foo, "112")), "SET lock.foo 112");
  EXPECT_EQ(said(store.set(foo, "112", milliseconds{30})), "SET lock.foo 112 PX 30");
  EXPECT_EQ(said(store.set_if_absent(foo, "112")), "SETNX lock.foo 112");
  EXPECT_EQ(said(store.set_if_absent(foo, "1", milliseconds{5})), "SETNX lock.foo 1 PX 5");
  EXPECT_EQ(said(store.exchange(foo, "7")), "GETSET lock.foo 7");
  EXPECT_EQ(said(store.erase(foo)), "DEL lock.foo");
  EXPECT_EQ(said(store.expire(foo, milliseconds{-1})), "PEXPIRE lock.foo -1");
  EXPECT_EQ(said(store.remaining(foo)), "PTTL lock.foo");
  EXPECT_EQ(said(store.increment(foo)), "INCR lock.foo");
}

TEST_F(OperationText, NamesTheOwnerAndTheTtlOfALocksOperations) {
  const OwnerToken owner("il1:a");
  EXPECT_EQ(said(store.claim(foo, owner, ttl_of(30000))), "CLAIM lock.foo il1:a PX 30000");
  EXPECT_EQ(said(store.renew(foo, owner, ttl_of(30000))), "RENEW lock.foo il1:a PX 30000");
  EXPECT_EQ(said(store.release(foo, owner)), "RELEASE lock.foo il1:a");
}

TEST_F(OperationText, NamesTheScriptAndWhatItIsGiven) {
  static const Script script("sum", "return 0", nullptr);
  EXPECT_EQ(said(store.run(script, {foo, Key("b")}, {"x", "1"})), "RUN sum lock.foo b x 1");
}

TEST_F(OperationText, NamesChannelsAndSubscriptions) {
  EXPECT_EQ(said(store.publish(Channel("news"), "hello")), "PUBLISH news hello");
  EXPECT_EQ(said(store.subscribe(Channel("news"))), "SUBSCRIBE news");
  EXPECT_EQ(said(store.await_message(7, TimePoint())), "AWAIT 7");
  EXPECT_EQ(said(store.interrupt(7)), "INTERRUPT 7");
  EXPECT_EQ(said(store.unsubscribe(7)), "UNSUBSCRIBE 7");
}

TEST_F(OperationText, HasADifferentWordForEachKind) {
  std::set<std::string_view> words;
  for (int kind = 0; kind <= static_cast<int>(OperationKind::unsubscribe); ++kind) {
    words.insert(to_string(static_cast<OperationKind>(kind)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(OperationKind::unsubscribe) + 1);
  EXPECT_EQ(words.count("unknown"), 0u);
}

TEST_F(OperationText, ComparesEveryField) {
  const Operation one = store.claim(foo, OwnerToken("a"), ttl_of(5)).operation();
  EXPECT_EQ(one, store.claim(foo, OwnerToken("a"), ttl_of(5)).operation());
  EXPECT_NE(one, store.claim(foo, OwnerToken("b"), ttl_of(5)).operation());
  EXPECT_NE(one, store.claim(foo, OwnerToken("a"), ttl_of(6)).operation());
  EXPECT_NE(one, store.claim(Key("bar"), OwnerToken("a"), ttl_of(5)).operation());
  EXPECT_NE(one, store.renew(foo, OwnerToken("a"), ttl_of(5)).operation());
}

Value list(std::vector<Value> elements) {
  return Value(std::move(elements));
}
Value number(std::int64_t value) {
  return Value(value);
}
Value text(const char* value) {
  return Value(std::string(value));
}

// Awaits one typed operation to which the store answers `reply`.
class Answers : public OperationText {
 protected:
  Task<Result<ClaimReply>> claim() {
    co_return co_await store.claim(foo, OwnerToken("a"), ttl_of(5));
  }
  Task<Result<OwnerCheck>> renew() {
    co_return co_await store.renew(foo, OwnerToken("a"), ttl_of(5));
  }
  Task<Result<Remaining>> remaining() { co_return co_await store.remaining(foo); }
  Task<Result<bool>> erase() { co_return co_await store.erase(foo); }
  Task<Result<std::optional<std::string>>> get() { co_return co_await store.get(foo); }
  Task<Result<std::int64_t>> increment() { co_return co_await store.increment(foo); }

  Result<ClaimReply> claim_answered(Value value) {
    store.answer_next(OperationKind::claim, std::move(value));
    return run(claim());
  }
  Result<OwnerCheck> renew_answered(Value value) {
    store.answer_next(OperationKind::renew, std::move(value));
    return run(renew());
  }
};

TEST_F(Answers, ToAClaimAreGrantsOrHolders) {
  const auto granted = claim_answered(list({number(1), number(9007199254740991)}));
  EXPECT_EQ(std::get<Claimed>(granted.value()).fencing, FencingToken(9007199254740991));

  const auto held = claim_answered(list({number(0), text("other"), number(70), number(30)}));
  EXPECT_EQ(std::get<Busy>(held.value()).holder, OwnerToken("other"));
  EXPECT_EQ(std::get<Busy>(held.value()).remaining, milliseconds{70});
  EXPECT_EQ(std::get<Busy>(held.value()).held_for, milliseconds{30});

  const auto foreign = claim_answered(list({number(0), text("other"), number(-1), number(-1)}));
  EXPECT_EQ(std::get<Busy>(foreign.value()).remaining, std::nullopt);
  EXPECT_EQ(std::get<Busy>(foreign.value()).held_for, std::nullopt);
}

TEST_F(Answers, ToAClaimAreThoseOfAScriptThatMayGrant) {
  EXPECT_DEATH(static_cast<void>(store.claim_by(queue_release_script(), {}, {})),
               "broken invariant.*may_grant");
}

TEST_F(Answers, ToAClaimByAScriptMayGrantABlock) {
  const auto claim_answered_with = [&](Value value) {
    store.answer_next(OperationKind::run, std::move(value));
    const auto claim = [](KeyValueStore* at) -> Task<Result<ClaimReply>> {
      co_return co_await at->claim_by(queue_claim_script(), {}, {});
    };
    return run(claim(&store));
  };
  const auto block = claim_answered_with(number(9007199254740991));
  EXPECT_EQ(std::get<Claimed>(block.value()).fencing, FencingToken(9007199254740991));
  EXPECT_EQ(std::get<Claimed>(block.value()).tokens, Claimed::Tokens::block);
  EXPECT_FALSE(std::get<Claimed>(block.value()).others_queue);
  const auto wanted = claim_answered_with(list({number(2), number(7)}));
  EXPECT_EQ(std::get<Claimed>(wanted.value()).fencing, FencingToken(7));
  EXPECT_EQ(std::get<Claimed>(wanted.value()).tokens, Claimed::Tokens::block);
  EXPECT_TRUE(std::get<Claimed>(wanted.value()).others_queue);
  const auto single = claim_answered_with(list({number(1), number(5)}));
  EXPECT_EQ(std::get<Claimed>(single.value()).tokens, Claimed::Tokens::single);
  EXPECT_TRUE(failed_with(claim_answered_with(number(0)), Errc::indeterminate));
  EXPECT_TRUE(failed_with(claim_answered_with(list({number(2), number(0)})), Errc::indeterminate));
  EXPECT_TRUE(failed_with(claim_answered_with(text("5")), Errc::indeterminate));
}

TEST_F(Answers, ToAClaimThatMakeNoSenseLeaveItUnknownWhatHappened) {
  const std::vector<Value> nonsense{
      Value(),
      number(1),
      text("OK"),
      list({}),
      list({number(1)}),
      list({text("1"), number(5)}),
      list({number(1), text("5")}),
      list({number(1), number(0)}),
      list({number(1), number(-5)}),
      list({number(2), text("x"), number(1), number(1)}),
      list({number(0), text("x"), number(1)}),
      list({number(0), number(1), number(1), number(1)}),
      list({number(0), text("x"), text("1"), number(1)}),
  };
  for (const Value& value : nonsense) {
    EXPECT_TRUE(failed_with(claim_answered(value), Errc::indeterminate)) << to_string(value);
  }
}

TEST_F(Answers, ToOwnerChecksAreDoneAbsentOrOther) {
  EXPECT_EQ(renew_answered(number(1)).value(), OwnerCheck::done);
  EXPECT_EQ(renew_answered(number(0)).value(), OwnerCheck::absent);
  EXPECT_EQ(renew_answered(number(-1)).value(), OwnerCheck::other);
  EXPECT_TRUE(failed_with(renew_answered(number(2)), Errc::indeterminate));
  EXPECT_TRUE(failed_with(renew_answered(Value()), Errc::indeterminate));
}

TEST_F(Answers, OfOtherKindsAreIndeterminateWhenTheyDoNotFit) {
  store.answer_next(OperationKind::remaining, number(-3));
  EXPECT_TRUE(failed_with(run(remaining()), Errc::indeterminate));
  store.answer_next(OperationKind::erase, number(2));
  EXPECT_TRUE(failed_with(run(erase()), Errc::indeterminate));
  store.answer_next(OperationKind::get, number(2));
  EXPECT_TRUE(failed_with(run(get()), Errc::indeterminate));
  store.answer_next(OperationKind::increment, text("2"));
  EXPECT_TRUE(failed_with(run(increment()), Errc::indeterminate));
}

TEST_F(Answers, ToRemainingTellApartAbsentForEverAndZero) {
  store.answer_next(OperationKind::remaining, number(-2));
  EXPECT_EQ(run(remaining()).value().state, Remaining::Expiry::absent);
  store.answer_next(OperationKind::remaining, number(-1));
  EXPECT_EQ(run(remaining()).value().state, Remaining::Expiry::no_expiry);
  store.answer_next(OperationKind::remaining, number(0));
  const auto zero = run(remaining()).value();
  EXPECT_EQ(zero.state, Remaining::Expiry::expires);
  EXPECT_EQ(zero.time, milliseconds{0});
}

TEST_F(Answers, ThatAreErrorsPassThroughUnchanged) {
  store.answer_next(OperationKind::get, Error(Errc::rejected, "WRONGTYPE"));
  const auto got = run(get());
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error(), Error(Errc::rejected, "WRONGTYPE"));
}

}  // namespace
}  // namespace interlock
