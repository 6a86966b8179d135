// The blocking calls of all threads, which the end of a client ends and waits for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include "interlock/vocabulary.hpp"

namespace interlock {

// Any thread. A call costs two atomic operations; the mutex is taken only while the client is being
// closed. That has two steps: first no wait begins or goes on, later no guard is released any more.
class BlockingCalls {
 public:
  BlockingCalls() = default;
  BlockingCalls(const BlockingCalls&) = delete;
  BlockingCalls& operator=(const BlockingCalls&) = delete;

  // A blocking call makes one at its beginning.
  class Call {
   public:
    explicit Call(BlockingCalls& calls) noexcept;
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // False: the client is being closed.
    explicit operator bool() const noexcept { return !calls_.is_closing(); }
    // False: the client is closed, and the loop's connection as well.
    bool may_release() const noexcept { return !calls_.is_closed_; }

   private:
    BlockingCalls& calls_;
  };

  // From here on every call but a release is refused. Requests the stop of close_token().
  void begin_to_close();
  // From here on a release is refused as well.
  void close() { is_closed_ = true; }
  bool is_closing() const noexcept { return is_closing_; }
  // Ends the waits of calls that are under way.
  std::stop_token close_token() const noexcept { return closing_.get_token(); }
  // Returns when no call is under way, or `limit` has passed.
  void wait(std::optional<Duration> limit);
  int under_way() const noexcept { return under_way_; }

 private:
  std::atomic<int> under_way_ = 0;
  std::atomic<bool> is_closing_ = false;
  std::atomic<bool> is_closed_ = false;
  std::stop_source closing_;
  std::mutex mutex_;
  std::condition_variable ended_;
};

}  // namespace interlock
