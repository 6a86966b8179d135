// A job that is started on many machines and runs on one of them, once in a period. Here the
// machines are threads with a client each.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

std::atomic<int> backups{0};

void night(const std::shared_ptr<interlock::Backend>& store) {
  interlock::Client locks(store);
  interlock::LockOptions once;
  // Shorter than the time between two nights: a late start must not skip the next one.
  once.at_least = std::chrono::hours{20};
  once.wait = interlock::Duration::zero();
  once.fair = false;  // one try: a dead waiter in the queue could turn it away

  const interlock::AcquireResult lock = locks.acquire("backup", once);
  if (!lock) return;  // another machine runs it, or has run it: lock.why_not()
  backups += 1;       // the work; give its results lock->fencing()
}

// A machine that finds out that it cannot do the work leaves it to another.
void night_with_a_full_disk(const std::shared_ptr<interlock::Backend>& store) {
  interlock::Client locks(store);
  interlock::LockOptions once;
  once.at_least = std::chrono::hours{20};
  interlock::AcquireResult lock = locks.acquire("report", once);
  if (lock) lock->waive_at_least();
}

}  // namespace

int main() {
  const std::shared_ptr<interlock::Backend> store = interlock::memory::backend();
  {
    std::vector<std::jthread> machines(10);
    for (std::jthread& machine : machines) machine = std::jthread(night, store);
  }
  night_with_a_full_disk(store);
  const auto held = store->held_locks();
  std::printf("%d backup; %zu lock stays held until its period is over\n", backups.load(),
              held->size());
  return backups == 1 && held->size() == 1 ? 0 : 1;
}
