#pragma once

#include <memory>
#include <string>

#include "blocking_connection.hpp"
#include "blocking_messages.hpp"
#include "command.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock::redis {

// Answers inside submit(). One thread at a time, but for interrupt.
class BlockingStore final : public KeyValueStore {
 public:
  explicit BlockingStore(std::shared_ptr<Endpoint> endpoint)
      : fork_(endpoint->process()), endpoint_(std::move(endpoint)), connection_(endpoint_) {}

  Submitted submit(PendingOperation& pending) override;

 private:
  Reply answer(const Operation& operation);
  Reply execute(const Operation& operation);
  void follow_commands();
  BlockingMessages& messages();

  const posix::ForkMark fork_;
  std::shared_ptr<Endpoint> endpoint_;
  CommandEncoder encoder_;
  BlockingConnection connection_;
  std::string command_;
  // Most stores never wait for a message. An interruption from another thread finds this made: it
  // names a subscription.
  std::unique_ptr<BlockingMessages> messages_;
  std::uint64_t connections_followed_ = 0;  // by messages_
};

}  // namespace interlock::redis
