// Sessions, as operations of a store. etcd calls them leases, and in ZooKeeper what they hold are
// ephemeral nodes. A session is a key with a ttl that its client keeps alive, and holds names that
// the client has created in it. If the client dies, the session and its names end together, and
// the dead client need not send anything. A session is opened by `set` of its text with a ttl.
// After another `set` a name ends when it would have ended before, unless `create` is called for it
// again.
//
// Nobody is notified when a session ends by its ttl, so waiters ask again. (In ZooKeeper and etcd a
// watch tells them.) In this project tests/redis/sessions_test.cpp compares the Lua and the C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interlock/store/script.hpp"

namespace sessions {

using interlock::Entry;
using interlock::Key;
using interlock::Keyspace;
using interlock::Reply;
using interlock::Script;
using interlock::Value;

using Keys = std::vector<Key>;
using Texts = std::vector<std::string>;

// What a session holds has its text, which no other session has.
inline bool is_held(Keyspace& store, const Key& key, const std::string& session) {
  const std::optional<Entry> entry = store.find(key);
  return entry && entry->value == session;
}

// KEYS: the session, a name, a counter of that name alone. ARGV: the session's text. The counter's
// next number, which is a fencing token: the session now holds the name, until it ends. The same
// number if it held the name already. 0: another session holds the name. -1: the session has ended.
inline const Script create(
    "create_in_session",
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end "
    "local holder = redis.call('GET', KEYS[2]) "
    "if holder and holder ~= ARGV[1] then return 0 end "
    "redis.call('SET', KEYS[2], ARGV[1], 'PX', math.max(redis.call('PTTL', KEYS[1]), 1)) "
    "if holder and redis.call('EXISTS', KEYS[3]) == 1 then "
    "return tonumber(redis.call('GET', KEYS[3])) end "
    "return redis.call('INCR', KEYS[3])",
    [](Keyspace& store, const Keys& keys, const Texts& texts) -> Reply {
      if (!is_held(store, keys[0], texts[0])) return Value(std::int64_t{-1});
      const bool held = is_held(store, keys[1], texts[0]);
      if (!held && store.find(keys[1])) return Value(std::int64_t{0});
      store.put(keys[1], Entry(texts[0], store.find(keys[0])->expiry));
      const std::optional<Entry> counter = store.find(keys[2]);
      const std::int64_t count = counter ? std::stoll(counter->value) : 0;
      if (held && counter) return Value(count);
      store.put(keys[2], Entry(std::to_string(count + 1)));
      return Value(count + 1);
    });

// KEYS: the session, then all that it holds. ARGV: the session's text, a ttl in milliseconds. 1:
// all of it lasts that long from now. 0: the session has ended, or does not hold one of the names;
// nothing has changed.
inline const Script keep_alive(
    "keep_session_alive",
    "for _, key in ipairs(KEYS) do if redis.call('GET', key) ~= ARGV[1] then return 0 end end "
    "for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end return 1",
    [](Keyspace& store, const Keys& keys, const Texts& texts) -> Reply {
      for (const Key& key : keys) {
        if (!is_held(store, key, texts[0])) return Value(std::int64_t{0});
      }
      const auto now = std::chrono::floor<interlock::milliseconds>(store.now().time_since_epoch());
      for (const Key& key : keys) {
        store.put(key, Entry(texts[0], now + interlock::milliseconds(std::stoll(texts[1]))));
      }
      return Value(std::int64_t{1});
    });

// KEYS: the session, then what it holds. ARGV: the session's text. Ends all of it. 1: done; 0: the
// session had ended.
inline const Script end("end_session",
                        "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
                        "for _, key in ipairs(KEYS) do if redis.call('GET', key) == ARGV[1] then "
                        "redis.call('DEL', key) end end return 1",
                        [](Keyspace& store, const Keys& keys, const Texts& texts) -> Reply {
                          if (!is_held(store, keys[0], texts[0])) return Value(std::int64_t{0});
                          for (const Key& key : keys) {
                            if (is_held(store, key, texts[0])) store.erase(key);
                          }
                          return Value(std::int64_t{1});
                        });

}  // namespace sessions
