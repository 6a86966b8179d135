// A blocking store for the event loop: its waits happen on threads of their own.
#pragma once

#include <memory>
#include <vector>

#include "interlock/store/backend.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock {

// Used on the loop's thread, as any store of a loop. One thread carries out the commands in order;
// each subscription has a thread of its own while it lasts, at most `subscriptions_max`: beyond
// that subscribe is `unavailable`, and waiters poll. Such a thread ends, and closes its store, when
// it has served no subscription for `idle_limit`, or half as long again.
class OffloadedStore final : public KeyValueStore {
 public:
  static constexpr std::size_t subscriptions_max = 64;

  // `unavailable`: the system has no thread for it.
  static Result<std::unique_ptr<KeyValueStore>> open(Backend& backend,
                                                     Reactor& loop,
                                                     Duration idle_limit);
  // Waits for the commands that are being carried out; what has not begun is `unavailable`.
  ~OffloadedStore() override;

  Submitted submit(PendingOperation& pending) override;

 private:
  class Worker;
  OffloadedStore(Backend& backend,
                 Reactor& loop,
                 Duration idle_limit,
                 std::unique_ptr<Worker> commands);
  Result<Worker*> free_listener();
  Result<Worker*> listener_of(SubscriptionId subscription) const;
  void look_soon();
  void look();

  Backend& backend_;
  Reactor& loop_;
  const Duration idle_limit_;
  std::unique_ptr<Worker> commands_;
  std::vector<std::unique_ptr<Worker>> listeners_;
  std::unique_ptr<Reactor::Timer> look_timer_;  // armed while there are listeners
  SubscriptionId last_subscription_ = 0;
};

}  // namespace interlock
