// For tests of clients that are the same over each kind of store.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "interlock/memory/memory_backend.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"
#include "support/ask.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::test {

class EachStore : public ::testing::TestWithParam<const char*> {
 protected:
  EachStore() {
    if (store_is("memory")) backend_ = memory::backend();
    if (store_is("sqlite")) backend_ = *sqlite::backend(directory_.path() / "locks.db");
    if (store_is("redis")) {
      server_ = std::make_unique<RedisServer>();
      backend_ = *redis::backend(server_->url());
    }
    if (store_is("cluster")) {
      cluster().empty();
      backend_ = *redis::backend(cluster().url());
    }
    store_ = backend_->open();
  }
  bool store_is(const char* name) const { return std::string_view(GetParam()) == name; }

  // One for all tests, because it takes seconds to start; it ends with the program.
  static RedisCluster& cluster() {
    static RedisCluster running;
    return running;
  }

  // The holder of the lock `deploy`, as the store shows it.
  std::string holder() { return shown(ask(*store_, operation(OperationKind::get, "deploy"))); }
  // As an administrator does, or an expiry.
  void take_away() { ask(*store_, operation(OperationKind::erase, "deploy")).value(); }

  ScratchFolder directory_;
  std::unique_ptr<RedisServer> server_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<KeyValueStore> store_;
};

#define INTERLOCK_FOR_EACH_STORE(Suite)                                               \
  INSTANTIATE_TEST_SUITE_P(Stores, Suite,                                             \
                           ::testing::Values("memory", "sqlite", "redis", "cluster"), \
                           [](const auto& store) { return std::string(store.param); })

}  // namespace interlock::test
