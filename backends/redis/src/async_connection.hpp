// A connection on an event loop: connects, greets, sends in batches, and hands out answers in the
// order of the commands. Who asked for what is its owner's business.
//
// Not hiredis' redisAsyncContext, on purpose: with the output in our hands we know for each command
// whether its last byte has been handed over, which decides between `unavailable` and
// `indeterminate`; and nothing calls back from inside a call.
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

namespace interlock::redis {

// On the loop's thread. Held by shared pointer, so that it survives an owner that is destroyed by
// what a callback sets off.
class AsyncConnection : public std::enable_shared_from_this<AsyncConnection> {
 public:
  // Never called from inside a call on the connection, but for about_to_send().
  class Owner {
   public:
    virtual void opened() = 0;
    // The last moment to append to out() what was kept back for a better command.
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
  bool is_open() const noexcept { return state_ == State::open; }
  bool is_closed() const noexcept { return state_ == State::closed; }

  // For an owner that awaits no answer: whether the connection still is as it was left. Not, if the
  // server has closed it, or if something has come that nobody asked for and that would be taken
  // for the answer to what is sent next.
  bool is_at_rest() const;

  // Where to append commands while open; then send().
  std::string& out() noexcept { return out_; }
  // What was appended leaves at the end of this turn of the loop, together, and what
  // about_to_send() appends with it.
  void send();
  // How many bytes were ever appended on this connection, and how many the kernel has taken.
  std::uint64_t appended() const noexcept { return handed_over_ + (out_.size() - out_begin_); }
  std::uint64_t handed_over() const noexcept { return handed_over_; }

  // Closes it, if it is open, without telling anybody; open() may follow. Also from inside
  // answered().
  void close();
  // Gives the connection up, from a callback of the loop: the owner is told.
  void drop(std::string fact);
  // Closes for good, without telling anybody.
  void detach();

  const Endpoint& endpoint() const noexcept { return *endpoint_; }

 private:
  enum class State { closed, starting, connecting, greeting, open };

  void begin();
  void cannot_connect_in_time();
  void resolved(const Addresses& addresses);
  void try_next_address(const std::string& last_fact);
  void ready(bool readable, bool writable);
  void connect_decided();
  void greet();
  void read();
  bool take_answers();
  void greeted(const Answer& answer);
  void flush();
  void write_out();
  void fail(Error why);
  void reset();
  void post(void (AsyncConnection::*job)());

  const posix::ForkMark fork_;
  std::shared_ptr<Endpoint> endpoint_;
  Reactor& reactor_;
  Owner* owner_;
  State state_ = State::closed;

  std::unique_ptr<Resolver::Lookup> lookup_;
  std::vector<Address> addresses_;
  std::size_t next_address_ = 0;
  std::optional<Patience> patience_;  // while it connects
  Duration connected_until_{};        // by patience_

  Socket socket_;
  std::unique_ptr<Reactor::Watch> watch_;  // ends before the socket
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
