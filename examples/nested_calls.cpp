// A function that needs a lock, called by one that has it: the caller shares its guard. The lock is
// released when the last guard ends, in whichever thread that is.
#include <cstdio>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

// Takes a guard, so nobody can call it without the lock.
void write_index(const interlock::Guard& held, int entries) {
  std::printf("index of %d entries, token %d\n", entries, held.fencing().value() > 0 ? 1 : 0);
}

std::jthread write_archive(interlock::Guard held) {
  return std::jthread([held = std::move(held)]() mutable {
    if (held.state() == interlock::LeaseState::lost) return;
    std::printf("archive written\n");
    static_cast<void>(held.release());
  });
}

}  // namespace

int main() {
  const std::shared_ptr<interlock::Backend> store = interlock::memory::backend();
  interlock::Client locks(store);
  std::jthread archive;
  {
    interlock::AcquireResult lock = locks.acquire("catalogue");
    if (!lock) return 1;
    write_index(*lock, 3);                   // a callee that returns: a reference is enough
    archive = write_archive(lock->share());  // one that goes on: it holds the lock, too
  }                                          // released here only if the archive is written
  archive.join();
  const auto held = store->held_locks();
  std::printf("%zu locks held\n", held->size());
  return held->empty() ? 0 : 1;
}
