// A store that can be taken away while coroutines still hold on to it.
#pragma once

#include <memory>
#include <utility>

#include "interlock/store/key_value_store.hpp"

namespace interlock {

// Used on the loop's thread.
class ClosableStore final : public KeyValueStore {
 public:
  explicit ClosableStore(std::unique_ptr<KeyValueStore> store) : store_(std::move(store)) {}

  Submitted submit(PendingOperation& pending) override {
    if (store_) return store_->submit(pending);
    // Not `unavailable`: waiting calls would try again.
    pending.complete(Error(Errc::cancelled, "the client is being closed"));
    return Submitted::completed;
  }

  std::uint32_t server_of(const Key& key) override { return store_ ? store_->server_of(key) : 0; }

  // Ends everything that is pending; from here on every operation is `cancelled`.
  void close() { std::exchange(store_, nullptr).reset(); }

 private:
  std::unique_ptr<KeyValueStore> store_;
};

}  // namespace interlock
