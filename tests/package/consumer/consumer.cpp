// What a stranger's first program would do with the components that it has found.
#include "interlock/task.hpp"

#if defined(CONSUMER_HAS_memory) && defined(CONSUMER_HAS_client)
#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

bool guards_a_section() {
  interlock::Client locks(interlock::memory::backend());
  bool excluded = false;
  const auto result = locks.with_lock(
      "orders/42", [&](interlock::Guard&) { excluded = !locks.try_acquire("orders/42"); });
  return result && excluded;
}

}  // namespace
#else
namespace {
bool guards_a_section() {
  return true;
}
}  // namespace
#endif

namespace {

interlock::Task<int> one() {
  co_return 1;
}
interlock::Task<int> two() {
  const int left = co_await one();
  co_return left + co_await one();
}

}  // namespace

int main() {
  if (interlock::run(two()) != 2) return 1;
  return guards_a_section() ? 0 : 2;
}
