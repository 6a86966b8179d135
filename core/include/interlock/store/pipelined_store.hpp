// A blocking store that can send a request without waiting for its answer (pipelining).
#pragma once

#include "interlock/store/key_value_store.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// One thread at a time, as every blocking store. At most one answer is outstanding: the next
// submit() takes it before its own. An answer that has not come within the store's limit
// for a command is `indeterminate`, and its connection is closed.
//
// While an outstanding request fails, submit() refuses all others with `unavailable`, so that the
// coroutine that gets the error does not repeat its request on a thread that has other work to do.
class PipelinedStore : public KeyValueStore {
 public:
  // False: submit() of a command returns `pending` as soon as the command was sent, and the store
  // keeps a reference to the operation. At first true.
  virtual void wait_for_answers(bool wait) = 0;

  // Takes the outstanding answer, and waits for it for `at_most`. Completes the operation, on this
  // thread. False: it is still outstanding.
  virtual bool take_answer(Duration at_most) = 0;

  // Completes what is outstanding with `indeterminate`, and closes the connection.
  virtual void give_up_answer() = 0;
};

}  // namespace interlock

#pragma GCC visibility pop
