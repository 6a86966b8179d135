// A store whose operations are counted, and clients on it that hand over what it has granted.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "places_in_queue.hpp"
#include "silent_store.hpp"
#include "support/eventually.hpp"

namespace interlock::test {

// Counts events by their kind.
class Counter final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    ++counts_[static_cast<std::size_t>(event.kind)];
  }
  int count(EventKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  std::atomic<int> counts_[16] = {};
};

inline LockOptions fair(milliseconds ttl = std::chrono::seconds{60}) {
  LockOptions options{Ttl(ttl)};
  options.fair = true;
  return options;
}

// For a mutex, which keeps its grant between two sections if `keep`.
inline MutexOptions options_of(bool keep, milliseconds ttl = std::chrono::seconds{60}) {
  MutexOptions options(fair(ttl));
  options.keep = keep;
  return options;
}
inline MutexOptions keeping(milliseconds ttl = std::chrono::seconds{60}) {
  return options_of(true, ttl);
}

// The lock of these tests.
inline const LockName lock_name = *LockName::parse("a");

class HandOver : public ::testing::Test {
 protected:
  static ClientOptions options(std::int64_t sections, EventSink* events) {
    ClientOptions options;
    options.hand_over.sections = sections;
    // No timing decides a test: neither is ever why a section ends, or why a waiter looks again.
    options.hand_over.within = std::chrono::hours{1};
    options.wait_policy.recheck_interval = std::chrono::hours{1};
    options.events = events;
    return options;
  }
  // A client whose grants serve so many sections.
  std::unique_ptr<Client> client(std::int64_t sections) {
    return std::make_unique<Client>(backend, options(sections, &events));
  }
  // A client that begins to listen for recalls gives back what its mutexes keep at that time.
  void listen_for_recalls(Client& client) {
    const int before = backend->count(OperationKind::await_message);
    const Mutex mutex(client, *LockName::parse("another"), keeping());
    EXPECT_TRUE(eventually([&] { return backend->count(OperationKind::await_message) > before; }));
  }
  // How often the clients asked the store.
  int asked() const {
    return backend->count(OperationKind::run) + backend->count(OperationKind::renew);
  }
  // False: not so many have begun to wait.
  bool waiting(int callers) {
    return eventually([&] { return events.count(EventKind::waiting) >= callers; });
  }
  bool is_held() const { return !store->held_locks()->empty(); }
  std::size_t places_in_queue() const { return test::places_in_queue(*store, "a"); }
  void erase_key() {
    const auto erase = [](KeyValueStore* keys) -> Task<Result<bool>> {
      co_return co_await keys->erase(Key("a"));
    };
    const auto connection = store->open();
    EXPECT_TRUE(*run(erase(connection.get())));
  }

  std::shared_ptr<Backend> store = memory::backend();
  std::shared_ptr<interlock::testing::SilentBackend> backend =
      std::make_shared<interlock::testing::SilentBackend>(
          store, interlock::testing::SilentBackend::OnLoops::offload);
  Counter events;
};

}  // namespace interlock::test
