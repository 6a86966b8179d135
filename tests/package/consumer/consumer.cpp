// What a stranger's first program would do with the components that it has found. What it uses of
// each must be linked, with all that this component needs.
#include <filesystem>
#include <memory>

#include "interlock/task.hpp"

#ifdef CONSUMER_HAS_client
#include "interlock/client.hpp"
#endif
#ifdef CONSUMER_HAS_memory
#include "interlock/memory/memory_backend.hpp"
#endif
#ifdef CONSUMER_HAS_redis
#include "interlock/redis/redis_backend.hpp"
#endif
#ifdef CONSUMER_HAS_sqlite
#include "interlock/sqlite/sqlite_backend.hpp"
#endif
#ifdef CONSUMER_HAS_catalogue
#include "interlock/sim/catalogue.hpp"
#endif

namespace {

interlock::Task<int> one() {
  co_return 1;
}
interlock::Task<int> two() {
  const int left = co_await one();
  co_return left + co_await one();
}

#ifdef CONSUMER_HAS_client
bool guards(const std::shared_ptr<interlock::Backend>& store) {
  interlock::Client locks(store);
  bool excluded = false;
  const auto result = locks.with_lock(
      "orders/42", [&](interlock::Guard&) { excluded = !locks.try_acquire("orders/42"); });
  return result && excluded;
}

// The number of the first store that does not guard, or 0.
int broken_store([[maybe_unused]] const std::filesystem::path& folder) {
#ifdef CONSUMER_HAS_memory
  if (!guards(interlock::memory::backend())) return 2;
#endif
#ifdef CONSUMER_HAS_sqlite
  const auto file = interlock::sqlite::backend(folder / "consumer.sqlite3");
  if (!file || !guards(*file)) return 3;
#endif
#ifdef CONSUMER_HAS_redis
  // Nothing listens there; the text is still understood.
  if (!interlock::redis::backend("rediss://127.0.0.1:1/0")) return 4;
#endif
  return 0;
}
#endif

}  // namespace

int main(int /*count*/, char** arguments) {
  if (interlock::run(two()) != 2) return 1;
#ifdef CONSUMER_HAS_catalogue
  if (interlock::sim::catalogue::entries().size() < 50) return 5;
#endif
#ifdef CONSUMER_HAS_client
  return broken_store(std::filesystem::path(arguments[0]).parent_path());
#else
  static_cast<void>(arguments);
  return 0;
#endif
}
