// A lock that may be lost: the client tells the holder in time, and the resource refuses late
// writes.
#include <cstdio>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

// The use of a fencing token: the resource keeps the order of writes, even if two clients believe
// that they hold the lock.
class Ledger {
 public:
  bool write(interlock::FencingToken token) {
    if (token < newest_) return false;
    newest_ = token;
    return true;
  }

 private:
  interlock::FencingToken newest_;
};

}  // namespace

int main() {
  interlock::Client locks(interlock::memory::backend());
  Ledger ledger;

  interlock::LockOptions brief{interlock::Ttl(std::chrono::milliseconds(100))};
  brief.renew = false;  // as if the store had fallen silent
  auto slow = locks.acquire("ledger", brief);
  if (!slow) return 1;

  int steps = 0;
  const std::stop_token lost = slow->lost_token();
  while (!lost.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++steps;
  }
  std::printf("stopped after %d steps: %s\n", steps,
              std::string(interlock::to_string(*slow->loss())).c_str());

  auto next = locks.acquire("ledger");
  const bool fresh_is_accepted = next && ledger.write(next->fencing());
  const bool stale_is_refused = !ledger.write(slow->fencing());
  std::printf("fresh write %s, stale write %s\n", fresh_is_accepted ? "accepted" : "REFUSED",
              stale_is_refused ? "refused" : "ACCEPTED");
  return fresh_is_accepted && stale_is_refused ? 0 : 1;
}
