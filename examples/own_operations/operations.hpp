// Operations that KeyValueStore does not have. Each is written twice: in Lua, which Redis executes,
// and in C++, which the simulator and the stores without Lua execute. Both must mean the same: in
// this project tests/redis/own_operations_test.cpp compares them.
#pragma once

#include "interlock/store/script.hpp"

namespace own_operations {

using interlock::Entry;
using interlock::Key;
using interlock::Keyspace;
using interlock::Reply;
using interlock::Script;
using interlock::Value;

using Keys = std::vector<Key>;
using Texts = std::vector<std::string>;

// DECR, but not below 0. 1: one was taken; 0: there was none.
inline const Script take_one(
    "take_one",
    "if tonumber(redis.call('GET', KEYS[1]) or '0') == 0 then return 0 end "
    "redis.call('DECR', KEYS[1]) return 1",
    [](Keyspace& store, const Keys& keys, const Texts&) -> Reply {
      std::optional<Entry> entry = store.find(keys[0]);
      if (!entry || entry->value == "0") return Value(std::int64_t{0});
      entry->value = std::to_string(std::stoll(entry->value) - 1);
      store.put(keys[0], *entry);
      return Value(std::int64_t{1});
    });

// GETDEL, which Redis has since 6.2. The value, or nil.
inline const Script get_and_delete(
    "get_and_delete",
    "local value = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) return value",
    [](Keyspace& store, const Keys& keys, const Texts&) -> Reply {
      const std::optional<Entry> entry = store.find(keys[0]);
      store.erase(keys[0]);
      return entry ? Value(entry->value) : Value();
    });

// Replaces the first text by the second, and keeps the expiry. 1: done; 0: the key holds another.
inline const Script compare_and_set("compare_and_set",
                                    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
                                    "redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') return 1",
                                    [](Keyspace& store,
                                       const Keys& keys,
                                       const Texts& texts) -> Reply {
                                      std::optional<Entry> entry = store.find(keys[0]);
                                      if (!entry || entry->value != texts[0])
                                        return Value(std::int64_t{0});
                                      entry->value = texts[1];
                                      store.put(keys[0], *entry);
                                      return Value(std::int64_t{1});
                                    });

}  // namespace own_operations
