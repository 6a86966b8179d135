// Requests of a server on Asio, each a coroutine on its one thread, which no wait for a lock
// blocks.
#include <asio.hpp>
#include <cstdio>

#include "interlock/asio.hpp"
#include "interlock/memory/memory_backend.hpp"

using interlock::AcquireResult;
using interlock::Client;

asio::awaitable<void> request(Client& locks, int number) {
  AcquireResult lock =
      co_await interlock::async_acquire(locks, "orders/42", {}, asio::use_awaitable);
  if (!lock) {
    std::printf("request %d: %s\n", number, lock.why_not().c_str());
    co_return;
  }
  std::printf("request %d with token %llu\n", number,
              static_cast<unsigned long long>(lock->fencing().value()));
  co_await interlock::async_release(locks, *std::move(lock), asio::use_awaitable);
}

int main() {
  asio::io_context context;
  Client locks(interlock::memory::backend());
  for (int number = 1; number <= 3; ++number) {
    asio::co_spawn(context, request(locks, number), asio::detached);
  }
  context.run();
}
