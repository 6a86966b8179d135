#include "blocking_store.hpp"

namespace interlock::redis {

Submitted BlockingStore::submit(PendingOperation& pending) {
  if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
  pending.complete(answer(pending.operation()));
  return Submitted::completed;
}

BlockingMessages& BlockingStore::messages() {
  if (!messages_) messages_ = std::make_unique<BlockingMessages>(endpoint_);
  return *messages_;
}

void BlockingStore::follow_commands() {
  const std::uint64_t before = std::exchange(connections_followed_, connection_.made());
  // The first connection takes no other's place.
  const bool is_new = before > 0 && before < connections_followed_;
  if (is_new && messages_) messages_->leave_server();
}

Reply BlockingStore::answer(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::subscribe:
      return messages().subscribe(operation.key.text());
    case OperationKind::await_message:
      return messages().await_message(operation.subscription, operation.until);
    case OperationKind::unsubscribe:
      return messages_ ? messages_->unsubscribe(operation.subscription) : Reply(Value());
    case OperationKind::interrupt:
      return messages_ ? messages_->interrupt(operation.subscription) : Reply(Value());
    default: {
      Reply reply = execute(operation);
      follow_commands();
      return reply;
    }
  }
}

Reply BlockingStore::execute(const Operation& operation) {
  command_.clear();
  encoder_.encode(operation, Naming::by_digest, command_);
  Result<Answer> answer = connection_.exchange(command_);
  if (!answer) return std::move(answer).error();
  if (is_unknown_script(*answer)) {
    command_.clear();
    encoder_.encode(operation, Naming::by_text, command_);
    answer = connection_.exchange(command_);
    if (!answer) return std::move(answer).error();
    if (is_unknown_script(*answer)) {
      // To nothing but a digest: a copy of the answer before.
      connection_.close();
      return endpoint_->no_answer(unasked_answer);
    }
  }
  // The next connection may lead to its successor.
  if (is_of_a_replica(*answer)) connection_.close();
  Reply reply = decode(operation, *std::move(answer));
  const auto in_turn = SeenTokens::Answer::in_turn;
  if (const auto why = doubt(operation, reply, endpoint_->tokens(), in_turn)) {
    connection_.close();
    return endpoint_->no_answer(*why);
  }
  return reply;
}

}  // namespace interlock::redis
