#include "async_commands.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace interlock::redis {
namespace {

bool is_batched(const Operation& operation) {
  const Script* const script = script_of(operation);
  if (script == nullptr || script->batch() == nullptr) return false;
  std::string memory;
  return ScriptCall(operation, memory).arguments() == script->batch()->arguments;
}

// Both run the same script.
bool same_in_common(const Operation& one, const Operation& other) {
  // The owner and the channel are each call's own: see ScriptCall.
  if (one.kind != OperationKind::run) return one.ttl == other.ttl;
  std::string memory_of_one;
  std::string memory_of_other;
  const ScriptCall first(one, memory_of_one);
  const ScriptCall second(other, memory_of_other);
  const std::vector<std::size_t>& common = first.script().batch()->common;
  return std::all_of(common.begin(), common.end(),
                     [&](std::size_t at) { return first.argument(at) == second.argument(at); });
}

// The first key: see ScriptBatch.
const std::string& lock_of(const Operation& operation) {
  return operation.kind == OperationKind::run ? operation.keys.front().text()
                                              : operation.key.text();
}

std::size_t hash_of(const std::string& lock) {
  return std::hash<std::string>()(lock);
}

}  // namespace

AsyncCommands::AsyncCommands(std::shared_ptr<Endpoint> endpoint,
                             Reactor& reactor,
                             std::weak_ptr<ClusterLink> cluster)
    : endpoint_(std::move(endpoint)),
      in_cluster_(!cluster.expired()),
      cluster_(std::move(cluster)),
      patience_(
          reactor,
          endpoint_->options().command_timeout,
          [this]() -> std::optional<Duration> {
            if (commands_.empty()) return std::nullopt;
            return commands_.front().expires;
          },
          [this] { silent_too_long(); }),
      connection_(std::make_shared<AsyncConnection>(endpoint_, reactor, *this)) {}

Submitted AsyncCommands::submit(PendingOperation& pending, Asking asking) {
  const auto refuse = [&pending](Error error) {
    pending.complete(std::move(error));
    return Submitted::completed;
  };
  if (closed_) return refuse(endpoint_->cannot_connect("this store is being closed"));
  if (may_send()) {
    asking == Asking::yes ? send_asking(pending) : send(pending);
    return Submitted::pending;
  }
  if (auto error = back_off_.pause(Clock::now())) return refuse(*error);
  if (queued_.size() >= longest_queue) {
    return refuse(endpoint_->cannot_connect(std::to_string(longest_queue) +
                                            " operations wait for a connection already"));
  }
  queued_.push_back({&pending, asking});
  connection_->open();
  return Submitted::pending;
}

bool AsyncCommands::may_send() {
  if (!connection_->is_open() || demoted_) return false;
  if (!in_flight_.empty() || connection_->is_at_rest()) return true;
  connection_->close();
  return false;
}

void AsyncCommands::send(PendingOperation& pending) {
  const Operation& operation = pending.operation();
  const bool joins = may_join_ && is_batched(operation);
  const std::size_t lock = joins ? hash_of(lock_of(operation)) : 0;
  if (!joins || !can_join(operation, lock)) encode_joining();
  if (!joins) return send_alone(pending, Naming::by_digest);
  in_flight_.push_back(&pending);
  joining_.push_back(&operation);
  joining_locks_.push_back(lock);
  if (joining_.size() == most_joined) encode_joining();
  connection_->send();
}

// Sends the text, because each command that is sent again needs an ASKING of its own.
void AsyncCommands::send_asking(PendingOperation& pending) {
  encode_joining();
  append_command(connection_->out(), "ASKING");
  commands_.emplace_back(0, patience_.deadline(), connection_->appended(), Naming::by_text);
  send_alone(pending, Naming::by_text);
}

// One command does not have the same lock twice: its second operation may depend on the first, and
// the scripts read all they can before they begin. Hashes are compared, because each operation is
// compared with all that wait to be joined with it. Two locks with one hash, which hardly ever
// meet, are two commands.
bool AsyncCommands::can_join(const Operation& operation, std::size_t lock) const {
  if (joining_.empty()) return true;
  const Operation& first = *joining_.front();
  // A cluster takes no keys of different slots in one command.
  if (in_cluster_ && slot_of(first) != slot_of(operation)) return false;
  return script_of(first) == script_of(operation) && same_in_common(first, operation) &&
         std::find(joining_locks_.begin(), joining_locks_.end(), lock) == joining_locks_.end();
}

void AsyncCommands::encode_joining() {
  if (joining_.empty()) return;
  append(joining_, Naming::by_digest);
  joining_.clear();
  joining_locks_.clear();
}

void AsyncCommands::about_to_send() {
  encode_joining();
  ping_after_claims();
}

void AsyncCommands::send_alone(PendingOperation& pending, Naming naming) {
  encode_joining();
  const Operation* const operation = &pending.operation();
  in_flight_.push_back(&pending);
  append(Joined(&operation, 1), naming);
  connection_->send();
}

void AsyncCommands::append(Joined operations, Naming naming) {
  encoder_.encode(operations, naming, connection_->out());
  SentCommand command(operations.size(), patience_.deadline(), connection_->appended(), naming);
  command.claims = may_grant(*operations.front());
  claims_ = claims_ || command.claims;
  commands_.push_back(command);
}

void AsyncCommands::ping_after_claims() {
  if (!std::exchange(claims_, false)) return;
  append_command(connection_->out(), "PING", ++last_ping_);
  SentCommand ping(0, patience_.deadline(), connection_->appended(), Naming::by_text);
  ping.ping = last_ping_;
  commands_.push_back(ping);
}

void AsyncCommands::silent_too_long() {
  const auto self = shared_from_this();
  connection_->drop("silence for " + in_ms(endpoint_->options().command_timeout));
}

void AsyncCommands::opened() {
  back_off_.succeeded();
  for (const auto& [pending, asking] : std::exchange(queued_, {})) {
    asking == Asking::yes ? send_asking(*pending) : send(*pending);
  }
  if (connected_) connected_();
}

void AsyncCommands::answered(Answer answer) {
  const auto self = shared_from_this();
  const std::size_t next = unconfirmed_.size();
  // A command that was not sent completely has no answer.
  if (next == commands_.size() || commands_[next].end > connection_->handed_over()) {
    return connection_->drop(unasked_answer);
  }
  const SentCommand& command = commands_[next];
  if (!command.ping) {
    if (next == 0 && !command.claims) return process(std::move(answer));
    return unconfirmed_.push_back(std::move(answer));
  }
  // If the server refuses the PING, that says nothing about the answers before it.
  const bool is_its_own = answer.value == Value(std::to_string(*command.ping));
  const bool is_refusal = answer.is_error && !is_unknown_script(answer);
  if (!is_its_own && !is_refusal) return connection_->drop(unasked_answer);
  commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(next));
  // Completing one of them may lose the connection, and with it the others.
  while (!unconfirmed_.empty()) {
    Answer confirmed = std::move(unconfirmed_.front());
    unconfirmed_.pop_front();
    process(std::move(confirmed));
  }
}

// The answer to the oldest command.
void AsyncCommands::process(Answer answer) {
  const SentCommand command = commands_.front();
  if (command.operations == 0) {
    commands_.pop_front();
    if (answer.is_error) refused_asking_ = std::move(answer);
    return;
  }
  // What the server says to a command without its ASKING is of no use.
  if (refused_asking_) answer = *std::exchange(refused_asking_, std::nullopt);
  PendingOperation* const first = in_flight_.front();
  if (is_unknown_script(answer)) {
    // The server answers this only to a digest. A copy of such an answer may come as the answer to
    // the text that was sent next.
    if (command.naming == Naming::by_text) return connection_->drop(unasked_answer);
    commands_.pop_front();
    return send_with_text(command);
  }
  commands_.pop_front();
  if (command.operations > 1) return answered_joined(command, answer);
  in_flight_.pop_front();
  answered_alone(*first, std::move(answer));
}

void AsyncCommands::answered_alone(PendingOperation& pending, Answer answer) {
  demoted_ = demoted_ || is_of_a_replica(answer);
  if (sent_on(pending, answer)) return leave_replica();
  Reply reply = decode(pending.operation(), std::move(answer));
  SeenTokens& tokens = endpoint_->tokens();
  const auto confirmed = SeenTokens::Confirmation::confirmed;
  if (const auto why = doubt(pending.operation(), reply, tokens, confirmed)) {
    completions_.add(pending, endpoint_->no_answer(*why));
    return connection_->drop(*why);
  }
  if (!reply && reply.error().code() == Errc::unavailable) doubt_map();
  pending.complete(std::move(reply));
  leave_replica();
}

bool AsyncCommands::sent_on(PendingOperation& pending, const Answer& answer) {
  const auto cluster = answer.is_error ? cluster_.lock() : nullptr;
  const auto to = cluster ? redirection(answer, endpoint_->options().host) : std::nullopt;
  if (!to) return false;
  cluster->send_on(pending, *to, ClusterLink::Waits::no);
  return true;
}

void AsyncCommands::doubt_map() {
  if (const auto cluster = cluster_.lock()) cluster->doubt_map();
}

// Leaves it as soon as it has answered what was sent to it. Operations that were submitted since
// wait for the next server.
void AsyncCommands::leave_replica() {
  if (!demoted_ || !in_flight_.empty() || !connection_->is_open()) return;
  connection_->drop("the server is a replica");
}

std::vector<PendingOperation*> AsyncCommands::take(const SentCommand& command) {
  const auto end = in_flight_.begin() + static_cast<std::ptrdiff_t>(command.operations);
  std::vector<PendingOperation*> taken(in_flight_.begin(), end);
  in_flight_.erase(in_flight_.begin(), end);
  return taken;
}

void AsyncCommands::send_with_text(const SentCommand& command) {
  const std::vector<PendingOperation*> operations = take(command);
  encode_joining();
  std::vector<const Operation*> joined;
  for (PendingOperation* each : operations) {
    in_flight_.push_back(each);
    joined.push_back(&each->operation());
  }
  append(joined, Naming::by_text);
  connection_->send();
}

void AsyncCommands::answered_joined(const SentCommand& command, const Answer& answer) {
  const std::vector<PendingOperation*> operations = take(command);
  if (answer.is_error) {
    // This cannot tell which keys have the same slot.
    if (is_about_slots(answer) && !in_cluster_) may_join_ = false;
    for (PendingOperation* each : operations) send_alone(*each, Naming::by_digest);
    return;
  }
  demoted_ = demoted_ || has_reply_of_a_replica(answer);
  const Script& script = *script_of(operations.front()->operation());
  std::vector<Reply> replies = decode_joined(script, answer, operations.size());
  SeenTokens& tokens = endpoint_->tokens();
  std::optional<std::string> doubted;
  for (std::size_t index = 0; index < operations.size(); ++index) {
    PendingOperation& pending = *operations[index];
    const auto why =
        doubt(pending.operation(), replies[index], tokens, SeenTokens::Confirmation::confirmed);
    completions_.add(pending, why ? Reply(endpoint_->no_answer(*why)) : std::move(replies[index]));
    if (why) doubted = why;
  }
  if (doubted) return connection_->drop(*doubted);
  completions_.give();
  leave_replica();
}

void AsyncCommands::failed(Error why) {
  const auto self = shared_from_this();
  back_off_.failed(why, Clock::now());
  end_queued(why);
  doubt_map();
  completions_.give();
}

void AsyncCommands::lost(std::string fact) {
  const auto self = shared_from_this();
  demoted_ = false;
  end_in_flight(fact);
  doubt_map();
  if (!queued_.empty()) connection_->open();
  completions_.give();
}

void AsyncCommands::end_in_flight(const std::string& fact) {
  const std::uint64_t handed_over = connection_->handed_over();
  const Error unsent(Errc::unavailable,
                     "cannot send to " + endpoint_->name() + ": " + fact + ": try again");
  const Error unanswered = endpoint_->no_answer(fact);
  for (const SentCommand& command : std::exchange(commands_, {})) {
    for (PendingOperation* each : take(command)) {
      // A command without its last byte is never executed.
      completions_.add(*each, command.end <= handed_over ? unanswered : unsent);
    }
  }
  joining_.clear();
  joining_locks_.clear();
  unconfirmed_.clear();
  refused_asking_.reset();
  claims_ = false;
  for (PendingOperation* each : std::exchange(in_flight_, {})) completions_.add(*each, unsent);
}

void AsyncCommands::end_queued(const Error& error) {
  for (const auto& [pending, asking] : std::exchange(queued_, {})) {
    completions_.add(*pending, error);
  }
}

void AsyncCommands::move_to(const std::string& server) {
  const auto self = shared_from_this();
  connection_->move_to(server);
  back_off_.succeeded();
}

void AsyncCommands::close() {
  closed_ = true;
  connection_->detach();
  end_in_flight("the store was closed");
  end_queued(endpoint_->cannot_connect("the store was closed"));
  completions_.give();
}

}  // namespace interlock::redis
