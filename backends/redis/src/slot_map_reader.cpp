#include "slot_map_reader.hpp"

#include <algorithm>
#include <utility>

namespace interlock::redis {

SlotMapReader::SlotMapReader(std::shared_ptr<Cluster> cluster, Reactor& reactor, Done done)
    : cluster_(std::move(cluster)), reactor_(reactor), done_(std::move(done)) {}

void SlotMapReader::begin() {
  if (auto error = cluster_->wrong_options()) {
    return reactor_.post([weak = weak_from_this(), error = *std::move(error)] {
      if (const auto self = weak.lock()) self->finish(error);
    });
  }
  left_ = cluster_->to_ask();
  std::reverse(left_.begin(), left_.end());
  ask_next();
}

void SlotMapReader::close() {
  patience_.reset();
  if (connection_) connection_->detach();
}

void SlotMapReader::ask_next() {
  close();
  slots_.reset();
  asked_ = std::move(left_.back());
  left_.pop_back();
  connection_ = std::make_shared<AsyncConnection>(asked_, reactor_, *this);
  connection_->open();
}

void SlotMapReader::opened() {
  connection_->out() += Cluster::question();
  connection_->send();
  patience_.emplace(
      reactor_, asked_->options().command_timeout, [this] { return answered_until_; },
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->connection_->drop("silence");
      });
  answered_until_ = patience_->deadline();
}

void SlotMapReader::answered(Answer answer) {
  const auto self = shared_from_this();
  if (!slots_) {
    slots_ = std::move(answer);
    return;
  }
  const std::optional<Error> why_not = cluster_->learn(*slots_, answer, *asked_);
  if (why_not) return try_next(*why_not);
  finish(std::nullopt);
}

void SlotMapReader::failed(Error why) {
  try_next(why);
}

void SlotMapReader::lost(std::string fact) {
  try_next(asked_->no_answer(fact));
}

void SlotMapReader::try_next(const Error& why) {
  const auto self = shared_from_this();
  if (!left_.empty()) return ask_next();
  finish(cluster_->nobody_tells(why));
}

void SlotMapReader::finish(std::optional<Error> why_not) {
  close();
  done_(std::move(why_not));
}

}  // namespace interlock::redis
