// Jobs of different weight on a pool of GPUs: never more are in use than there are, and a job that
// wants many is not passed for ever by those that want one.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

constexpr int gpus = 8;
std::atomic<int> in_use = 0;
std::atomic<int> most = 0;
std::atomic<int> done = 0;

void train(interlock::Client& locks, int wanted) {
  const auto permits = locks.acquire_permits("gpu", interlock::Permits(wanted, gpus));
  if (!permits) {
    std::fprintf(stderr, "not trained: %s\n", permits.why_not().c_str());
    return;
  }
  const int now = in_use += wanted;
  for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{2});  // and stop when permits->lost_token()
  in_use -= wanted;
  ++done;
}

}  // namespace

int main() {
  interlock::Client locks(interlock::memory::backend());
  {
    std::vector<std::jthread> jobs;
    jobs.reserve(24);
    for (int job = 0; job < 24; ++job) {
      jobs.emplace_back([&, job] { train(locks, job % 6 == 0 ? gpus : 1 + job % 3); });
    }
  }
  std::printf("%d jobs, at most %d of %d in use\n", done.load(), most.load(), gpus);
  return done == 24 && most <= gpus ? 0 : 1;
}
