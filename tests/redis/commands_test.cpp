// Every operation that a store carries out at once, on a real server and on core's keyspace: random
// sequences over a few keys of every type, with the values and ttls at which Redis changes its
// mind, and every reply is compared. What the keyspace answers is what memory, SQLite and the
// simulator answer.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {
namespace {

using test::operation;
using test::shown;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

Value number(std::int64_t value) {
  return Value(value);
}

// Whatever was there becomes a list.
const Script& make_list() {
  static const Script script(
      "make_list", "redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], ARGV[1])",
      [](Keyspace& keyspace, const std::vector<Key>& keys, const std::vector<std::string>&) {
        Entry entry("");
        entry.type = Entry::Type::other;
        keyspace.put(keys[0], std::move(entry));
        return Reply(number(1));
      });
  return script;
}

// Several commands in one script, of which the second may be refused after the first has been
// carried out. The count is read as text: Lua's numbers are exact only up to 2^53.
const Script& set_and_count() {
  static const Script script(
      "set_and_count",
      "redis.call('SET', KEYS[1], ARGV[1]) redis.call('INCR', KEYS[2])\n"
      "return {1, redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]), {}}",
      [](Keyspace& keyspace, const std::vector<Key>& keys,
         const std::vector<std::string>& arguments) {
        keyspace.put(keys[0], Entry(arguments[0]));
        Reply count = apply(keyspace, Operation(OperationKind::increment, keys[1]));
        if (!count) return count;
        const Reply one = apply(keyspace, Operation(OperationKind::get, keys[0]));
        const Reply two = apply(keyspace, Operation(OperationKind::get, keys[1]));
        return Reply(Value(std::vector<Value>{number(1), *one, *two, Value(std::vector<Value>())}));
      });
  return script;
}

constexpr std::array kinds{
    OperationKind::get,       OperationKind::set,       OperationKind::set_if_absent,
    OperationKind::exchange,  OperationKind::erase,     OperationKind::expire,
    OperationKind::remaining, OperationKind::increment, OperationKind::claim,
    OperationKind::renew,     OperationKind::release,   OperationKind::run,
    OperationKind::publish};

rc::Gen<std::string> any_key() {
  // The counter of "a" is a key that plain commands can reach as well.
  return rc::gen::element<std::string>("a", "b", fencing_key(Key("a")).text(), "");
}

rc::Gen<std::string> any_value() {
  return rc::gen::element<std::string>(
      "il1:x", "il1:y", "", "text", "5", "-1", "-0", "007", "+1", " 1", "1 ", "1.0",
      std::string("1\0", 2), std::string("\0\xff\r\n", 4), std::to_string(largest),
      std::to_string(largest - 1), std::to_string(smallest), "9223372036854775808",
      "-9223372036854775809", "9007199254740991", "9007199254740992");
}

// Far from now on either side, at the ends of what can be written down, or so short that the step
// waits for its end.
rc::Gen<std::int64_t> any_ttl() {
  constexpr std::int64_t far = 100'000'000;
  static const std::vector<std::int64_t> long_ones{far, 2 * far, 300 * far};
  static const std::vector<std::int64_t> odd_ones{0,
                                                  -1,
                                                  -far,
                                                  smallest,
                                                  smallest + 1,
                                                  smallest / 2,
                                                  largest,
                                                  largest - 1,
                                                  largest - far,
                                                  largest - 1'000'000'000'000,
                                                  largest - 9'000'000'000'000,
                                                  largest / 2,
                                                  largest / 1000};
  return rc::gen::weightedOneOf<std::int64_t>(
      {{12, rc::gen::elementOf(long_ones)},
       {6, rc::gen::elementOf(odd_ones)},
       {1, rc::gen::just(std::int64_t{short_ttl.count()})}});
}

// A ttl that a Ttl could hold.
milliseconds lease_ttl(std::int64_t ttl) {
  return ttl == short_ttl.count() ? short_ttl : ttl % 2 == 0 ? long_ttl : Ttl::longest;
}

class Draw {
 public:
  OperationKind kind;
  std::string key;
  std::string value;
  std::int64_t ttl;
  bool has_ttl;
};

Operation operation_of(const Draw& draw) {
  switch (draw.kind) {
    case OperationKind::set:
    case OperationKind::set_if_absent:
      if (!draw.has_ttl) return operation(draw.kind, draw.key, draw.value);
      return operation(draw.kind, draw.key, draw.value, milliseconds{draw.ttl});
    case OperationKind::expire:
      return operation(draw.kind, draw.key, "", milliseconds{draw.ttl});
    case OperationKind::claim:
    case OperationKind::renew:
      return operation(draw.kind, draw.key, draw.value, lease_ttl(draw.ttl));
    case OperationKind::run: {
      Operation run(OperationKind::run);
      run.script = draw.has_ttl ? &set_and_count() : &make_list();
      std::vector<Key> keys{Key(draw.key)};
      if (draw.has_ttl) keys.emplace_back(draw.key == "b" ? "" : "b");
      run.keys = std::move(keys);
      run.arguments = {draw.value};
      return run;
    }
    default:
      return operation(draw.kind, draw.key, draw.value);
  }
}

void showValue(const Draw& draw, std::ostream& out) {  // NOLINT: RapidCheck finds it by this name
  const Operation op = operation_of(draw);
  out << describe(op) << (op.ttl ? " ttl " + std::to_string(op.ttl->count()) : "");
}

rc::Gen<Draw> any_draw() {
  return rc::gen::construct<Draw>(rc::gen::elementOf(kinds), any_key(), any_value(), any_ttl(),
                                  rc::gen::arbitrary<bool>());
}

// A counter that is counted on differs by the time between two clocks.
bool same(const Operation& op, const Reply& server, const Reply& model) {
  if (op.kind != OperationKind::increment || !server || !model) {
    return same_reply(op, server, model);
  }
  return same_text(std::to_string(*server->number()), std::to_string(*model->number()));
}

void compare(Pair& pair, const Operation& op) {
  const auto [server, model] = pair.both(op);
  RC_LOG() << describe(op) << "\n  server " << shown(server) << "\n  model  " << shown(model)
           << "\n";
  RC_ASSERT(same(op, server, model));
  if (op.ttl == short_ttl) pair.wait_for_short_ttls();
}

RC_GTEST_PROP(Commands, ServerAndModelAgreeOnEveryReply, ()) {
  // Many short ones instead of few long ones: what differs differs after few steps.
  const auto sequences = *rc::gen::container<std::vector<std::vector<Draw>>>(
      20, rc::gen::resize(20, rc::gen::container<std::vector<Draw>>(any_draw())));
  for (const std::vector<Draw>& sequence : sequences) {
    RC_LOG() << "--- new sequence\n";
    Pair pair;
    for (const Draw& draw : sequence) compare(pair, operation_of(draw));
    for (const char* key : {"a", "b", "", "{a}:interlock:fence", "{b}:interlock:fence"}) {
      compare(pair, operation(OperationKind::get, key));
      compare(pair, operation(OperationKind::remaining, key));
    }
  }
}

}  // namespace
}  // namespace interlock::redis
