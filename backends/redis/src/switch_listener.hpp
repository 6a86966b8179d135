// Hears from a Sentinel that another server has become the primary. The connections to the old one
// may be silent then for as long as a command may take, and longer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "async_connection.hpp"
#include "sentinels.hpp"

namespace interlock::redis {

// On the loop's thread. Held by shared pointer: see AsyncConnection. A Sentinel that is away is
// replaced by the next one, so messages may be missed. Then the store learns it from the next
// Sentinel, or by the silence of the old primary.
class SwitchListener final : public AsyncConnection::Owner,
                             public std::enable_shared_from_this<SwitchListener> {
 public:
  // `switched` is called with the address of the primary, as "127.0.0.1:6379": when a Sentinel
  // tells of a new one (`is_new`), and when the listener has connected to a Sentinel. Not if a
  // Sentinel tells a host name, which says nothing about where a connection leads.
  using Switched = std::function<void(const std::string& primary, bool is_new)>;
  SwitchListener(std::shared_ptr<Sentinels> sentinels, Reactor& reactor, Switched switched);

  // Begins, if it has not begun.
  void listen();
  void close();

  void opened() override;
  void answered(Answer answer) override;
  void failed(Error why) override;
  void lost(std::string fact) override;

 private:
  void connect();
  void tell(const std::string& host, const std::string& port, bool is_new);
  void try_next_later();

  std::shared_ptr<Sentinels> sentinels_;
  Reactor& reactor_;
  Switched switched_;
  std::size_t next_ = 0;
  std::shared_ptr<AsyncConnection> connection_;
  std::unique_ptr<Reactor::Timer> timer_;
};

}  // namespace interlock::redis
