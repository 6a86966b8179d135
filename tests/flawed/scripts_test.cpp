// The scripts of the flawed locks twice: as Lua on a real server, and natively. Random sequences on
// two keys, with foreign values, other types and clocks that run ahead; every reply and every key
// is compared. The keyspace's clock is set to the server's; no expiry falls into a test.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "interlock/flawed/compare_script_lock.hpp"
#include "interlock/flawed/script_lock.hpp"
#include "interlock/flawed/stamp_lock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::flawed {
namespace {

test::RedisServer& server() {
  static test::RedisServer running;
  return running;
}

class Silent final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel&, const std::string&) override { return 0; }
};

class Both {
 public:
  Both() { plain_.command({"FLUSHALL"}); }

  void put(const std::string& key, const std::string& value) {
    plain_.command({"SET", key, value});
    native_.put(Key(key), Entry(value));
  }
  void put_other_type(const std::string& key) {
    plain_.command({"DEL", key});
    plain_.command({"RPUSH", key, "x"});
    Entry entry("");
    entry.type = Entry::Type::other;
    native_.put(Key(key), entry);
  }

  void run(const Script& script, const std::string& key, std::vector<std::string> arguments) {
    set_clock();
    Operation operation(OperationKind::run);
    operation.script = &script;
    operation.keys = {Key(key)};
    operation.arguments = std::move(arguments);
    const Reply native = apply(native_, operation);
    const Reply real = test::ask(*store_, operation);
    // What Lua says of itself is its own; that it refuses is not.
    RC_ASSERT(native.has_value() == real.has_value());
    if (native) RC_ASSERT(test::shown(native) == test::shown(real));
    if (!native) RC_ASSERT(native.error().code() == real.error().code());
    compare(key);
  }

 private:
  // The value, and roughly when it ends. What the server's clock decides may differ in the last
  // digits, because it goes on between the two.
  void compare(const std::string& key) {
    const auto entry = native_.find(Key(key));
    const std::string real = plain_.command({"GET", key});
    if (entry && entry->type == Entry::Type::other) {
      RC_ASSERT(real.starts_with("(error) WRONGTYPE"));
      return;
    }
    if (!entry) {
      RC_ASSERT(real == "(nil)");
      return;
    }
    if (entry->value.size() > 13 && entry->value.find(':') == 13U) {
      RC_ASSERT(real.substr(13) == entry->value.substr(13));
    } else {
      RC_ASSERT(real == entry->value);
    }
    const std::int64_t left = std::stol(plain_.command({"PTTL", key}));
    if (!entry->expiry) {
      RC_ASSERT(left == -1);
      return;
    }
    const auto now = std::chrono::floor<milliseconds>(native_.now().time_since_epoch());
    RC_ASSERT(std::abs((*entry->expiry - now).count() - left) < 60'000);
  }

  void set_clock() {
    const std::string time = plain_.command({"TIME"});  // [seconds, microseconds]
    const auto comma = time.find(", ");
    const auto seconds = std::chrono::seconds{std::stol(time.substr(1, comma - 1))};
    native_.set_now(StoreTime(seconds + Duration{std::stol(time.substr(comma + 2))}));
  }

  test::PlainRedis plain_{server()};
  std::unique_ptr<KeyValueStore> store_ = (*redis::backend(server().url()))->open();
  Silent native_;
};

std::string some_number() {
  return std::to_string(*rc::gen::inRange<std::int64_t>(0, 6) * 1'000);
}

std::string some_owner() {
  return "il1:" + std::string(1, *rc::gen::element('a', 'b'));
}

void one_step(Both& both) {
  const std::string key = *rc::gen::element<std::string>("one", "other");
  const std::string ttl = std::to_string(*rc::gen::inRange(1, 5) * 1'000);
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      return both.put(key, some_number());
    case 1:
      return both.put(key, *rc::gen::element<std::string>("", "x", "12x", "-5", "99999999999999:"));
    case 2:
      return both.put_other_type(key);
    case 3:
      return both.run(stamp_take_over_script(), key,
                      {some_number() + ":" + some_owner(), some_number()});
    case 4:
    case 5:
      return both.run(script_lock_acquire_script(), key, {some_number(), ttl, some_number()});
    case 6:
      return both.run(script_lock_release_script(), key, {some_number()});
    case 7:
      return both.run(script_lock_repaired_acquire_script(), key,
                      {some_number() + ":" + some_owner(), ttl, some_number()});
    case 8:
      return both.run(compare_script_lock_script(), key, {some_number(), ttl});
    case 9:
      return both.run(compare_script_unlock_script(), key, {some_number(), ttl});
    case 10:
      return both.run(compare_script_repaired_lock_script(), key,
                      {some_owner(), std::to_string(3'600'000)});
    default:
      return both.run(compare_script_repaired_unlock_script(), key, {some_owner()});
  }
}

RC_GTEST_PROP(FlawedScripts, AnswerOnTheServerAsTheyDoNatively, ()) {
  Both both;
  const int steps = *rc::gen::inRange(1, 30);
  for (int i = 0; i < steps; ++i) one_step(both);
}

}  // namespace
}  // namespace interlock::flawed
