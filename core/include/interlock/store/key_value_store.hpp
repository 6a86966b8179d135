// The interface between protocols and stores: all that a protocol may ask of a store, in one
// virtual function.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interlock/detail/pending.hpp"
#include "interlock/store/operation.hpp"
#include "interlock/store/value.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class Script;

// One operation under way: lives in the frame of the coroutine that awaits it.
class PendingOperation : public detail::Pending {
 public:
  explicit PendingOperation(Operation operation) : operation_(std::move(operation)) {}

  const Operation& operation() const noexcept { return operation_; }

  // For stores of several servers: counts the servers that sent this operation to another one.
  std::uint8_t sent_on = 0;

  // For stores, once for each operation: delivers the answer. If the coroutine is suspended, it
  // resumes inside this call, which may destroy this object and submit further operations.
  void complete(Reply reply) {
    reply_.emplace(std::move(reply));
    if (const auto waiting = waiting_) waiting.resume();
  }

 protected:
  void left_waiting(std::coroutine_handle<> coroutine) noexcept { waiting_ = coroutine; }
  // `indeterminate` if there is no answer, because something else has resumed the coroutine.
  Reply take_reply() { return reply_ ? std::move(*reply_) : no_reply(); }

 private:
  static Reply no_reply();

  Operation operation_;
  std::optional<Reply> reply_;
  std::coroutine_handle<> waiting_;
};

enum class Submitted : std::uint8_t {
  completed,  // complete() was called inside submit()
  pending,    // complete() will be called later, on the same thread
};

// The answers to claim.
class Claimed {
 public:
  enum class Tokens : std::uint8_t { single, block };
  explicit Claimed(FencingToken grants, Tokens granted = Tokens::single, bool behind_it = false)
      : fencing(grants), tokens(granted), others_queue(behind_it) {}
  FencingToken fencing;
  Tokens tokens;  // block: as many from this one on as were asked for
  bool others_queue;
};
using ClaimReply = std::variant<Claimed, Busy>;

enum class OwnerCheck : std::uint8_t {
  done,    // the key held my owner token; the change was made
  absent,  // no such key: expired, released, or lost by the store. Nothing has changed
  other,   // the key holds another value. Nothing has changed
};

class Remaining {
 public:
  enum class Expiry : std::uint8_t { absent, no_expiry, expires };
  explicit Remaining(Expiry is) : state(is) {}
  explicit Remaining(milliseconds left) : state(Expiry::expires), time(left) {}
  Expiry state;
  milliseconds time{0};
};

// What a wait for a message has heard.
class Heard {
 public:
  Heard() = default;
  explicit Heard(bool something) : heard(something) {}
  bool heard = false;
  // The last message, if it is known. None: the messages of the store have no text, or a message
  // may have been lost with a connection.
  std::optional<std::string> text;
};

class KeyValueStore;

// Awaiting one submits the operation and gives the decoded Result<T>. An answer of another form is
// `indeterminate`: the store has not done what this operation means.
template <class T>
class [[nodiscard]] OperationAwaiter : public PendingOperation {
 public:
  using Decode = Result<T> (*)(Value value);
  OperationAwaiter(KeyValueStore& store, Operation operation, Decode decode)
      : PendingOperation(std::move(operation)), store_(store), decode_(decode) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine,
                     detail::SourceLine line = detail::SourceLine::here());
  Result<T> await_resume() {
    Reply reply = take_reply();
    if (!reply) return std::move(reply).error();
    return decode_(std::move(*reply));
  }

 private:
  KeyValueStore& store_;
  Decode decode_;
};

// Every operation is atomic at the store. Errors of each: `unavailable` (not sent), `indeterminate`
// (sent, no usable answer), `rejected` (refused, nothing changed), `forked` (this process is a
// child of the one that opened the store). A `ttl` that is not positive is `rejected`, except by
// expire(). The store limits the size of keys, values and messages; these functions do not. A store
// is used by one thread at a time; its backend's header says which.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  // A blocking store answers inside this call and returns `completed`; others keep a reference to
  // `pending` until they complete it, exactly once. A store that is destroyed or closed first
  // completes pending operations with `unavailable` or `indeterminate`.
  virtual Submitted submit(PendingOperation& pending) = 0;

  // The number of the server that keeps this key, as far as the store knows: of no use but to
  // compare it with that of another key of the same store. It may change when a cluster moves keys.
  // A store of one server has one number. Sends nothing; on the thread that submits.
  virtual std::uint32_t server_of(const Key& key) {
    static_cast<void>(key);
    return 0;
  }

  // --- plain keys --------------------------------------------------------------------------------
  // Redis: GET key.
  OperationAwaiter<std::optional<std::string>> get(Key key);
  // Redis: SET key value [PX ttl]. Without ttl the key never expires.
  OperationAwaiter<std::monostate> set(Key key,
                                       std::string value,
                                       std::optional<milliseconds> ttl = {});
  // Redis: SET key value NX [PX ttl]. True if it was stored.
  OperationAwaiter<bool> set_if_absent(Key key,
                                       std::string value,
                                       std::optional<milliseconds> ttl = {});
  // Redis: GETSET. Stores the value without expiry and gives the one before.
  OperationAwaiter<std::optional<std::string>> exchange(Key key, std::string value);
  // Redis: DEL key. True if there was one.
  OperationAwaiter<bool> erase(Key key);
  // Redis: PEXPIRE key ttl. True if there is such a key. A ttl <= 0 erases it at once.
  OperationAwaiter<bool> expire(Key key, milliseconds ttl);
  // Redis: PTTL key.
  OperationAwaiter<Remaining> remaining(Key key);
  // Redis: INCR key, keeping its expiry. `rejected` if the value is not a number.
  OperationAwaiter<std::int64_t> increment(Key key);

  // --- locks: see owner_scripts.hpp --------------------------------------------------------------
  OperationAwaiter<ClaimReply> claim(Key key,
                                     OwnerToken owner,
                                     Ttl ttl,
                                     Retention retention = Retention());
  OperationAwaiter<OwnerCheck> renew(Key key,
                                     OwnerToken owner,
                                     Ttl ttl,
                                     Retention retention = Retention());
  OperationAwaiter<OwnerCheck> release(Key key, OwnerToken owner);
  // The same by a protocol's own script, which answers as the script of claim or release does. A
  // claim for a block of fencing tokens may also answer with a token alone, with which the block
  // begins. The script of a claim says so (ScriptReply::may_grant).
  OperationAwaiter<ClaimReply> claim_by(const Script& script, KeyList keys, ArgumentList arguments);
  OperationAwaiter<OwnerCheck> release_by(const Script& script,
                                          KeyList keys,
                                          ArgumentList arguments);

  // Redis: EVALSHA, and EVAL when the server does not know the script. Give named variables of
  // these types: GCC 12 does not compile braces in an expression that is awaited, and says only
  // `array used as initializer`. The script may use no keys but these: a cluster would refuse
  // others.
  OperationAwaiter<Value> run(const Script& script, KeyList keys, ArgumentList arguments);
  // The same with one key and some texts: `run(script, key, "17")`. It needs no braces, which GCC
  // 12 does not compile in an expression that is awaited.
  template <class... Texts>
  OperationAwaiter<Value> run(const Script& script, Key key, Texts... arguments) {
    return run(
        script, KeyList{std::move(key)},
        ArgumentList(std::vector<std::string>{std::string(std::forward<Texts>(arguments))...}));
  }

  // --- messages ----------------------------------------------------------------------------------
  // Returns how many subscribers got the message, as far as the store knows.
  OperationAwaiter<std::int64_t> publish(Channel channel, std::string message);
  // From the answer on, await_message on this subscription misses no message on this channel.
  OperationAwaiter<SubscriptionId> subscribe(Channel channel);
  // The same, and hear() gives the texts. With `beside` a store of several servers subscribes at
  // the server that keeps the first of these keys, so that a script there counts this subscriber.
  OperationAwaiter<SubscriptionId> subscribe_to_texts(Channel channel, KeyList beside = {});
  // True: there was at least one message since the last call, or the connection broke and there may
  // have been one. False: `until` (local clock) came first, or interrupt() ended the wait. One call
  // at a time for each subscription.
  OperationAwaiter<bool> await_message(SubscriptionId subscription, TimePoint until);
  // The same, with the text of the last message. For stores, it is one operation: the answer is 1,
  // or the text if the subscriber wants texts and the store knows it.
  OperationAwaiter<Heard> hear(SubscriptionId subscription, TimePoint until);
  // Ends the await_message of this subscription, the present or the next one, with false. This is
  // the only operation that another thread may submit. The store completes it inside submit(), and
  // before the await_message that it ends: the caller may be gone as soon as that one is answered.
  OperationAwaiter<std::monostate> interrupt(SubscriptionId subscription);
  OperationAwaiter<std::monostate> unsubscribe(SubscriptionId subscription);

 private:
  template <class T>
  friend class OperationAwaiter;
};

template <class T>
bool OperationAwaiter<T>::await_suspend(std::coroutine_handle<> coroutine,
                                        detail::SourceLine line) {
  begun_at(line);
  // A store that answers inside submit() must find nobody waiting, or it would resume a coroutine
  // that has not been suspended yet.
  if (store_.submit(*this) == Submitted::completed) return false;
  left_waiting(coroutine);
  return true;
}

}  // namespace interlock

#pragma GCC visibility pop
