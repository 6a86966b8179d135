// Publish and subscribe on an event loop: one connection for all subscriptions, kept open while
// there are any.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async_connection.hpp"
#include "back_off.hpp"
#include "completions.hpp"
#include "interlock/store/key_value_store.hpp"
#include "patience.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer: see AsyncConnection.
class AsyncMessages final : public AsyncConnection::Owner,
                            public std::enable_shared_from_this<AsyncMessages> {
 public:
  // The numbers of its subscriptions are `first`, and then greater by `step` each.
  AsyncMessages(std::shared_ptr<Endpoint> endpoint,
                Reactor& reactor,
                SubscriptionId first = 1,
                SubscriptionId step = 1);
  // `call` is called on the loop when the server cannot be reached.
  void when_away(std::function<void()> call) { away_ = std::move(call); }

  Submitted subscribe(PendingOperation& pending);
  Submitted await_message(PendingOperation& pending);
  Submitted interrupt(PendingOperation& pending);
  Submitted unsubscribe(PendingOperation& pending);
  void close();

  // Call it when commands have a new connection. That connection may lead to another server than
  // this older one: to the successor of a primary that goes on as a replica. A release there would
  // find no listeners, and pass over all waiters of this client. Calls `ask` with a wake-up channel
  // that is subscribed, now or as soon as there is one. Call not_heard() if the server says that
  // nobody listens on that wake-up channel.
  void doubt_server(std::function<void(const std::string& wake_up)> ask);
  void not_heard(const std::string& wake_up);
  // For a server at which nobody publishes any more: ends all subscriptions, with `unavailable`.
  void end_all();
  // Another server has become the primary. Only from a callback of the loop.
  void move_to(const std::string& server);

  void opened() override;
  void answered(Answer answer) override;
  void failed(Error why) override;
  void lost(std::string fact) override;

 private:
  class LoopSubscription {
   public:
    std::string channel;
    PendingOperation* subscribing = nullptr;  // until the server has confirmed it once
    PendingOperation* awaiting = nullptr;
    bool wants_texts = false;
    std::optional<Value> pending;  // the answer to the next wait
    bool interrupted = false;
    std::unique_ptr<Reactor::Timer> timer;
  };
  class Channel {
   public:
    std::vector<SubscriptionId> subscriptions;
    std::uint64_t request = 0;  // the latest SUBSCRIBE for it
    bool confirmed = false;     // on the present connection
  };
  // A SUBSCRIBE, an UNSUBSCRIBE, or a PING (which has no channel) under way: each gets one answer,
  // in order, between messages.
  class Request {
   public:
    std::uint64_t number;
    std::string channel;
    bool subscribes;
    Duration expires;   // by patience_
    std::uint64_t end;  // in the connection's output
  };

  void request(const std::string& channel, bool subscribes);
  void expect_answer(const std::string& channel, bool subscribes);
  void ask_for_life();
  bool is_answer_to(const Request& request, const Answer& answer) const;
  void request_answered(const Answer& answer);
  void confirmed(const std::string& name, Channel& channel);
  void ask_whether_heard(const std::string& channel);
  void refused(const std::string& channel, const Error& why);
  void heard(const std::string& channel, const Value& text);
  void notify(LoopSubscription& subscription, Value with);
  void timed_out(SubscriptionId id);
  void erase(SubscriptionId id);
  void silent_too_long();
  void reconnect_later();
  void end_subscriptions(const Error& why);

  // Completed at the end of a callback of the loop; after a direct call, in the next callback.
  void finish(PendingOperation*& pending, Reply reply);
  void give_soon();

  std::shared_ptr<Endpoint> endpoint_;
  Reactor& reactor_;
  Patience patience_;  // of all requests
  std::shared_ptr<AsyncConnection> connection_;
  BackOff back_off_;
  std::map<SubscriptionId, LoopSubscription> subscriptions_;
  const SubscriptionId step_;
  SubscriptionId last_id_;
  std::map<std::string, Channel> channels_;
  std::deque<Request> requests_;
  TimePoint last_answer_{};
  std::uint64_t last_request_ = 0;
  Completions completions_;
  std::unique_ptr<Reactor::Timer> reconnect_timer_;
  std::function<void(const std::string& wake_up)> in_doubt_;  // of the present connection
  std::function<void()> away_;
  bool closed_ = false;
};

}  // namespace interlock::redis
