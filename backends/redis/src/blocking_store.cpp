#include "blocking_store.hpp"

#include <algorithm>
#include <utility>

#include "interlock/posix/clock.hpp"
#include "patience.hpp"

namespace interlock::redis {

namespace {

// Whether an operation is about messages, which have a connection of their own.
bool is_of_messages(OperationKind kind) {
  return kind == OperationKind::subscribe || kind == OperationKind::await_message ||
         kind == OperationKind::unsubscribe || kind == OperationKind::interrupt;
}

}  // namespace

Submitted BlockingStore::submit(PendingOperation& pending) {
  if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
  if (is_of_messages(pending.operation().kind)) {
    // Nothing of the connection for commands is touched here: another thread may use it meanwhile.
    complete(pending, answer(pending.operation()));
    return Submitted::completed;
  }
  if (refuses_) {
    pending.complete(Error(Errc::unavailable, refuses_->detail()));
    return Submitted::completed;
  }
  static_cast<void>(take_answer(Duration::zero()));
  if (!waits_) return send_ahead(pending);
  finish(pending, answer(pending.operation()), ClusterLink::Waits::yes);
  return Submitted::completed;
}

// Sends the text, because a command that is sent again needs an ASKING of its own.
Submitted BlockingStore::submit_asking(PendingOperation& pending) {
  std::string asking;
  append_command(asking, "ASKING");
  Result<Answer> answer = exchange(asking);
  const bool is_refused = answer && answer->is_error;
  if (answer && !is_refused) answer = exchange(encoded(pending.operation(), Naming::by_text));
  follow_commands();
  Reply reply =
      answer ? judged(pending.operation(), *std::move(answer)) : Reply(std::move(answer).error());
  finish(pending, std::move(reply), ClusterLink::Waits::yes);
  return Submitted::completed;
}

void BlockingStore::finish(PendingOperation& pending, Reply reply, ClusterLink::Waits waits) {
  if (const auto to = std::exchange(sent_on_, std::nullopt)) {
    return cluster_->send_on(pending, *to, waits);
  }
  complete(pending, std::move(reply));
}

void BlockingStore::complete(PendingOperation& pending, Reply reply) {
  const bool is_away = !reply && (reply.error().code() == Errc::unavailable ||
                                  reply.error().code() == Errc::indeterminate);
  if (is_away && cluster_ != nullptr) cluster_->doubt_map();
  pending.complete(std::move(reply));
}

BlockingMessages& BlockingStore::messages() {
  if (!messages_) {
    messages_ =
        std::make_unique<BlockingMessages>(endpoint_, first_subscription_, subscription_step_);
  }
  return *messages_;
}

void BlockingStore::follow_commands() {
  const std::uint64_t before = std::exchange(connections_followed_, connection_.made());
  // The first connection does not replace another.
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
  Result<Answer> answer = exchange(encoded(operation, Naming::by_digest));
  if (!answer) return std::move(answer).error();
  if (is_unknown_script(*answer)) {
    answer = exchange(encoded(operation, Naming::by_text));
    if (!answer) return std::move(answer).error();
  }
  return judged(operation, *std::move(answer));
}

std::string_view BlockingStore::encoded(const Operation& operation, Naming naming) {
  command_.clear();
  encoder_.encode(operation, naming, command_);
  return command_;
}

Reply BlockingStore::judged(const Operation& operation, Answer answer) {
  if (is_unknown_script(answer)) {
    // The server answers this only to a digest, so this is a copy of the answer before.
    connection_.close();
    return endpoint_->no_answer(unasked_answer);
  }
  note_known(operation);
  if (cluster_ != nullptr) sent_on_ = redirection(answer, endpoint_->options().host);
  // The next connection may lead to its successor.
  if (is_of_a_replica(answer)) connection_.close();
  Reply reply = decode(operation, std::move(answer));
  const auto in_turn = SeenTokens::Confirmation::in_turn;
  if (const auto why = doubt(operation, reply, endpoint_->tokens(), in_turn)) {
    connection_.close();
    return endpoint_->no_answer(*why);
  }
  return reply;
}

// --- without waiting -----------------------------------------------------------------------------

Submitted BlockingStore::send_ahead(PendingOperation& pending) {
  while (outstanding_ != nullptr) answered(connection_.await_answer());
  // Sends the text if the server may not know the script: nobody reads the answer soon, so a server
  // that asked for the text would have to wait.
  asked_by_text_ = !is_known(pending.operation());
  const Naming naming = asked_by_text_ ? Naming::by_text : Naming::by_digest;
  auto error = connection_.begin(encoded(pending.operation(), naming));
  follow_commands();
  if (error) {
    pending.complete(*std::move(error));
    return Submitted::completed;
  }
  outstanding_ = &pending;
  answer_due_ = posix::local_now() + endpoint_->options().command_timeout;
  return Submitted::pending;
}

bool BlockingStore::is_known(const Operation& operation) const {
  const Executed executed{operation.kind, operation.script};
  return known_on_ == connection_.made() && connection_.is_open() &&
         std::find(known_.begin(), known_.end(), executed) != known_.end();
}

void BlockingStore::note_known(const Operation& operation) {
  if (is_known(operation)) return;
  if (std::exchange(known_on_, connection_.made()) != connection_.made()) known_.clear();
  known_.push_back({operation.kind, operation.script});
}

// The answer to the outstanding command may still be on its way. Then this command follows it at
// once, and both answers come in turn: the caller waits for one round trip and not for two.
Result<Answer> BlockingStore::exchange(std::string_view command) {
  if (outstanding_ == nullptr) return connection_.exchange(command);
  if (connection_.send(command)) {
    // The command was not sent completely, so it was not executed.
    finish_outstanding(endpoint_->no_answer("the connection broke"));
    return connection_.exchange(command);
  }
  Result<Answer> first = connection_.await_answer();
  const bool wants_text = first && is_unknown_script(*first) && !asked_by_text_;
  std::optional<Error> broken;
  if (!first) broken = first.error();
  if (!wants_text) answered(std::move(first));
  if (!broken && !connection_.is_open()) broken = endpoint_->no_answer("the connection was closed");
  if (broken) return *std::move(broken);

  Result<Answer> answer = connection_.await_answer();
  if (wants_text) send_by_text();
  return answer;
}

bool BlockingStore::take_answer(Duration at_most) {
  const Duration limit = std::min<Duration>(at_most, endpoint_->options().command_timeout);
  const TimePoint until = posix::local_now() + limit;
  while (outstanding_ != nullptr && !fork_.in_child()) {
    const Duration left = std::min(until, answer_due_) - posix::local_now();
    PatientWait wait(std::max(Duration::zero(), left));
    Result<std::optional<Answer>> came = connection_.receive(wait);
    if (!came) {
      answered(std::move(came).error());
    } else if (*came) {
      answered(**std::move(came));
    } else if (posix::local_now() >= answer_due_) {
      give_up_answer();
    } else {
      return false;
    }
  }
  return true;
}

void BlockingStore::give_up_answer() {
  if (outstanding_ == nullptr || fork_.in_child()) return;
  connection_.close();
  finish_outstanding(endpoint_->no_answer("it was not there in time"));
}

// The answer to the outstanding command has come. The command stays outstanding if the server wants
// the script's text.
void BlockingStore::answered(Result<Answer> answer) {
  if (!answer) return finish_outstanding(std::move(answer).error());
  if (is_unknown_script(*answer) && !asked_by_text_) return send_by_text();
  finish_outstanding(judged(outstanding_->operation(), *std::move(answer)));
}

void BlockingStore::send_by_text() {
  asked_by_text_ = true;
  auto error = connection_.begin(encoded(outstanding_->operation(), Naming::by_text));
  if (error) finish_outstanding(*std::move(error));
}

void BlockingStore::finish_outstanding(Reply reply) {
  PendingOperation& finished = *std::exchange(outstanding_, nullptr);
  if (!reply) refuses_ = reply.error();
  finish(finished, std::move(reply), ClusterLink::Waits::no);
  refuses_.reset();
}

}  // namespace interlock::redis
