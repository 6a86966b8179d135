// interlock::Mutex in std::scoped_lock: two locks at once, without deadlock.
#include <cstdio>
#include <mutex>
#include <thread>

#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"

int main() {
  interlock::Client locks(interlock::memory::backend());
  int from = 100;
  int to = 0;

  const auto transfer = [&](bool reversed) {
    interlock::Mutex a(locks, *interlock::LockName::parse("account/a"));
    interlock::Mutex b(locks, *interlock::LockName::parse("account/b"));
    for (int i = 0; i < 25; ++i) {
      // The order does not matter: std::scoped_lock backs off instead of waiting for ever.
      if (reversed) {
        const std::scoped_lock both(b, a);
        --from, ++to;
      } else {
        const std::scoped_lock both(a, b);
        --from, ++to;
      }
    }
  };
  std::thread one(transfer, false);
  std::thread two(transfer, true);
  one.join();
  two.join();

  std::printf("from %d, to %d\n", from, to);
  return from == 50 && to == 50 ? 0 : 1;
}
