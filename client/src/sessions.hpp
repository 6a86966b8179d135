// The connections for blocking calls: each for one thread at a time, no more than may be, and none
// for longer than it is of use.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/store/backend.hpp"

namespace interlock {

class Sessions {
 public:
  // All arguments must outlive it. `left_behind`: see LockClient::on_left_behind; it is called on
  // any thread.
  Sessions(Backend& backend,
           TokenSource& tokens,
           const ClientOptions& options,
           EventLoop& loop,
           LockClient::LeftBehind left_behind);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

 private:
  class Session;

 public:
  // Given back by its destructor. Any thread.
  class Borrowed {
   public:
    Borrowed(Borrowed&& other) noexcept;
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed();

    // False: as many are in use as may be.
    explicit operator bool() const noexcept { return session_ != nullptr; }
    LockClient& client(bool fair) noexcept;

   private:
    friend class Sessions;
    Borrowed(Sessions& from, std::unique_ptr<Session> session) noexcept;

    Sessions& from_;
    std::unique_ptr<Session> session_;
  };
  Borrowed borrow();

  // Closes those that nobody uses at the moment. Any thread.
  void close_idle();

  // On the loop's thread: first and last.
  void begin();
  void end();

 private:
  void give_back(std::unique_ptr<Session> session) noexcept;
  void look_soon();
  void look();

  Backend& backend_;
  TokenSource& tokens_;
  const ClientOptions& options_;
  EventLoop& loop_;
  const LockClient::LeftBehind left_behind_;
  std::unique_ptr<Reactor::Timer> look_timer_;

  std::mutex mutex_;
  // Below: under the mutex. The one that was used last is taken first: the others go cold.
  std::vector<std::unique_ptr<Session>> idle_;
  std::size_t open_ = 0;  // the idle ones and those that are in use
  bool is_looked_after_ = false;
};

}  // namespace interlock
