#include "blocking_messages.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "command.hpp"
#include "interlock/posix/clock.hpp"

namespace interlock::redis {
namespace {

using posix::local_now;

Value yes_or_no(bool yes) {
  return Value(std::int64_t{yes ? 1 : 0});
}

}  // namespace

BlockingMessages::BlockingMessages(std::shared_ptr<Endpoint> endpoint,
                                   SubscriptionId first,
                                   SubscriptionId step)
    : connection_(std::move(endpoint)), step_(step), last_id_(first - step) {}

Reply BlockingMessages::subscribe(const std::string& channel) {
  if (!interruptions_) {
    interruptions_ = posix::Eventfd::open();
    if (!interruptions_) return posix::failure("cannot subscribe: eventfd", errno);
  }
  // Finds out about a connection that broke while nobody looked.
  if (connection_.is_open()) static_cast<void>(read_messages());
  if (auto error = open()) return *error;
  // This is sent also when the channel is subscribed already: the answer proves that the connection
  // still works.
  if (auto error = subscribe_at_server(channel)) return *error;
  last_id_ += step_;
  subscriptions_.emplace(last_id_, BlockingSubscription(channel));
  const std::lock_guard lock(mutex_);
  interrupted_.emplace(last_id_, false);
  return Value(last_id_);
}

Reply BlockingMessages::unsubscribe(SubscriptionId subscription) {
  const auto found = subscriptions_.find(subscription);
  if (found == subscriptions_.end()) return Value();
  const std::string channel = found->second.channel;
  forget(subscription);
  if (!has_subscribers(channel) && connection_.is_open()) {
    std::string command;
    append_command(command, "UNSUBSCRIBE", channel);
    // If it cannot be sent the connection is closed, which ends the subscription as well.
    static_cast<void>(connection_.send(command));
  }
  return Value();
}

void BlockingMessages::leave_server() {
  connection_.close();
}

Reply BlockingMessages::interrupt(SubscriptionId subscription) {
  const std::lock_guard lock(mutex_);
  const auto found = interrupted_.find(subscription);
  if (found == interrupted_.end()) return Value();
  found->second = true;
  interruptions_.notify();
  return Value();
}

Reply BlockingMessages::await_message(SubscriptionId subscription, TimePoint until) {
  if (!subscriptions_.contains(subscription)) {
    return Error(Errc::rejected,
                 "cannot wait for a message: there is no such subscription: subscribe first");
  }
  const Result<bool> heard = wait(subscription, until);
  if (heard) return yes_or_no(*heard);
  forget(subscription);
  return heard.error();
}

void BlockingMessages::forget(SubscriptionId subscription) {
  subscriptions_.erase(subscription);
  const std::lock_guard lock(mutex_);
  interrupted_.erase(subscription);
}

Result<bool> BlockingMessages::wait(SubscriptionId subscription, TimePoint until) {
  BlockingSubscription& mine = subscriptions_.at(subscription);
  for (;;) {
    if (take_interruption(subscription)) return false;
    // Makes a new connection if the old one broke; then each subscriber may have missed a message.
    if (auto error = open()) return *error;
    if (auto error = read_messages()) continue;
    if (std::exchange(mine.pending, false)) return true;
    if (local_now() >= until) {
      ask_for_life();
      return false;
    }
    wait_for_events(until);
  }
}

// Returns on a message, an interruption, a signal, or at `until`, or while a PING is unanswered.
void BlockingMessages::wait_for_events(TimePoint until) {
  std::array<pollfd, 2> descriptors{pollfd{connection_.descriptor(), POLLIN, 0},
                                    pollfd{interruptions_.descriptor(), POLLIN, 0}};
  auto left = std::max(until - local_now(), Duration::zero());
  if (pong_) left = std::min(left, pong_->step());
  const timespec limit = posix::to_timespec(left);
  const int ready = ppoll(descriptors.data(), descriptors.size(), &limit, nullptr);
  if (ready > 0 || !pong_) return;
  if (pong_->step() <= Duration::zero()) pong_->step_is_over();
  if (pong_->is_over()) connection_.close();
}

// No message came in a wait, so this sends a PING: see AsyncMessages::ask_for_life(). The following
// waits also wait for its answer.
void BlockingMessages::ask_for_life() {
  const Duration limit = connection_.endpoint().options().command_timeout;
  if (pong_ || local_now() - last_answer_ < limit) return;
  std::string command;
  append_command(command, "PING");
  // If the PING cannot be sent, the connection is closed, and the next wait makes another.
  if (!connection_.send(command)) pong_.emplace(limit);
}

bool BlockingMessages::take_interruption(SubscriptionId subscription) {
  const std::lock_guard lock(mutex_);
  static_cast<void>(interruptions_.take());
  return std::exchange(interrupted_.at(subscription), false);
}

bool BlockingMessages::has_subscribers(const std::string& channel) const {
  for (const auto& [id, each] : subscriptions_) {
    if (each.channel == channel) return true;
  }
  return false;
}

std::optional<Error> BlockingMessages::open() {
  if (connection_.is_open()) return std::nullopt;
  if (auto error = connection_.open()) return error;
  auto error = subscribe_all();
  if (error) connection_.close();
  return error;
}

// Called on a new connection: subscribers of the one before may have missed a message.
std::optional<Error> BlockingMessages::subscribe_all() {
  pong_.reset();
  std::set<std::string> channels;
  for (auto& [id, each] : subscriptions_) {
    each.pending = true;
    channels.insert(each.channel);
  }
  for (const std::string& channel : channels) {
    if (auto error = subscribe_at_server(channel)) return error;
  }
  return std::nullopt;
}

std::optional<Error> BlockingMessages::subscribe_at_server(const std::string& channel) {
  std::string command;
  append_command(command, "SUBSCRIBE", channel);
  if (auto error = connection_.send(command)) return error;
  PatientWait wait(connection_.endpoint().options().command_timeout);
  for (;;) {
    auto answer = connection_.receive(wait);
    if (!answer) return answer.error();
    if (!*answer) break;
    if ((*answer)->is_error) return server_error((*answer)->error_text());
    const std::string confirmed = note(**answer);
    if (confirmed == channel) return std::nullopt;
    if (!confirmed.empty()) return cannot_subscribe(unasked_answer);
  }
  return cannot_subscribe("no answer in time");
}

Error BlockingMessages::cannot_subscribe(const std::string& fact) {
  connection_.close();
  return {Errc::unavailable,
          "cannot subscribe at " + connection_.endpoint().name() + ": " + fact + ": try again"};
}

// Takes in what has arrived. An error: the connection broke.
std::optional<Error> BlockingMessages::read_messages() {
  for (;;) {
    PatientWait no_wait{Duration::zero()};
    auto answer = connection_.receive(no_wait);
    if (!answer) return answer.error();
    if (!*answer) return std::nullopt;
    // Each subscription was confirmed before: this is one too many, and would confirm the next.
    if (!note(**answer).empty()) return cannot_subscribe(unasked_answer);
  }
}

// Marks who has a message. The channel's name, if this confirms a subscription.
std::string BlockingMessages::note(const Answer& answer) {
  last_answer_ = local_now();
  pong_.reset();
  const auto* parts = answer.value.list();
  if (answer.is_error || parts == nullptr || parts->size() != 3) return {};
  const auto* kind = (*parts)[0].text();
  const auto* channel = (*parts)[1].text();
  if (kind == nullptr || channel == nullptr) return {};
  if (*kind == "subscribe") return *channel;
  if (*kind == "message") {
    for (auto& [id, each] : subscriptions_) {
      if (each.channel == *channel) each.pending = true;
    }
  }
  return {};
}

}  // namespace interlock::redis
