// The operations of sessions (examples/session_lock) twice: as Lua on a real server, and natively.
// They agree on every reply, every key, and whether it has ended.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "server_and_model.hpp"
#include "session_lock/sessions.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

enum class SessionCall { open, create, keep_alive, end, remove };

class SessionStep {
 public:
  SessionCall call;
  std::string session;
  bool ends_soon;
};

std::ostream& operator<<(std::ostream& out, const SessionStep& step) {
  return out << static_cast<int>(step.call) << " " << step.session
             << (step.ends_soon ? " soon" : "");
}

rc::Gen<SessionStep> any_session_step() {
  return rc::gen::construct<SessionStep>(
      rc::gen::weightedElement<SessionCall>({{4, SessionCall::open},
                                             {6, SessionCall::create},
                                             {3, SessionCall::keep_alive},
                                             {2, SessionCall::end},
                                             {1, SessionCall::remove}}),
      rc::gen::element<std::string>("x", "y"),
      rc::gen::weightedElement<bool>({{1, true}, {5, false}}));
}

const Key name("lock");
const Key counter("count");

Operation script(const Script& which, KeyList keys, std::vector<std::string> arguments) {
  Operation op(OperationKind::run);
  op.script = &which;
  op.keys = std::move(keys);
  op.arguments = ArgumentList(std::move(arguments));
  return op;
}

Operation operation_of(const SessionStep& step) {
  const milliseconds lasts = step.ends_soon ? short_ttl : long_ttl;
  const Key session("session:" + step.session);
  switch (step.call) {
    case SessionCall::open:
      return operation(OperationKind::set, session.text(), step.session, lasts);
    case SessionCall::create:
      return script(sessions::create, {session, name, counter}, {step.session});
    case SessionCall::keep_alive:
      return script(sessions::keep_alive, {session, name},
                    {step.session, std::to_string(lasts.count())});
    case SessionCall::end:
      return script(sessions::end, {session, name}, {step.session});
    default:
      return operation(OperationKind::erase, name.text());
  }
}

RC_GTEST_PROP(Sessions, LuaAndNativeAgreeOnEveryReplyAndEveryKey, ()) {
  Pair pair;
  for (const SessionStep& step :
       *rc::gen::container<std::vector<SessionStep>>(any_session_step())) {
    const Operation op = operation_of(step);
    const auto [lua, native] = pair.both(op);
    RC_LOG() << describe(op) << "\n  server " << shown(lua) << "\n  native " << shown(native)
             << "\n";
    RC_ASSERT(same_reply(op, lua, native));
    if (step.ends_soon) pair.wait_for_short_ttls();
    auto keys = pair.native_keys();
    for (const char* key : {"session:x", "session:y", "lock", "count"}) {
      keys.try_emplace(key, "(nil)");
    }
    RC_ASSERT(pair.server_keys(keys) == keys);
  }
}

}  // namespace
}  // namespace interlock::redis
