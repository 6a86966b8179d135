// The connections for blocking calls: each for one thread at a time, no more than the options
// allow, and each closed when nobody has used it for a while.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/event_loop.hpp"
#include "interlock/store/backend.hpp"
#include "lock_kinds.hpp"

namespace interlock {

// A mutex guards the list of connections; a connection itself belongs to the thread that borrowed
// it.
class SessionPool {
 public:
  // All arguments must outlive it. `left_behind` is called on any thread.
  SessionPool(Backend& backend,
              TokenSource& tokens,
              const ClientOptions& options,
              EventLoop& loop,
              LockKinds::LeftBehind left_behind);
  ~SessionPool();
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

 private:
  class Session;

 public:
  // The destructor gives the connection back. Any thread.
  class Borrowed {
   public:
    Borrowed(Borrowed&& other) noexcept;
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed();

    // False: as many connections are in use as the options allow.
    explicit operator bool() const noexcept { return session_ != nullptr; }
    LockClient& client(LockKind kind) noexcept;
    // Sends the release, and leaves its answer to the connection's next use, to the next look at
    // idle connections, or to take_answers(): whichever comes first.
    void release_soon(LockKind kind, const Lease& lease);

   private:
    friend class SessionPool;
    Borrowed(SessionPool& from, std::unique_ptr<Session> session) noexcept;

    SessionPool& from_;
    std::unique_ptr<Session> session_;
  };
  Borrowed borrow();

  // Closes the connections that nobody uses at the moment. Any thread.
  void close_idle();
  // Takes the answers that are left; gives up those that have not come within `limit`. Any thread.
  void take_answers(Duration limit);

  // On the loop's thread: first and last.
  void begin();
  void end();

 private:
  void give_back(std::unique_ptr<Session> session) noexcept;
  std::vector<std::unique_ptr<Session>> unanswered();
  void put_back(std::vector<std::unique_ptr<Session>> sessions) noexcept;
  void look_soon();
  void look();
  void look_for_answers();

  Backend& backend_;
  TokenSource& tokens_;
  const ClientOptions& options_;
  EventLoop& loop_;
  const LockKinds::LeftBehind left_behind_;
  std::unique_ptr<Reactor::Timer> look_timer_;
  std::unique_ptr<Reactor::Timer> answers_timer_;

  std::mutex mutex_;
  // Below: under the mutex. The connection that was used last is taken first, so that the others
  // become idle.
  std::vector<std::unique_ptr<Session>> idle_;
  std::size_t open_ = 0;  // the idle ones and those that are in use
  bool is_looked_after_ = false;
  bool answers_are_awaited_ = false;  // answers_timer_ is armed, or soon will be
};

}  // namespace interlock
