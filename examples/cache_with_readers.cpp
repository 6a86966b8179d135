// A cache that many read and one refills: readers have the lock together, a writer has it alone,
// and goes on as a reader.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

std::map<std::string, int> prices;  // empty: out of date

// The thread that finds the cache empty fills it, and looks its price up before it lets go of it.
int price_of(interlock::Client& locks, const std::string& thing) {
  {
    const auto reading = locks.acquire_shared("prices");
    if (!reading) throw std::runtime_error(reading.why_not());
    const auto found = prices.find(thing);
    if (found != prices.end()) return found->second;
  }
  auto writing = locks.acquire("prices");
  if (!writing) throw std::runtime_error(writing.why_not());
  // Another may have filled it since.
  if (prices.empty()) prices = {{"apple", 3}, {"pear", 4}};
  // The token of a guard is what a database would check: writing->fencing().
  const auto reading = locks.downgrade(*std::move(writing));
  if (!reading) throw std::runtime_error(reading.why_not());
  return prices.at(thing);
}

}  // namespace

int main() {
  interlock::Client locks(interlock::memory::backend());
  std::vector<int> seen(8);
  {
    std::vector<std::jthread> customers;
    customers.reserve(seen.size());
    for (int& price : seen) {
      customers.emplace_back([&] { price = price_of(locks, "pear"); });
    }
  }
  int sum = 0;
  for (const int price : seen) sum += price;
  std::printf("%d\n", sum);
  return sum == 32 ? 0 : 1;
}
