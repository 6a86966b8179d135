// The scripts of groups twice, as queue_scripts_test.cpp does it with those of queues: Lua on a
// real server and native on a keyspace in memory agree on every reply, every key and every message.
// Owners who want the lock alone use the scripts of queues on the same lock.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <regex>

#include "interlock/store/group_scripts.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "server_and_model.hpp"
#include "waiting_owners.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

enum class Kind {
  claim,
  release,
  renew,
  downgrade,
  set,
  erase,
  spoil,
  lose_fence,
  other_type,
  get,
  kept,
  wait,
  reborn,
};

const Key lock("k{tag}");

bool is_alone(const std::string& owner) {
  return owner.find("shared") == std::string::npos && owner.find("permits") == std::string::npos;
}

rc::Gen<Step<Kind>> any_step() {
  return rc::gen::construct<Step<Kind>>(
      rc::gen::weightedElement<Kind>({{14, Kind::claim},
                                      {9, Kind::release},
                                      {3, Kind::renew},
                                      {2, Kind::downgrade},
                                      {1, Kind::set},
                                      {1, Kind::erase},
                                      {1, Kind::spoil},
                                      {1, Kind::lose_fence},
                                      {1, Kind::other_type},
                                      {2, Kind::get},
                                      {2, Kind::kept},
                                      {2, Kind::wait},
                                      {1, Kind::reborn}}),
      rc::gen::weightedElement<std::string>({{2, "il1:a/fair"},
                                             {2, "il1:b/fair"},
                                             {1, "il1:k/keep:il1:k/fair"},
                                             {4, "il1:r/shared/fair"},
                                             {3, "il1:s/shared/fair"},
                                             {3, "il1:t/shared/fair"},
                                             {3, "il1:p/permits:1of3/fair"},
                                             {3, "il1:q/permits:2of3/fair"},
                                             {2, "il1:u/permits:3of3/fair"},
                                             {1, "il1:v/permits:1of2/fair"}}),
      rc::gen::weightedElement<std::string>({{6, "heard"}, {2, "unheard"}, {2, "-"}, {1, ""}}),
      rc::gen::weightedElement<std::string>({{3, "0"}, {2, "1"}}),
      rc::gen::weightedElement<bool>({{1, true}, {4, false}}));
}

Operation script(const Script& which, std::vector<std::string> arguments, bool has_holders) {
  Operation op(OperationKind::run);
  op.script = &which;
  if (has_holders) {
    op.keys = {lock, fencing_key(lock), queue_key(lock), holders_key(lock)};
  } else {
    op.keys = {lock, fencing_key(lock), queue_key(lock)};
  }
  op.arguments = std::move(arguments);
  return op;
}

Operation claim(const std::string& owner,
                const std::string& wake_up,
                milliseconds ttl,
                const std::string& asked_before = "0") {
  const bool alone = is_alone(owner);
  return script(alone ? queue_claim_script() : group_claim_script(),
                claim_arguments(owner, wake_up, ttl, asked_before), !alone);
}

Operation release(const std::string& owner, milliseconds window) {
  const bool alone = is_alone(owner);
  return script(alone ? queue_release_script() : group_release_script(),
                release_arguments(owner, window), !alone);
}

Operation renew(const std::string& owner, milliseconds ttl) {
  Operation op(OperationKind::run);
  op.script = &group_renew_script();
  op.keys = {lock, fencing_key(lock), holders_key(lock)};
  op.arguments = {owner, std::to_string(ttl.count()), kept_with(ttl)};
  return op;
}

Operation downgrade(const std::string& from, milliseconds ttl) {
  const std::string ms = std::to_string(ttl.count());
  return script(group_downgrade_script(), {"il1:d/shared/fair", ms, kept_with(ttl), "4", ms, from},
                true);
}

// The same at a store with quarantines.
Operation quarantined(Operation op) {
  const std::array pairs{
      std::pair(&queue_claim_script(), &quarantined_queue_claim_script()),
      std::pair(&queue_release_script(), &quarantined_queue_release_script()),
      std::pair(&group_claim_script(), &quarantined_group_claim_script()),
      std::pair(&group_downgrade_script(), &quarantined_group_downgrade_script()),
      std::pair(&group_release_script(), &quarantined_group_release_script())};
  for (const auto& [plain, guarded] : pairs) {
    if (op.script != plain) continue;
    op.script = guarded;
    std::vector<Key> keys(op.keys.begin(), op.keys.end());
    keys.push_back(incarnation_key());
    op.keys = keys;
    std::vector<std::string> arguments(op.arguments.begin(), op.arguments.end());
    arguments.push_back(std::to_string(long_ttl.count()));
    op.arguments = arguments;
    return op;
  }
  return op;
}

Operation operation_of(const Step<Kind>& step) {
  const milliseconds ttl = step.soon ? short_ttl : long_ttl;
  switch (step.kind) {
    case Kind::claim:
      return claim(step.owner, step.wake_up, ttl, step.asked_before);
    case Kind::release:
      return release(step.owner, ttl);
    case Kind::renew:
      return renew(step.owner, ttl);
    case Kind::downgrade:
      return downgrade(is_alone(step.owner) ? step.owner : "il1:a/fair", ttl);
    case Kind::set:
      return operation(OperationKind::set, lock.text(),
                       step.soon ? "il1:group:shared:x/fair" : "il1:group:3:1/fair", long_ttl);
    case Kind::erase:
      return operation(OperationKind::erase, (step.soon                  ? queue_key(lock)
                                              : step.asked_before == "1" ? holders_key(lock)
                                                                         : lock)
                                                 .text());
    case Kind::kept:
      return operation(OperationKind::remaining,
                       (step.soon ? queue_key(lock) : holders_key(lock)).text());
    case Kind::lose_fence:
      return operation(OperationKind::erase, fencing_key(lock).text());
    default:
      return operation(OperationKind::remaining, lock.text());
  }
}

// Without instants and tokens, which differ by what passed between the two.
std::string without_times(const std::string& text) {
  static const std::regex instant(" ([wo])[0-9]+ ");
  static const std::regex token("(shared:|^|[ ,])[0-9]{13,}");
  return std::regex_replace(std::regex_replace(text, instant, " $1 "), token, "$1");
}

std::vector<std::string> without_times(std::vector<std::string> texts) {
  for (std::string& text : texts) text = without_times(text);
  return texts;
}

class GroupScripts {
 public:
  explicit GroupScripts(bool has_quarantine) : has_quarantine_(has_quarantine) {
    pair.listen("heard");
    if (!has_quarantine_) return;
    // One that is over: the next one begins with the next incarnation.
    pair.change_incarnation();
    pair.both(operation(OperationKind::set, incarnation_key().text(),
                        pair.incarnation() + " 0 " + std::to_string(long_ttl.count())));
  }

  void take(const Step<Kind>& step) {
    if (step.kind == Kind::wait) return pair.wait_for_short_ttls();
    if (step.kind == Kind::reborn) return pair.change_incarnation();
    if (step.kind == Kind::other_type) {
      return pair.make_other_type((step.soon ? queue_key(lock) : holders_key(lock)).text());
    }
    if (step.kind == Kind::spoil) {
      return pair.make_list(
          queue_key(lock).text(),
          {"broken", "il1:r/shared/fair w9999999999999 heard", "",
           "il1:s/shared/fair o9999999999999 heard", "il1:a/fair w9999999999999 unheard",
           "il1:p/permits:1of3/fair w9999999999999 heard"});
    }
    const Operation op = has_quarantine_ ? quarantined(operation_of(step)) : operation_of(step);
    const auto [lua, native] = pair.both(op);
    RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native)
             << "\n";
    RC_ASSERT(same(op, lua, native));
    if (step.soon) pair.wait_for_short_ttls();
  }

  void compare() {
    auto [on_server, in_keyspace] = pair.messages();
    RC_ASSERT(without_times(std::move(on_server)) == without_times(std::move(in_keyspace)));
    const auto native = pair.native_keys();
    const auto server = pair.server_keys(native);
    for (const auto& [key, text] : native) {
      // The quarantine's end is a time.
      if (key == holders_key(lock).text() || key == incarnation_key().text()) continue;
      RC_LOG() << key << ": server " << server.at(key) << ", native " << text << "\n";
      RC_ASSERT(same_text(without_times(server.at(key)), without_times(text)));
    }
    RC_ASSERT(pair.differing_members(holders_key(lock).text()) == "[]");
  }

  // Times may differ, and so may the token in the text of a group.
  static bool same(const Operation& op, const Reply& lua, const Reply& native) {
    const auto plain = [](const Reply& reply) {
      if (!reply || !reply->list()) return reply;
      std::vector<Value> values = *reply->list();
      for (Value& value : values) {
        if (value.text() != nullptr) value = Value(without_times(*value.text()));
      }
      return Reply(Value(std::move(values)));
    };
    return same_reply(op, plain(lua), plain(native));
  }

  Pair pair;

 private:
  const bool has_quarantine_;
};

void walk(bool has_quarantine) {
  const auto steps = *rc::gen::container<std::vector<Step<Kind>>>(any_step());
  GroupScripts both(has_quarantine);
  for (const Step<Kind>& step : steps) {
    both.take(step);
    both.compare();
  }
}

RC_GTEST_PROP(GroupScripts, LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage, ()) {
  walk(false);
}

RC_GTEST_PROP(GroupScripts, LuaAndNativeAgreeAtAStoreWithQuarantines, ()) {
  walk(true);
}

// What a random walk meets seldom, step by step, and in both.
class GroupStory : public testing::Test {
 protected:
  GroupStory() { pair.listen("heard"); }
  // What group_look says of it, without times.
  std::string look() {
    Operation op(OperationKind::run);
    op.script = &group_look_script();
    op.keys = {lock, holders_key(lock)};
    op.arguments = {"2"};
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(GroupScripts::same(op, lua, native)) << shown(lua) << " and " << shown(native);
    std::string owners;
    if (!lua || lua->list() == nullptr) return shown(lua);
    for (std::size_t at = 0; at < lua->list()->size(); at += 2) {
      owners += (at == 0 ? "" : " ") + *(*lua->list())[at].text();
      EXPECT_LE(*(*lua->list())[at + 1].number(), long_ttl.count());
    }
    return owners;
  }
  // The first number of the reply: 3 a reader's, 1 another grant, 0 busy; -2 an error.
  std::int64_t says(const Operation& op) {
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(GroupScripts::same(op, lua, native)) << shown(lua) << " and " << shown(native);
    EXPECT_EQ(pair.differing_members(holders_key(lock).text()), "[]");
    if (lua && lua->list()) return *(*lua->list())[0].number();
    if (!lua || !lua->number()) return -2;
    return *lua->number() > least_token ? 1 : *lua->number();
  }
  std::string members() { return pair.server_members(holders_key(lock).text()); }
  std::string holder() {
    const Reply got = pair.both(operation(OperationKind::get, lock.text())).first;
    return got && got->text() ? without_times(*got->text()) : "";
  }

  Pair pair;
};

TEST_F(GroupStory, AGroupBeginsEmpty) {
  EXPECT_EQ(says(claim("il1:r/shared/fair", "", long_ttl)), 3);
  pair.both(operation(OperationKind::erase, lock.text()));
  EXPECT_EQ(says(claim("il1:p/permits:1of2/fair", "", long_ttl)), 1);
  EXPECT_EQ(members(), "[il1:p/permits:1of2/fair]");
  EXPECT_EQ(holder(), "il1:group:2:1/fair");
}

TEST_F(GroupStory, ReadersBehindAWriterAreAdmittedTogether) {
  EXPECT_EQ(says(claim("il1:a/fair", "heard", long_ttl)), 1);
  for (const char* owner :
       {"il1:r/shared/fair", "il1:s/shared/fair", "il1:b/fair", "il1:t/shared/fair"}) {
    EXPECT_EQ(says(claim(owner, "heard", long_ttl)), 0) << owner;
  }
  EXPECT_EQ(says(release("il1:a/fair", long_ttl)), 1);
  EXPECT_EQ(holder(), "il1:r/shared/fair") << "it has an offer";
  EXPECT_EQ(says(claim("il1:r/shared/fair", "heard", long_ttl, "1")), 3);
  EXPECT_EQ(members(), "[il1:r/shared/fair, il1:s/shared/fair]") << "t stands behind b";
  EXPECT_EQ(says(claim("il1:u/shared/fair", "heard", long_ttl)), 0);
  EXPECT_EQ(says(release("il1:r/shared/fair", long_ttl)), 1);
  EXPECT_EQ(says(release("il1:s/shared/fair", long_ttl)), 1);
  EXPECT_EQ(holder(), "il1:b/fair");
  EXPECT_EQ(members(), "[]");
}

TEST_F(GroupStory, AHeavyHolderInFrontIsNotPassedBy) {
  EXPECT_EQ(says(claim("il1:p/permits:2of3/fair", "heard", long_ttl)), 1);
  EXPECT_EQ(says(claim("il1:q/permits:3of3/fair", "heard", long_ttl)), 0);
  EXPECT_EQ(says(claim("il1:u/permits:1of3/fair", "heard", long_ttl)), 0) << "q is in front";
  EXPECT_EQ(says(release("il1:q/permits:3of3/fair", long_ttl)), -1);
  EXPECT_EQ(says(claim("il1:u/permits:1of3/fair", "heard", long_ttl, "1")), 1);
  EXPECT_EQ(holder(), "il1:group:3:3/fair");
  EXPECT_EQ(says(release("il1:p/permits:2of3/fair", long_ttl)), 1);
  EXPECT_EQ(holder(), "il1:group:3:1/fair");
}

TEST_F(GroupStory, InAQuarantineADowngradeAdmitsNobody) {
  EXPECT_EQ(says(claim("il1:a/fair", "heard", long_ttl)), 1);
  EXPECT_EQ(says(claim("il1:r/shared/fair", "heard", long_ttl)), 0);
  pair.change_incarnation();
  const Operation op = quarantined(downgrade("il1:a/fair", long_ttl));
  EXPECT_EQ(says(op), 3);
  EXPECT_EQ(members(), "[il1:d/shared/fair]") << "r waits";
}

TEST_F(GroupStory, OneWhoCountsToAnotherNumberKeepsNobodyWaiting) {
  EXPECT_EQ(says(claim("il1:a/fair", "heard", long_ttl)), 1);
  for (const char* owner :
       {"il1:p/permits:1of3/fair", "il1:x/permits:1of4/fair", "il1:q/permits:2of3/fair"}) {
    EXPECT_EQ(says(claim(owner, "heard", long_ttl)), 0) << owner;
  }
  EXPECT_EQ(says(release("il1:a/fair", long_ttl)), 1);
  EXPECT_EQ(says(claim("il1:p/permits:1of3/fair", "heard", long_ttl, "1")), 1);
  EXPECT_EQ(holder(), "il1:group:3:3/fair") << "q is in";
  EXPECT_EQ(says(claim("il1:x/permits:1of4/fair", "heard", long_ttl, "1")), 0);
  EXPECT_TRUE(pair.both(operation(OperationKind::remaining, queue_key(lock).text())).first);
}

TEST_F(GroupStory, ALookShowsThoseWhoseLeasesEndFirst) {
  EXPECT_EQ(look(), "");
  EXPECT_EQ(says(claim("il1:r/shared/fair", "", long_ttl)), 3);
  EXPECT_EQ(says(claim("il1:s/shared/fair", "", long_ttl / 2)), 3);
  EXPECT_EQ(says(claim("il1:t/shared/fair", "", long_ttl / 3)), 3);
  EXPECT_EQ(look(), "il1:t/shared/fair il1:s/shared/fair");
  EXPECT_EQ(says(claim("il1:s/shared/fair", "", short_ttl)), 3);
  pair.wait_for_short_ttls();
  EXPECT_EQ(look(), "il1:t/shared/fair il1:r/shared/fair");
  pair.both(operation(OperationKind::set, lock.text(), "il1:a/fair"));
  EXPECT_EQ(look(), "");
}

TEST_F(GroupStory, OneWhoseLeaseHasEndedHasNoPermits) {
  EXPECT_EQ(says(claim("il1:q/permits:1of3/fair", "", long_ttl)), 1);
  EXPECT_EQ(says(claim("il1:p/permits:2of3/fair", "", short_ttl)), 1);
  pair.wait_for_short_ttls();
  EXPECT_EQ(says(renew("il1:p/permits:2of3/fair", long_ttl)), 0);
  EXPECT_EQ(says(claim("il1:u/permits:2of3/fair", "", long_ttl)), 1);
  EXPECT_EQ(members(), "[il1:q/permits:1of3/fair, il1:u/permits:2of3/fair]");
}

TEST_F(GroupStory, TheLockEndsWithTheLastLease) {
  const auto left = [&] {
    const Operation op = operation(OperationKind::remaining, lock.text());
    const auto [lua, native] = pair.both(op);
    EXPECT_TRUE(same_reply(op, lua, native)) << shown(lua) << " and " << shown(native);
    return lua ? *lua->number() : 0;
  };
  EXPECT_EQ(says(claim("il1:r/shared/fair", "", long_ttl)), 3);
  EXPECT_EQ(says(claim("il1:s/shared/fair", "", long_ttl / 2)), 3);
  EXPECT_GT(left(), long_ttl.count() / 2) << "s ends first";
  EXPECT_EQ(says(release("il1:r/shared/fair", long_ttl)), 1);
  EXPECT_LE(left(), long_ttl.count() / 2);
  EXPECT_GT(left(), 0);
  EXPECT_EQ(says(claim("il1:t/shared/fair", "", long_ttl)), 3);
  EXPECT_GT(left(), long_ttl.count() / 2);
  EXPECT_EQ(says(release("il1:s/shared/fair", long_ttl)), 1);
  EXPECT_GT(left(), long_ttl.count() / 2) << "t ends last";
}

TEST_F(GroupStory, AClaimDropsDeadReaders) {
  EXPECT_EQ(says(claim("il1:r/shared/fair", "", long_ttl)), 3);
  EXPECT_EQ(says(claim("il1:s/shared/fair", "", short_ttl)), 3);
  pair.wait_for_short_ttls();
  EXPECT_EQ(says(claim("il1:t/shared/fair", "", long_ttl)), 3);
  EXPECT_EQ(members(), "[il1:r/shared/fair, il1:t/shared/fair]");
}

TEST_F(GroupStory, AWriterThatGivesUpTellsTheReaderBehindIt) {
  EXPECT_EQ(says(claim("il1:r/shared/fair", "heard", long_ttl)), 3);
  EXPECT_EQ(says(claim("il1:b/fair", "heard", long_ttl)), 0);
  EXPECT_EQ(says(claim("il1:s/shared/fair", "heard", long_ttl)), 0);
  static_cast<void>(pair.messages());
  EXPECT_EQ(says(release("il1:b/fair", long_ttl)), -1);
  const auto [on_server, in_keyspace] = pair.messages();
  EXPECT_EQ(on_server, std::vector<std::string>{"il1:s/shared/fair"});
  EXPECT_EQ(in_keyspace, on_server);
  EXPECT_EQ(says(claim("il1:s/shared/fair", "heard", long_ttl, "1")), 3);
}

}  // namespace
}  // namespace interlock::redis
