// How many wait in the queue of a fair lock, in a store that carries out scripts natively.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "interlock/store/backend.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "interlock/task.hpp"

namespace interlock::test {

inline std::size_t places_in_queue(Backend& store, const std::string& lock) {
  static const Script count("count", "", [](Keyspace& keyspace, const auto& keys, const auto&) {
    const auto queue = keyspace.find(keys[0]);
    return Reply(Value(queue ? static_cast<std::int64_t>(queue->lines().size()) : 0));
  });
  const auto look = [](KeyValueStore* at, Key key) -> Task<Result<Value>> {
    std::vector<Key> keys{std::move(key)};
    std::vector<std::string> arguments;
    co_return co_await at->run(count, std::move(keys), std::move(arguments));
  };
  const auto connection = store.open();
  const auto queue = run(look(connection.get(), queue_key(Key(lock))));
  EXPECT_TRUE(queue);
  return queue ? static_cast<std::size_t>(*queue->number()) : 0;
}

}  // namespace interlock::test
