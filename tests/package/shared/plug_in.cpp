// A part of a program that was built by others: it gives away a store, takes locks and throws.
#include <memory>

#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"

extern "C" {

[[gnu::visibility("default")]] void make_store(std::shared_ptr<interlock::Backend>* store) {
  *store = interlock::memory::backend();
}

[[gnu::visibility("default")]] void throw_failure() {
  throw interlock::LockFailure({interlock::Errc::rejected, "thrown by the plug-in"});
}

// Whether the lock in that file can be had here, by a backend of its own.
[[gnu::visibility("default")]] bool can_lock(const char* file) {
  const auto store = interlock::sqlite::backend(file);
  if (!store) throw_failure();
  interlock::Client locks(*store);
  return static_cast<bool>(locks.try_acquire("orders/42"));
}
}
