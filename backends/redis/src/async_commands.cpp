#include "async_commands.hpp"

#include <utility>

namespace interlock::redis {

AsyncCommands::AsyncCommands(std::shared_ptr<Endpoint> endpoint, Reactor& reactor)
    : endpoint_(std::move(endpoint)),
      reactor_(reactor),
      connection_(std::make_shared<AsyncConnection>(endpoint_, reactor, *this)) {}

Submitted AsyncCommands::submit(PendingOperation& pending) {
  const auto refuse = [&pending](Error error) {
    pending.complete(std::move(error));
    return Submitted::completed;
  };
  if (closed_) return refuse(endpoint_->cannot_connect("this store is being closed"));
  if (connection_->is_open()) {
    send(pending, false);
    return Submitted::pending;
  }
  if (auto error = back_off_.pause(Clock::now())) return refuse(*error);
  if (queued_.size() >= longest_queue) {
    return refuse(endpoint_->cannot_connect(std::to_string(longest_queue) +
                                            " operations wait for a connection already"));
  }
  queued_.push_back(&pending);
  connection_->open();
  return Submitted::pending;
}

void AsyncCommands::send(PendingOperation& pending, bool by_text) {
  if (by_text) {
    encoder_.encode_with_text(pending.operation(), connection_->out());
  } else {
    encoder_.encode(pending.operation(), connection_->out());
  }
  const TimePoint now = reactor_.now();
  in_flight_.push_back(
      {&pending, now + endpoint_->options().command_timeout, connection_->appended(), by_text});
  connection_->send();
  arm(now);
}

// One timer for all: it looks at the oldest, and is set again if that is not due. So an operation
// costs a timer nothing.
void AsyncCommands::arm(TimePoint now) {
  if (timer_armed_ || in_flight_.empty()) return;
  if (!timer_) {
    timer_ = reactor_.timer([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->check_oldest();
    });
  }
  timer_armed_ = true;
  timer_->arm(in_flight_.front().expires - now);
}

void AsyncCommands::check_oldest() {
  timer_armed_ = false;
  if (in_flight_.empty()) return;
  const TimePoint now = reactor_.now();
  if (in_flight_.front().expires > now) return arm(now);
  const auto limit = std::chrono::ceil<milliseconds>(endpoint_->options().command_timeout);
  connection_->drop("silence for " + std::to_string(limit.count()) + " ms");
}

void AsyncCommands::opened() {
  back_off_.succeeded();
  for (PendingOperation* pending : std::exchange(queued_, {})) send(*pending, false);
}

void AsyncCommands::answered(Answer answer) {
  const auto self = shared_from_this();
  if (in_flight_.empty()) return connection_->drop("an answer that nobody asked for");
  const InFlight oldest = in_flight_.front();
  in_flight_.pop_front();
  if (is_unknown_script(answer) && !oldest.named_by_text) return send(*oldest.pending, true);
  Reply reply = decode(oldest.pending->operation().kind, std::move(answer));
  const bool demoted = !reply && reply.error().detail().starts_with("READONLY");
  oldest.pending->complete(std::move(reply));
  // A primary that has become a replica stays one. The next connection may lead to its successor.
  if (demoted && in_flight_.empty() && connection_->is_open()) {
    connection_->drop("the server is a replica");
  }
}

void AsyncCommands::failed(Error why) {
  const auto self = shared_from_this();
  back_off_.failed(why, Clock::now());
  end_queued(why);
  completions_.give();
}

void AsyncCommands::lost(std::string fact) {
  const auto self = shared_from_this();
  end_in_flight(fact);
  completions_.give();
}

void AsyncCommands::end_in_flight(const std::string& fact) {
  const std::uint64_t handed_over = connection_->handed_over();
  const Error unsent(Errc::unavailable,
                     "cannot send to " + endpoint_->name() + ": " + fact + ": try again");
  const Error unanswered(Errc::indeterminate,
                         "no answer from " + endpoint_->name() + ": " + fact +
                             ": the command may or may not have been executed");
  for (const InFlight& each : std::exchange(in_flight_, {})) {
    // A command without its last byte is never executed.
    completions_.add(*each.pending, each.end <= handed_over ? unanswered : unsent);
  }
}

void AsyncCommands::end_queued(const Error& error) {
  for (PendingOperation* pending : std::exchange(queued_, {})) completions_.add(*pending, error);
}

void AsyncCommands::close() {
  closed_ = true;
  timer_.reset();
  connection_->detach();
  end_in_flight("the store was closed");
  end_queued(endpoint_->cannot_connect("the store was closed"));
  completions_.give();
}

}  // namespace interlock::redis
