// Coroutines on the client's loop: a thousand locks held at once by one thread.
#include <cstdio>
#include <string>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

// The arguments of a coroutine are values. An object that it refers to is passed by pointer and
// must outlive it.
interlock::Task<void> work(interlock::Client* locks, int number, int* finished) {
  const auto name = *interlock::LockName::parse("job/" + std::to_string(number));
  interlock::AcquireResult lock = co_await locks->acquire_async(name);
  if (!lock) co_return;

  const interlock::TimePoint later = locks->loop().now() + std::chrono::milliseconds(10);
  co_await locks->loop().sleep_until(later);

  const auto released = co_await lock->release_async();
  if (released) ++*finished;  // all on one thread: no atomic needed
}

}  // namespace

int main() {
  int finished = 0;
  {
    interlock::Client locks(interlock::memory::backend());
    for (int number = 0; number < 1000; ++number) locks.spawn(work(&locks, number, &finished));
  }  // the destructor waits for the spawned tasks
  std::printf("%d jobs done\n", finished);
  return finished == 1000 ? 0 : 1;
}
