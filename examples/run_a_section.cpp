// with_lock() runs a function while holding a lock, and has three results.
#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

int main() {
  interlock::Client locks(interlock::memory::backend());
  int stock = 10;

  const interlock::SectionResult sold =
      locks.with_lock("stock/teapot", [&](interlock::Guard&) { stock -= 1; });

  if (sold.busy) std::puts("somebody else held it until the wait was over; nothing was done");
  if (sold.error) std::printf("the store failed: %s\n", sold.error->detail().c_str());
  if (sold.loss) std::puts("it ran, but the lock was lost meanwhile: check what it did");

  // True only if the section ran and the lock was held from its first line to its last.
  if (!sold) return 1;
  std::printf("sold one, %d left\n", stock);
  return stock == 9 ? 0 : 1;
}
