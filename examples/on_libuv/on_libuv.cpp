// A server on libuv that turns the client's loop: a uv_poll_t waits for the client's descriptor,
// and the callbacks run on the thread of uv_run().
#include <uv.h>

#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

using interlock::AcquireResult;
using interlock::Client;

void turn(uv_poll_t* poll, int /*status*/, int /*events*/) {
  static_cast<Client*>(poll->data)->loop().turn();
}

void handle(Client& locks, uv_poll_t& poll) {
  static int left = 3;
  for (int number = 1; number <= 3; ++number) {
    locks.acquire_then("orders/42", {}, [&poll, number](AcquireResult lock) {
      std::printf("request %d: %s\n", number, lock ? "held" : lock.why_not().c_str());
      if (--left == 0) uv_poll_stop(&poll);  // uv_run() returns: nothing else is active
    });  // the guard ends with the callback: the release is sent, and nothing waits for it
  }
}

int main() {
  interlock::ClientOptions options;
  options.own_thread = false;
  Client locks(interlock::memory::backend(), options);

  uv_loop_t* const loop = uv_default_loop();
  uv_poll_t poll;
  if (const int error = uv_poll_init(loop, &poll, locks.loop().descriptor()); error != 0) {
    std::fprintf(stderr, "on_libuv: %s\n", uv_strerror(error));
    return 1;
  }
  poll.data = &locks;
  uv_poll_start(&poll, UV_READABLE, turn);

  handle(locks, poll);
  uv_run(loop, UV_RUN_DEFAULT);

  // Before the client ends, which closes the descriptor.
  uv_close(reinterpret_cast<uv_handle_t*>(&poll), nullptr);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
