// Replies that are decided and not delivered yet.
#pragma once

#include <deque>
#include <utility>

#include "interlock/store/key_value_store.hpp"

namespace interlock::redis {

// A completion may resume code that submits, loses a connection or destroys the store. So all
// replies are decided first, and then delivered one by one. A store that is destroyed in between
// delivers the rest.
class Completions {
 public:
  void add(PendingOperation& pending, Reply reply) {
    decided_.push_back({&pending, std::move(reply)});
  }
  void give() {
    while (!decided_.empty()) {
      Decided next = std::move(decided_.front());
      decided_.pop_front();
      next.pending->complete(std::move(next.reply));
    }
  }

 private:
  class Decided {
   public:
    PendingOperation* pending;
    Reply reply;
  };
  std::deque<Decided> decided_;
};

}  // namespace interlock::redis
