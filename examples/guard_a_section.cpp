// Guards a section against all other threads and processes that use the same name and store.
#include <cstdio>
#include <filesystem>

#include "interlock/client.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"

int main() {
  // A file that all processes of this machine share. For several machines:
  // `redis::backend("redis://...")`.
  const auto file = std::filesystem::temp_directory_path() / "interlock-example.sqlite3";
  auto store = interlock::sqlite::backend(file);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().detail().c_str());
    return 1;
  }
  interlock::Client locks(*store);

  interlock::LockOptions options;
  options.ttl = interlock::Ttl(std::chrono::seconds(10));  // the lock's life after a crash
  options.wait = std::chrono::seconds(30);                 // how long to wait for our turn

  interlock::AcquireResult lock = locks.acquire("orders/42", options);
  if (!lock) {
    std::fprintf(stderr, "orders/42: %s\n", lock.why_not().c_str());
    return 1;
  }
  std::printf("holding %s, fencing token %llu\n", lock->name().text().c_str(),
              static_cast<unsigned long long>(lock->fencing().value()));

  // The end of the scope would release it, too. This call also says whether it was still ours.
  const auto released = lock->release();
  if (!released || *released != interlock::ReleaseOutcome::released) return 1;
  std::puts("released");
}
