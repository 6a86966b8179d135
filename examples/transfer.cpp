// A transfer locks both accounts, or none. The callers name them in any order, and nobody waits in
// a circle.
#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

std::array<int, 3> balance{100, 100, 100};

std::string name_of(std::size_t account) {
  return "account/" + std::to_string(account);
}

bool transfer(interlock::Client& locks, std::size_t from, std::size_t to, int amount) {
  interlock::LockOptions options;
  options.wait = std::chrono::seconds{10};  // for both together
  interlock::AcquireAllResult both = locks.acquire_all({name_of(from), name_of(to)}, options);
  if (!both) {
    std::fprintf(stderr, "no transfer: %s\n", both.why_not().c_str());
    return false;
  }
  // Each account has a fencing token of its own: both->find(name_of(from))->fencing().
  balance.at(from) -= amount;
  balance.at(to) += amount;
  return true;
}  // both are released

}  // namespace

int main() {
  interlock::Client locks(interlock::memory::backend());
  {
    std::jthread one([&] {
      for (int times = 0; times < 50; ++times) transfer(locks, 0, 1, 1);
    });
    std::jthread other([&] {
      for (int times = 0; times < 50; ++times) transfer(locks, 1, 0, 2);
    });
    std::jthread third([&] {
      for (int times = 0; times < 50; ++times) transfer(locks, 2, 0, 1);
    });
  }
  std::printf("%d %d %d\n", balance[0], balance[1], balance[2]);
  return balance == std::array<int, 3>{200, 50, 50} ? 0 : 1;
}
