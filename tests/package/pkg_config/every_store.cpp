// A program that is built with pkg-config alone: a section under a lock, in memory and in a file.
#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"

namespace {

bool guards(const std::shared_ptr<interlock::Backend>& store) {
  interlock::Client locks(store);
  bool excluded = false;
  const auto result = locks.with_lock(
      "orders/42", [&](interlock::Guard&) { excluded = !locks.try_acquire("orders/42"); });
  return result && excluded;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 64;
  const auto file = interlock::sqlite::backend(arguments[1]);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().detail().c_str());
    return 69;
  }
  // Nothing listens there; the text is still understood.
  if (!interlock::redis::backend("redis://127.0.0.1:1/0")) return 70;
  return guards(interlock::memory::backend()) && guards(*file) ? 0 : 1;
}
