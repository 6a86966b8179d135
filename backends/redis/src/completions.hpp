// Answers that have been decided and not been given yet.
#pragma once

#include <deque>
#include <utility>

#include "interlock/store/key_value_store.hpp"

namespace interlock::redis {

// What a completion sets off may submit, lose a connection or destroy the store; so everything is
// decided first, and then given one by one. A store that is destroyed in the middle gives the rest.
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
