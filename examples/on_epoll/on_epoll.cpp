// A server on epoll that turns the client's loop: the client's descriptor is one of those for which
// the server waits, and the callbacks run on the server's thread. (The client has no thread then.
// The store in memory has one for its requests; the store on Redis has none.)
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

using interlock::AcquireResult;

int main() {
  interlock::ClientOptions options;
  options.own_thread = false;
  interlock::Client locks(interlock::memory::backend(), options);

  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = locks.loop().descriptor();
  if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, wanted.data.fd, &wanted) != 0) {
    std::perror("on_epoll");
    return 1;
  }

  int left = 3;
  for (int number = 1; number <= 3; ++number) {
    locks.acquire_then("orders/42", {}, [&left, number](AcquireResult lock) {
      std::printf("request %d: %s\n", number, lock ? "held" : lock.why_not().c_str());
      --left;
    });  // the guard ends with the callback: the release is sent, and nothing waits for it
  }

  while (left > 0) {
    epoll_event happened{};
    if (epoll_wait(epoll, &happened, 1, -1) != 1) continue;
    if (happened.data.fd == locks.loop().descriptor()) locks.loop().turn();
    // else: a socket of the server's
  }
  close(epoll);
}
