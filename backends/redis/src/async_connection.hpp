// A connection on an event loop: connects, greets, sends in batches, and delivers answers in the
// order of the commands. Its owner knows which answer belongs to which operation.
//
// Not hiredis' redisAsyncContext, on purpose: because this class writes by itself, it knows for
// each command whether the last byte was handed over, which decides between `unavailable` and
// `indeterminate`; and it never calls back from inside a call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "address.hpp"
#include "endpoint.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/reactor.hpp"
#include "patience.hpp"
#include "resp.hpp"
#include "transport.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer, so that it survives if a callback destroys its
// owner.
class AsyncConnection : public std::enable_shared_from_this<AsyncConnection> {
 public:
  // Only about_to_send() is called from inside a call on the connection.
  class Owner {
   public:
    virtual void opened() = 0;
    // The last moment to append to out() operations that were kept back for a joint command.
    virtual void about_to_send() {}
    virtual void answered(Answer answer) = 0;
    // The attempt to connect failed: `unavailable` or `rejected`, in full.
    virtual void failed(Error why) = 0;
    // The connection was open and broke: the bare fact.
    virtual void lost(std::string fact) = 0;

   protected:
    ~Owner() = default;
  };

  AsyncConnection(std::shared_ptr<Endpoint> endpoint, Reactor& reactor, Owner& owner);

  // Begins to connect, if closed.
  void open();
  bool is_open() const noexcept { return state_ == Phase::open; }
  bool is_closed() const noexcept { return state_ == Phase::closed; }

  // For an owner that awaits no answer: whether the connection can be used. False if the server has
  // closed it, or if unexpected data has arrived, which the owner would take for the answer to the
  // next command.
  bool is_at_rest() const;

  // Where to append commands while open; then send().
  std::string& out() noexcept { return out_; }
  // All that was appended is sent at the end of this turn of the loop, together with what
  // about_to_send() appends.
  void send();
  // How many bytes were ever appended on this connection, and how many the kernel has taken.
  std::uint64_t appended() const noexcept { return handed_over_ + (out_.size() - out_begin_); }
  std::uint64_t handed_over() const noexcept { return handed_over_; }

  // Closes it, if it is open, without a call to the owner; open() may follow. Also from inside
  // answered().
  void close();
  // Ends what it does, also while it connects, without a call to the owner; open() may follow.
  void stop();
  // Closes the connection and calls Owner::lost(). Only from a callback of the loop.
  void drop(std::string fact);
  // Leaves the server, also while it connects, unless it is this one ("127.0.0.1:6379"): as drop().
  // Only from a callback of the loop.
  void move_to(const std::string& server);
  // Closes it for good, without a call to the owner.
  void detach();

  const Endpoint& endpoint() const noexcept { return *endpoint_; }

 private:
  enum class Phase { closed, starting, connecting, shaking_hands, greeting, probing, open };

  void begin();
  void cannot_connect_in_time();
  void resolved(const Addresses& addresses);
  // `error`: why the one before could not be used.
  void try_next_address(Error error);
  std::string server() const;
  void ready(bool readable, bool writable);
  void connect_decided();
  void shake_hands();
  void greet();
  void read();
  bool take_answers();
  void greeted(const Answer& answer);
  void flush();
  void write_out();
  void fail(Error why);
  void broken(const Transfer& transfer);
  void fail_after_probe(Error why);
  void reset();
  void post(void (AsyncConnection::*job)());

  const posix::ForkMark fork_;
  std::shared_ptr<Endpoint> endpoint_;
  Reactor& reactor_;
  Owner* owner_;
  Phase state_ = Phase::closed;

  std::unique_ptr<Resolver::Lookup> lookup_;
  std::vector<Address> addresses_;
  std::size_t next_address_ = 0;
  std::optional<Patience> patience_;  // while it connects
  Duration connected_until_{};        // by patience_

  Transport transport_;
  std::unique_ptr<Reactor::Watch> watch_;  // ends before the socket
  std::unique_ptr<AsyncProbe> probe_;
  std::optional<AnswerReader> reader_;
  std::size_t greetings_answered_ = 0;

  std::string out_;
  std::size_t out_begin_ = 0;  // what comes before has been handed over
  std::uint64_t handed_over_ = 0;
  bool wants_to_write_ = false;
  bool write_failed_ = false;
  bool flush_posted_ = false;
  bool reading_ = false;
  std::uint64_t generation_ = 0;  // of the connection: jobs for an older one do nothing
};

}  // namespace interlock::redis
