// A network between a client and a server on this machine that fails as told.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "interlock/posix/eventfd.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::test {

// Forwards TCP connections of the loopback to a port of the loopback, on a thread of its own that
// ends with it. Any thread may call; when a call returns, it is in force: not one byte passes that
// the new mode would hold back.
class FaultProxy {
 public:
  enum class Mode {
    forward,
    swallow,         // a silent network: connections come about and stay, but no byte passes. What
                     // is under way passes later if it forwards again, as TCP would send it again
    drop_replies,    // requests reach the server; its replies are lost for ever, and so is all that
                     // would follow them on that connection
    half_replies,    // of each reply the first half arrives; then the connection breaks
    double_replies,  // each reply arrives twice
    drip_replies,    // of each reply a byte arrives every 5 ms
  };

  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const noexcept { return port_; }

  void set(Mode mode);
  // Every byte, in both directions, arrives that much later.
  void delay(Duration each_way);
  // Closes every connection; new ones are taken.
  void cut();
  // Half-open: the server's ends are closed, the clients are never told. New ones are taken.
  void abandon();
  // Where new connections lead. Those that there are stay.
  void lead_to(int server_port);

  // When the last request that has been answered came by: at or after it was sent.
  std::optional<TimePoint> last_answered_request() const;
  // Since the beginning.
  int connections() const;

 private:
  class Link;
  class Pipe;
  void work();
  void accept_one();
  Duration until_next_delivery() const;

  int port_ = 0;
  int listener_ = -1;
  posix::Eventfd wake_;
  mutable std::mutex mutex_;
  // Below: under the mutex.
  int server_port_;
  Mode mode_ = Mode::forward;
  Duration delay_{};
  bool ending_ = false;
  int connections_ = 0;
  std::optional<TimePoint> last_answered_request_;
  std::list<Link> links_;
  std::thread thread_;
};

}  // namespace interlock::test
