#include "sqlite_store.hpp"

#include "interlock/posix/clock.hpp"

namespace interlock::sqlite {

Submitted SqliteStore::submit(PendingOperation& pending) {
  if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
  if (pending.operation().kind == OperationKind::interrupt) {
    // Completed first: it may live in the frame of the waiter, which may be gone as soon as the
    // waiter wakes.
    const SubscriptionId id = pending.operation().subscription;
    pending.complete(Value());
    interrupt_wait_on(id);
    return Submitted::completed;
  }
  // Completed outside of all locks: completing may run a coroutine that comes back here.
  pending.complete(reply_to(pending.operation()));
  return Submitted::completed;
}

Reply SqliteStore::reply_to(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::subscribe:
      return subscribe_to(Channel(operation.key.shared()));
    case OperationKind::await_message:
      return await_message_on(operation.subscription, operation.until);
    case OperationKind::unsubscribe:
      forget(operation.subscription);
      return Value();
    default:
      return carry_out(operation);
  }
}

Connection& SqliteStore::connection() {
  if (!connection_) {
    connection_ = connections_->take();
    in_use_ = connection_.get();
    // interrupt() may have come before it could find the connection.
    if (is_ending_) connection_->wait_no_more();
  }
  return *connection_;
}

Reply SqliteStore::carry_out(const Operation& operation) {
  const bool only_reads =
      operation.kind == OperationKind::get || operation.kind == OperationKind::remaining;
  return connection().transact<Value>(
      only_reads ? Access::read : Access::write, std::string(to_string(operation.kind)),
      [&](SqlKeyspace& keyspace, Database&) { return apply(keyspace, operation); });
}

Result<std::int64_t> SqliteStore::sequence(const Channel& channel) {
  return connection().transact<std::int64_t>(
      Access::read, "listening", [&](SqlKeyspace& keyspace, Database&) {
        return Result<std::int64_t>(keyspace.sequence(channel));
      });
}

Reply SqliteStore::subscribe_to(Channel channel) {
  const auto heard = sequence(channel);
  if (!heard) return heard.error();
  const std::lock_guard lock(mutex_);
  subscriptions_.emplace(++last_id_,
                         std::make_shared<FileSubscription>(std::move(channel), *heard));
  return Value(last_id_);
}

void SqliteStore::interrupt_wait_on(SubscriptionId id) {
  if (id == 0) {
    is_ending_ = true;
    if (Connection* const connection = in_use_) connection->wait_no_more();
    return;
  }
  // Keeps both alive: the waiter may go on to destroy the store.
  const auto subscription = find(id);
  const auto wakeups = wakeups_->get();
  if (!subscription) return;
  subscription->interrupted = true;
  wakeups->ring();
}

std::shared_ptr<SqliteStore::FileSubscription> SqliteStore::find(SubscriptionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = subscriptions_.find(id);
  return found == subscriptions_.end() ? nullptr : found->second;
}

void SqliteStore::forget(SubscriptionId id) {
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(id);
}

Reply SqliteStore::await_message_on(SubscriptionId id, TimePoint until) {
  const auto subscription = find(id);
  if (!subscription) {
    return Error(Errc::rejected, "waiting for a message: there is no subscription " +
                                     std::to_string(id) + ": subscribe first");
  }
  const auto wakeups = wakeups_->get();
  for (;;) {
    // Read before looking: a change from here on ends the wait below at once.
    const std::uint64_t seen = wakeups->count();
    // Checks for an interruption first: a message must not hide it. The message stays for the next
    // call.
    if (subscription->interrupted.exchange(false)) return Value(std::int64_t{0});
    const auto latest = sequence(subscription->channel);
    if (!latest) {
      forget(id);
      return latest.error();
    }
    if (*latest > subscription->heard) {
      subscription->heard = *latest;
      return Value(std::int64_t{1});
    }
    const Duration left = until.time_since_epoch() - posix::since_boot();
    if (left.count() <= 0) return Value(std::int64_t{0});
    wakeups->wait(seen, left);
  }
}

}  // namespace interlock::sqlite
