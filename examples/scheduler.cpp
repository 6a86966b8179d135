// A scheduler with a hot standby: two processes campaign, one leads, and everybody can see who.
// Here the processes are threads with a client each.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "interlock/election.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace {

std::atomic<int> leading{0};

void schedule(const std::shared_ptr<interlock::Backend>& store, const std::string& address) {
  interlock::Client locks(store);
  interlock::Election election(locks, *interlock::LockName::parse("scheduler"));
  interlock::AcquireResult leads = election.campaign(address);  // waits until it leads
  if (!leads) return;
  if (++leading != 1) std::printf("two leaders\n");
  // The work, for as long as leads->lost_token() has not stopped. What it changes gets the epoch,
  // leads->fencing(), and refuses smaller ones.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  --leading;
  static_cast<void>(election.resign(*std::move(leads)));
}

}  // namespace

int main() {
  const std::shared_ptr<interlock::Backend> store = interlock::memory::backend();
  interlock::Client locks(store);
  interlock::Election observing(locks, *interlock::LockName::parse("scheduler"));
  std::jthread one(schedule, store, "host7:9000");
  std::jthread standby(schedule, store, "host8:9000");
  int leaders = 0;
  while (leaders < 2) {
    const auto leader = observing.next_leader();  // waits until it is another one, or none
    if (!leader) return 1;
    std::printf("%s\n", *leader ? (*leader)->value.c_str() : "(nobody)");
    if (*leader) ++leaders;
  }
  return 0;
}
