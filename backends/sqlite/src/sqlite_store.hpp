// A store of the backend: one user of the file.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "connection.hpp"
#include "interlock/store/key_value_store.hpp"
#include "wakeups.hpp"

namespace interlock::sqlite {

class SqliteStore final : public KeyValueStore {
 public:
  SqliteStore(std::shared_ptr<Connections> connections, std::shared_ptr<SharedWakeups> wakeups)
      : fork_(wakeups->process()),
        connections_(std::move(connections)),
        wakeups_(std::move(wakeups)) {}

  Submitted submit(PendingOperation& pending) override;

 private:
  class FileSubscription {
   public:
    FileSubscription(Channel to, std::int64_t from) : channel(std::move(to)), heard(from) {}
    const Channel channel;
    std::int64_t heard;  // the sequence of the last message that is known
    std::atomic<bool> interrupted = false;
  };

  Reply reply_to(const Operation& operation);
  Reply carry_out(const Operation& operation);
  Reply subscribe_to(Channel channel);
  void interrupt_wait_on(SubscriptionId id);
  Reply await_message_on(SubscriptionId id, TimePoint until);
  Result<std::int64_t> sequence(const Channel& channel);
  Connection& connection();
  std::shared_ptr<FileSubscription> find(SubscriptionId id);
  void forget(SubscriptionId id);

  const posix::ForkMark fork_;
  const std::shared_ptr<Connections> connections_;
  std::unique_ptr<Connection> connection_;     // since the first operation that needs one
  std::atomic<Connection*> in_use_ = nullptr;  // the same, for interrupt
  std::atomic<bool> is_ending_ = false;        // no operation waits for the file any more
  const std::shared_ptr<SharedWakeups> wakeups_;
  std::mutex mutex_;  // guards the two below: interrupt comes from other threads
  SubscriptionId last_id_ = 0;
  std::map<SubscriptionId, std::shared_ptr<FileSubscription>> subscriptions_;
};

}  // namespace interlock::sqlite
