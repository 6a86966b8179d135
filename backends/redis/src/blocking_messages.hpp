// Publish and subscribe for a store that blocks: a connection of its own, because a server answers
// nothing else on one that has subscribed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "blocking_connection.hpp"
#include "interlock/posix/eventfd.hpp"
#include "interlock/store/operation.hpp"
#include "interlock/store/value.hpp"

namespace interlock::redis {

// One thread, but for interrupt().
class BlockingMessages {
 public:
  // The numbers of its subscriptions are `first`, and then greater by `step` each.
  explicit BlockingMessages(std::shared_ptr<Endpoint> endpoint,
                            SubscriptionId first = 1,
                            SubscriptionId step = 1);

  Reply subscribe(const std::string& channel);
  Reply await_message(SubscriptionId subscription, TimePoint until);
  Reply unsubscribe(SubscriptionId subscription);
  // Call it when commands have a new connection. That connection may lead to another server than
  // this older one: to the successor of a primary that goes on as a replica. A release there would
  // find no listeners. The next subscribe or wait makes a new connection, after which every
  // subscriber looks again.
  void leave_server();
  // From any thread.
  Reply interrupt(SubscriptionId subscription);

 private:
  class BlockingSubscription {
   public:
    explicit BlockingSubscription(std::string on) : channel(std::move(on)) {}
    std::string channel;
    bool pending = false;
  };

  Result<bool> wait(SubscriptionId subscription, TimePoint until);
  void wait_for_events(TimePoint until);
  void ask_for_life();
  bool take_interruption(SubscriptionId subscription);
  void forget(SubscriptionId subscription);
  bool has_subscribers(const std::string& channel) const;
  std::optional<Error> open();
  std::optional<Error> subscribe_all();
  std::optional<Error> subscribe_at_server(const std::string& channel);
  Error cannot_subscribe(const std::string& fact);
  std::optional<Error> read_messages();
  std::string note(const Answer& answer);

  BlockingConnection connection_;
  TimePoint last_answer_{};
  std::optional<PatientWait> pong_;  // a PING is under way
  std::map<SubscriptionId, BlockingSubscription> subscriptions_;
  const SubscriptionId step_;
  SubscriptionId last_id_;

  posix::Eventfd interruptions_;  // readable when somebody interrupted
  std::mutex mutex_;
  std::map<SubscriptionId, bool> interrupted_;  // under mutex_; one for each subscription
};

}  // namespace interlock::redis
