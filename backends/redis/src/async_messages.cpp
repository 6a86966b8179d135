#include "async_messages.hpp"

#include <algorithm>
#include <utility>

#include "command.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/detail/wake_up_channel.hpp"

namespace interlock::redis {
namespace {

Value yes_or_no(bool yes) {
  return Value(std::int64_t{yes ? 1 : 0});
}

Submitted answer(PendingOperation& pending, Reply reply) {
  pending.complete(std::move(reply));
  return Submitted::completed;
}

}  // namespace

AsyncMessages::AsyncMessages(std::shared_ptr<Endpoint> endpoint,
                             Reactor& reactor,
                             SubscriptionId first,
                             SubscriptionId step)
    : endpoint_(std::move(endpoint)),
      reactor_(reactor),
      patience_(
          reactor,
          endpoint_->options().command_timeout,
          [this]() -> std::optional<Duration> {
            if (requests_.empty()) return std::nullopt;
            return requests_.front().expires;
          },
          [this] { silent_too_long(); }),
      connection_(std::make_shared<AsyncConnection>(endpoint_, reactor, *this)),
      step_(step),
      last_id_(first - step) {}

// --- the four operations -------------------------------------------------------------------------

Submitted AsyncMessages::subscribe(PendingOperation& pending) {
  if (closed_) return answer(pending, endpoint_->cannot_connect("this store is being closed"));
  if (!connection_->is_open()) {
    if (auto error = back_off_.pause(Clock::now())) return answer(pending, *error);
    connection_->open();
  }
  const std::string& name = pending.operation().key.text();
  const auto [found, is_new] = channels_.try_emplace(name);
  Channel& channel = found->second;
  last_id_ += step_;
  channel.subscriptions.push_back(last_id_);
  LoopSubscription& subscription = subscriptions_[last_id_];
  subscription.channel = name;
  subscription.wants_texts = pending.operation().texts;
  if (channel.confirmed) return answer(pending, Value(last_id_));
  subscription.subscribing = &pending;
  if (is_new && connection_->is_open()) request(name, true);
  return Submitted::pending;
}

Submitted AsyncMessages::await_message(PendingOperation& pending) {
  const Operation& operation = pending.operation();
  const auto found = subscriptions_.find(operation.subscription);
  if (found == subscriptions_.end() || closed_) {
    return answer(pending, Error(Errc::rejected,
                                 "cannot wait for a message: there is no such subscription: "
                                 "subscribe first"));
  }
  LoopSubscription& subscription = found->second;
  INTERLOCK_ASSERT(subscription.awaiting == nullptr);
  if (std::exchange(subscription.interrupted, false)) return answer(pending, yes_or_no(false));
  if (subscription.pending) {
    return answer(pending, *std::exchange(subscription.pending, std::nullopt));
  }
  const Duration left = operation.until - reactor_.now();
  if (left <= Duration::zero()) return answer(pending, yes_or_no(false));
  if (!subscription.timer) {
    subscription.timer = reactor_.timer([weak = weak_from_this(), id = found->first] {
      if (const auto self = weak.lock()) self->timed_out(id);
    });
  }
  subscription.timer->arm(left);
  subscription.awaiting = &pending;
  return Submitted::pending;
}

Submitted AsyncMessages::interrupt(PendingOperation& pending) {
  const auto found = subscriptions_.find(pending.operation().subscription);
  if (found != subscriptions_.end()) {
    if (found->second.awaiting != nullptr) {
      found->second.timer->disarm();
      finish(found->second.awaiting, yes_or_no(false));
      give_soon();
    } else {
      found->second.interrupted = true;
    }
  }
  return answer(pending, Value());
}

Submitted AsyncMessages::unsubscribe(PendingOperation& pending) {
  const auto found = subscriptions_.find(pending.operation().subscription);
  if (found != subscriptions_.end()) {
    if (found->second.awaiting != nullptr) {
      finish(found->second.awaiting, yes_or_no(false));
      give_soon();
    }
    erase(found->first);
  }
  return answer(pending, Value());
}

void AsyncMessages::erase(SubscriptionId id) {
  const auto found = subscriptions_.find(id);
  const auto channel = channels_.find(found->second.channel);
  subscriptions_.erase(found);
  std::erase(channel->second.subscriptions, id);
  if (!channel->second.subscriptions.empty()) return;
  if (connection_->is_open()) request(channel->first, false);
  channels_.erase(channel);
}

// --- the connection ------------------------------------------------------------------------------

void AsyncMessages::request(const std::string& channel, bool subscribes) {
  append_command(connection_->out(), subscribes ? "SUBSCRIBE" : "UNSUBSCRIBE", channel);
  expect_answer(channel, subscribes);
}

void AsyncMessages::expect_answer(const std::string& channel, bool subscribes) {
  connection_->send();
  requests_.push_back(
      {++last_request_, channel, subscribes, patience_.deadline(), connection_->appended()});
  if (subscribes) channels_.at(channel).request = last_request_;
}

void AsyncMessages::opened() {
  back_off_.succeeded();
  for (const auto& [name, channel] : channels_) request(name, true);
}

void AsyncMessages::answered(Answer answer) {
  const auto self = shared_from_this();
  last_answer_ = reactor_.now();
  const auto* parts = answer.is_error ? nullptr : answer.value.list();
  const auto* kind = parts != nullptr && parts->size() == 3 ? (*parts)[0].text() : nullptr;
  const auto* channel = kind != nullptr ? (*parts)[1].text() : nullptr;
  if (channel != nullptr && *kind == "message") {
    heard(*channel, (*parts)[2]);
  } else if (!requests_.empty() && is_answer_to(requests_.front(), answer)) {
    request_answered(answer);
  } else {
    connection_->drop(unasked_answer);
  }
  completions_.give();
}

bool AsyncMessages::is_answer_to(const Request& request, const Answer& answer) const {
  // A request that was not sent completely has no answer yet.
  if (request.end > connection_->handed_over()) return false;
  // An error names no channel; the answer to a PING is `pong`, in a list or alone.
  if (answer.is_error || request.channel.empty()) return true;
  const auto* parts = answer.value.list();
  return parts != nullptr && parts->size() == 3 && (*parts)[1] == Value(request.channel) &&
         (*parts)[0] == Value(std::string(request.subscribes ? "subscribe" : "unsubscribe"));
}

void AsyncMessages::request_answered(const Answer& answer) {
  const Request request = std::move(requests_.front());
  requests_.pop_front();
  const auto channel = channels_.find(request.channel);
  // The channel was unsubscribed since, or subscribed anew: then a later answer counts.
  if (!request.subscribes || channel == channels_.end()) return;
  if (channel->second.request != request.number) return;
  if (answer.is_error) {
    refused(request.channel, server_error(answer.error_text()));
  } else {
    confirmed(channel->first, channel->second);
  }
}

void AsyncMessages::confirmed(const std::string& name, Channel& channel) {
  channel.confirmed = true;
  for (const SubscriptionId id : channel.subscriptions) {
    LoopSubscription& subscription = subscriptions_.at(id);
    if (subscription.subscribing != nullptr) {
      finish(subscription.subscribing, Value(id));
    } else {
      // The subscription was made on an earlier connection, and may have missed a message since.
      notify(subscription, yes_or_no(true));
    }
  }
  ask_whether_heard(name);
}

void AsyncMessages::refused(const std::string& channel, const Error& why) {
  const auto ids = channels_.at(channel).subscriptions;
  channels_.erase(channel);
  for (const SubscriptionId id : ids) {
    LoopSubscription& subscription = subscriptions_.at(id);
    if (subscription.subscribing != nullptr) finish(subscription.subscribing, why);
    if (subscription.awaiting != nullptr) finish(subscription.awaiting, why);
    subscriptions_.erase(id);
  }
}

void AsyncMessages::heard(const std::string& channel, const Value& text) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  for (const SubscriptionId id : found->second.subscriptions) {
    LoopSubscription& subscription = subscriptions_.at(id);
    const bool tells = subscription.wants_texts && text.text() != nullptr;
    notify(subscription, tells ? text : yes_or_no(true));
  }
}

void AsyncMessages::notify(LoopSubscription& subscription, Value with) {
  if (subscription.awaiting == nullptr) {
    subscription.pending = std::move(with);
    return;
  }
  subscription.timer->disarm();
  finish(subscription.awaiting, std::move(with));
}

void AsyncMessages::timed_out(SubscriptionId id) {
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end() || found->second.awaiting == nullptr) return;
  finish(found->second.awaiting, yes_or_no(false));
  ask_for_life();
  completions_.give();
}

// No message came during a wait. If the server no longer knows the connection (the network was cut
// off, or the server restarted without our being told), that looks like a connection on which no
// messages are published, and its subscribers would never be notified again.
void AsyncMessages::ask_for_life() {
  if (!connection_->is_open() || !requests_.empty()) return;
  if (reactor_.now() - last_answer_ < endpoint_->options().command_timeout) return;
  append_command(connection_->out(), "PING");
  expect_answer(std::string(), false);
}

// Subscriptions that were never confirmed fail; the others wait on, and the store connects again.
void AsyncMessages::failed(Error why) {
  const auto self = shared_from_this();
  in_doubt_ = nullptr;
  back_off_.failed(why, Clock::now());
  std::vector<SubscriptionId> never_subscribed;
  for (auto& [id, subscription] : subscriptions_) {
    if (subscription.subscribing == nullptr) continue;
    finish(subscription.subscribing, why);
    never_subscribed.push_back(id);
  }
  for (const SubscriptionId id : never_subscribed) erase(id);
  reconnect_later();
  if (away_) away_();
  completions_.give();
}

void AsyncMessages::lost(std::string) {
  requests_.clear();
  in_doubt_ = nullptr;
  for (auto& [name, channel] : channels_) channel.confirmed = false;
  if (channels_.empty()) return;
  connection_->open();
  if (away_) away_();
}

// --- whether it is the server to which the commands go -------------------------------------------

// A connection that begins from now on leads to the server of the commands, or to a later
// successor.
void AsyncMessages::doubt_server(std::function<void(const std::string& wake_up)> ask) {
  if (connection_->is_closed()) return;
  in_doubt_ = std::move(ask);
  for (const auto& [name, channel] : channels_) {
    if (!in_doubt_) return;
    if (channel.confirmed) ask_whether_heard(name);
  }
}

void AsyncMessages::ask_whether_heard(const std::string& channel) {
  if (in_doubt_ && detail::is_wake_up_channel(channel)) std::exchange(in_doubt_, nullptr)(channel);
}

void AsyncMessages::not_heard(const std::string& wake_up) {
  const auto channel = channels_.find(wake_up);
  const bool is_new = channel != channels_.end() && !channel->second.confirmed;
  if (is_new || !connection_->is_open()) return;
  const auto self = shared_from_this();
  connection_->drop("commands go to another server");
}

void AsyncMessages::end_all() {
  connection_->stop();
  requests_.clear();
  const Error why(Errc::unavailable,
                  endpoint_->name() + " keeps no locks any more: subscribe at its successor");
  end_subscriptions(why);
  give_soon();
}

void AsyncMessages::move_to(const std::string& server) {
  const auto self = shared_from_this();
  back_off_.succeeded();
  if (!connection_->is_closed()) return connection_->move_to(server);
  // The pause was for the server that has gone. Waiters ask again as soon as they are connected.
  if (!channels_.empty()) connection_->open();
}

void AsyncMessages::reconnect_later() {
  if (channels_.empty()) return;
  if (!reconnect_timer_) {
    reconnect_timer_ = reactor_.timer([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->channels_.empty()) self->connection_->open();
    });
  }
  reconnect_timer_->arm(back_off_.length());
}

void AsyncMessages::silent_too_long() {
  const auto self = shared_from_this();
  connection_->drop("silence on the connection for messages");
}

// --- completions ---------------------------------------------------------------------------------

void AsyncMessages::finish(PendingOperation*& pending, Reply reply) {
  completions_.add(*std::exchange(pending, nullptr), std::move(reply));
}

void AsyncMessages::give_soon() {
  reactor_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->completions_.give();
  });
}

void AsyncMessages::close() {
  closed_ = true;
  connection_->detach();
  reconnect_timer_.reset();
  requests_.clear();
  end_subscriptions(endpoint_->cannot_connect("the store was closed"));
  completions_.give();
}

void AsyncMessages::end_subscriptions(const Error& why) {
  for (auto& [id, subscription] : subscriptions_) {
    if (subscription.subscribing != nullptr) finish(subscription.subscribing, why);
    if (subscription.awaiting != nullptr) finish(subscription.awaiting, why);
  }
  subscriptions_.clear();
  channels_.clear();
}

}  // namespace interlock::redis
