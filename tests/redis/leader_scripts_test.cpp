// The scripts of elections twice, as scripts_test.cpp does it with those of locks: Lua on a real
// server and native on a keyspace in memory agree on every reply, every key and every message.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "interlock/leader.hpp"
#include "interlock/store/lock_keys.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

enum class Kind { claim, release, proclaim, withdraw, look, other_type, spoil };

class Step {
 public:
  Kind kind;
  std::string owner;
  std::string value;
  bool expires_soon;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << static_cast<int>(step.kind) << " " << step.owner << " '" << step.value << "'"
             << (step.expires_soon ? " soon" : "");
}

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      rc::gen::weightedElement<Kind>({{4, Kind::claim},
                                      {2, Kind::release},
                                      {6, Kind::proclaim},
                                      {3, Kind::withdraw},
                                      {4, Kind::look},
                                      {1, Kind::other_type},
                                      {1, Kind::spoil}}),
      rc::gen::element<std::string>("il1:x", "il1:y", "owner with blanks"),
      rc::gen::element<std::string>("", "host7:9000", "1 2 3", std::string("\0\xff\n", 3)),
      rc::gen::weightedElement<bool>({{1, true}, {5, false}}));
}

const Key lock("scheduler");

Operation script(const Script& which, std::vector<std::string> arguments) {
  Operation op(OperationKind::run);
  op.script = &which;
  op.keys = {lock, leader_key(lock)};
  op.arguments = std::move(arguments);
  return op;
}

Operation operation_of(const Step& step) {
  const milliseconds lasts = step.expires_soon ? short_ttl : long_ttl;
  switch (step.kind) {
    case Kind::claim:
      return operation(OperationKind::claim, lock.text(), step.owner, lasts);
    case Kind::release:
      return operation(OperationKind::release, lock.text(), step.owner);
    case Kind::proclaim:
      return script(proclaim_script(),
                    {step.owner, "17", step.value, "heard", std::to_string(lasts.count())});
    case Kind::withdraw:
      return script(withdraw_script(), {step.owner});
    case Kind::spoil:
      return operation(OperationKind::set, leader_key(lock).text(), "no proclamation");
    default:
      return script(look_for_leader_script(), {});
  }
}

RC_GTEST_PROP(LeaderScripts, LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage, ()) {
  Pair pair;
  pair.listen("heard");
  for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) {
    if (step.kind == Kind::other_type) {
      pair.make_other_type((step.expires_soon ? lock : leader_key(lock)).text());
      continue;
    }
    const Operation op = operation_of(step);
    const auto [lua, native] = pair.both(op);
    RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native)
             << "\n";
    RC_ASSERT(same_reply(op, lua, native));
    if (step.expires_soon) pair.wait_for_short_ttls();
    const auto [on_server, in_keyspace] = pair.messages();
    RC_ASSERT(on_server == in_keyspace);
    auto keys = pair.native_keys();
    keys.erase(fencing_key(lock).text());  // two clocks
    for (const Key& key : {lock, leader_key(lock)}) keys.try_emplace(key.text(), "(nil)");
    RC_ASSERT(pair.server_keys(keys) == keys);
  }
}

}  // namespace
}  // namespace interlock::redis
