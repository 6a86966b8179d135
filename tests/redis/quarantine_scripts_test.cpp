// The scripts of a store with quarantines twice, as queue_scripts_test.cpp does it with those of
// the queue: Lua on a real server and native on a keyspace in memory agree on every reply and every
// key, while the server's replication id changes now and then.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <regex>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

enum class Kind {
  claim,
  queue_claim,
  queue_release,
  renew,
  erase,
  lose_fence,
  reborn,
  forget,
  spoil,
  other_type,
  get,
};

class Step {
 public:
  Kind kind;
  std::string owner;
  std::string wake_up;
  std::string asked_before;
  milliseconds lasts;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << static_cast<int>(step.kind) << " " << step.owner << " '" << step.wake_up << "' "
             << step.asked_before << " lasts " << step.lasts.count();
}

constexpr milliseconds longer_ttl = long_ttl * 2;

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      rc::gen::weightedElement<Kind>({{6, Kind::claim},
                                      {12, Kind::queue_claim},
                                      {8, Kind::queue_release},
                                      {2, Kind::renew},
                                      {3, Kind::erase},
                                      {1, Kind::lose_fence},
                                      {3, Kind::reborn},
                                      {3, Kind::forget},
                                      {1, Kind::spoil},
                                      {1, Kind::other_type},
                                      {2, Kind::get}}),
      rc::gen::element<std::string>("il1:x/fair", "il1:y/fair", "il1:z/fair", "il1:z", "foreign",
                                    "il1:k/keep:il1:k/fair"),
      rc::gen::weightedElement<std::string>({{6, "heard"}, {2, "unheard"}, {2, "-"}, {3, ""}}),
      rc::gen::weightedElement<std::string>({{3, "0"}, {2, "1"}}),
      rc::gen::weightedElement<milliseconds>({{5, short_ttl}, {3, long_ttl}, {1, longer_ttl}}));
}

const Key lock("k{tag}");
const std::string ttl = std::to_string(long_ttl.count());
const std::string kept = std::to_string(Retention().with(long_ttl).count());

Operation script(const Script& which, std::vector<Key> keys, std::vector<std::string> arguments) {
  Operation op(OperationKind::run);
  op.script = &which;
  keys.push_back(incarnation_key());
  op.keys = std::move(keys);
  op.arguments = std::move(arguments);
  return op;
}

std::string text_of(milliseconds lasts) {
  return std::to_string(lasts.count());
}

Operation claim(const std::string& owner, milliseconds lasts) {
  return script(quarantined_claim_script(), {lock, fencing_key(lock)},
                {owner, ttl, kept, text_of(lasts)});
}
Operation queue_claim(const std::string& owner,
                      const std::string& wake_up,
                      milliseconds lasts,
                      const std::string& asked_before = "0") {
  std::vector<std::string> arguments{owner, ttl, kept, "4", ttl};
  if (!wake_up.empty()) {
    arguments.insert(arguments.end(), {wake_up, "50000000", ttl, asked_before});
  }
  arguments.push_back(text_of(lasts));
  return script(quarantined_queue_claim_script(), {lock, fencing_key(lock), queue_key(lock)},
                arguments);
}
Operation queue_release(const std::string& owner, milliseconds lasts) {
  return script(quarantined_queue_release_script(), {lock, fencing_key(lock), queue_key(lock)},
                {owner, "freed", "4", ttl, kept, text_of(lasts)});
}

Operation operation_of(const Step& step) {
  switch (step.kind) {
    case Kind::claim:
      return claim(step.owner, step.lasts);
    case Kind::queue_claim:
      return queue_claim(step.owner, step.wake_up, step.lasts, step.asked_before);
    case Kind::queue_release:
      return queue_release(step.owner, step.lasts);
    case Kind::renew:
      return operation(OperationKind::renew, lock.text(), step.owner, long_ttl);
    case Kind::erase:
      return operation(OperationKind::erase, lock.text());
    case Kind::lose_fence:
      return operation(OperationKind::erase, fencing_key(lock).text());
    case Kind::forget:
      return operation(OperationKind::erase, incarnation_key().text());
    case Kind::spoil:
      return operation(OperationKind::set, incarnation_key().text(), "broken 1 x");
    default:
      return operation(OperationKind::get, lock.text());
  }
}

void take_step(Pair& pair, const Step& step) {
  if (step.kind == Kind::reborn) return pair.change_incarnation();
  if (step.kind == Kind::other_type) {
    return pair.make_other_type((step.asked_before == "1" ? incarnation_key() : lock).text());
  }
  const Operation op = operation_of(step);
  const auto [lua, native] = pair.both(op);
  RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native) << "\n";
  RC_ASSERT(same_reply(op, lua, native));
  // Either half must see that it is over.
  if (step.lasts == short_ttl) pair.wait_for_short_ttls();
}

// Without instants, which differ by what passed between the two.
std::string without_times(const std::string& text) {
  static const std::regex instant(" ([wo]?)[0-9]+ ");
  return std::regex_replace(text, instant, " $1 ");
}

RC_GTEST_PROP(QuarantineScripts, LuaAndNativeAgreeOnEveryReplyAndEveryKey, ()) {
  Pair pair;
  pair.listen("heard");
  pair.change_incarnation();
  for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) {
    take_step(pair, step);
    const auto native = pair.native_keys();
    const auto on_server = pair.server_keys(native);
    RC_ASSERT(pair.server_key_count() == static_cast<std::int64_t>(native.size()));
    for (const auto& [key, text] : native) {
      RC_LOG() << key << ": server " << on_server.at(key) << ", native " << text << "\n";
      RC_ASSERT(same_text(without_times(on_server.at(key)), without_times(text)));
    }
    const auto [on_channel, in_keyspace] = pair.count_of_messages();
    RC_ASSERT(on_channel == in_keyspace);
  }
}

class QuarantinedServer : public testing::Test {
 protected:
  QuarantinedServer() {
    pair.listen("heard");
    pair.change_incarnation();
  }
  // The reply of the server, which is that of the native half.
  Value both(const Operation& op) {
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
    return lua.value_or(Value());
  }
  // After a first quarantine of two milliseconds.
  void grant_to(const std::string& owner) {
    both(claim(owner, short_ttl));
    pair.wait_for_short_ttls();
    EXPECT_NE(both(claim(owner, short_ttl)).number(), nullptr);
  }
  std::string holder() { return to_string(both(operation(OperationKind::get, lock.text()))); }
  static bool is_quarantine(const Value& reply) {
    return reply.list() != nullptr && (*reply.list())[0] == Value(0) &&
           (*reply.list())[1] == Value(std::string(OwnerToken::quarantine));
  }

  Pair pair;
};

TEST_F(QuarantinedServer, TheFirstRequestOfAStoreBeginsOne) {
  EXPECT_TRUE(is_quarantine(both(claim("il1:x", long_ttl))));
  EXPECT_TRUE(is_quarantine(both(queue_claim("il1:x", "", long_ttl))));
}

TEST_F(QuarantinedServer, ARestartOrPromotionBeginsOneAndItsOwnerIsGrantedTheLockAgain) {
  grant_to("il1:x");
  pair.change_incarnation();
  EXPECT_TRUE(is_quarantine(both(claim("il1:y", long_ttl))));
  EXPECT_FALSE(is_quarantine(both(claim("il1:x", long_ttl))));
  EXPECT_FALSE(is_quarantine(both(queue_claim("il1:x", "", long_ttl))));
  EXPECT_EQ(both(operation(OperationKind::renew, lock.text(), "il1:x", long_ttl)), Value(1));
}

TEST_F(QuarantinedServer, ItLastsForTheLongestThatTheStoreHasSeen) {
  both(claim("il1:x", long_ttl));
  pair.change_incarnation();
  const Value busy = both(claim("il1:x", short_ttl));
  ASSERT_TRUE(is_quarantine(busy));
  EXPECT_GT(*(*busy.list())[2].number(), long_ttl.count() - tolerance_ms);
}

TEST_F(QuarantinedServer, ALongerOneMakesARunningQuarantineLonger) {
  both(claim("il1:x", long_ttl));
  const Value busy = both(claim("il1:x", longer_ttl));
  ASSERT_TRUE(is_quarantine(busy));
  EXPECT_GT(*(*busy.list())[2].number(), longer_ttl.count() - tolerance_ms);
}

TEST_F(QuarantinedServer, AReleaseFreesTheLockAndOffersItToNobody) {
  grant_to("il1:x/fair");
  both(queue_claim("il1:y/fair", "heard", short_ttl));
  pair.change_incarnation();
  EXPECT_EQ(both(queue_release("il1:x/fair", long_ttl)), Value(1));
  EXPECT_EQ(holder(), "nil");
  EXPECT_THAT(pair.messages().first, testing::IsEmpty());
  EXPECT_TRUE(is_quarantine(both(queue_claim("il1:y/fair", "heard", long_ttl, "1"))));
}

// An end that lies too far ahead was noted before the server's clock was set back.
TEST_F(QuarantinedServer, AClockThatWasSetBackMakesNoQuarantineLonger) {
  both(claim("il1:x", short_ttl));
  pair.wait_for_short_ttls();
  both(operation(OperationKind::set, incarnation_key().text(),
                 pair.incarnation() + " 99999999999999 " + text_of(short_ttl)));
  EXPECT_TRUE(is_quarantine(both(claim("il1:x", short_ttl))));
  pair.wait_for_short_ttls();
  EXPECT_FALSE(is_quarantine(both(claim("il1:x", short_ttl))));
}

}  // namespace
}  // namespace interlock::redis
