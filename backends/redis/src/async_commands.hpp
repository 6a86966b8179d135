// Operations on an event loop: as many in flight as there are, on one connection.
#pragma once

#include <deque>
#include <memory>

#include "async_connection.hpp"
#include "back_off.hpp"
#include "command.hpp"
#include "completions.hpp"
#include "interlock/key_value_store.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer: see AsyncConnection.
class AsyncCommands final : public AsyncConnection::Owner,
                            public std::enable_shared_from_this<AsyncCommands> {
 public:
  // Operations that may wait for a connection.
  static constexpr std::size_t longest_queue = 65'536;

  AsyncCommands(std::shared_ptr<Endpoint> endpoint, Reactor& reactor);

  Submitted submit(PendingOperation& pending);
  // Completes what is pending; from then on every operation fails.
  void close();

  void opened() override;
  void answered(Answer answer) override;
  void failed(Error why) override;
  void lost(std::string fact) override;

 private:
  class InFlight {
   public:
    PendingOperation* pending;
    TimePoint expires;
    std::uint64_t end;  // in the connection's output
    bool named_by_text;
  };

  void send(PendingOperation& pending, bool by_text);
  void arm(TimePoint now);
  void check_oldest();
  void end_in_flight(const std::string& fact);
  void end_queued(const Error& error);

  std::shared_ptr<Endpoint> endpoint_;
  Reactor& reactor_;
  std::shared_ptr<AsyncConnection> connection_;
  CommandEncoder encoder_;
  BackOff back_off_;
  std::deque<InFlight> in_flight_;
  std::deque<PendingOperation*> queued_;
  Completions completions_;
  std::unique_ptr<Reactor::Timer> timer_;
  bool timer_armed_ = false;
  bool closed_ = false;
};

}  // namespace interlock::redis
