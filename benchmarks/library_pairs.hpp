// Pairs of an acquire and a release by the library: one after the other, and many in flight on the
// client's loop. A pair that fails ends the benchmark.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "interlock/client.hpp"

namespace interlock::benchmark {

[[noreturn]] inline void pair_failed(const std::string& why) {
  std::fprintf(stderr, "a pair failed: %s\n", why.c_str());
  std::exit(70);
}

// Dropped guards do not wait for the answer to their release.
inline void dropped_pairs(Client& client, int pairs) {
  const auto name = *LockName::parse("our-lock");
  for (int i = 0; i < pairs; ++i) {
    const auto lock = client.acquire(name);
    if (!lock) pair_failed(lock.why_not());
  }
}

inline void blocking_pairs(Client& client, int pairs, bool fair = true) {
  const auto name = *LockName::parse("our-lock");
  LockOptions options;
  options.fair = fair;
  for (int i = 0; i < pairs; ++i) {
    auto lock = client.acquire(name, options);
    if (!lock) pair_failed(lock.why_not());
    const auto released = lock->release();
    if (!released) pair_failed(released.error().detail());
  }
}

class InFlight {
 public:
  explicit InFlight(Client& client, bool fair = true) : client_(&client) { options_.fair = fair; }

  // Each of so many coroutines acquires a lock of its own and releases it, so many times.
  void run(int locks, int pairs) { client_->wait_for(all(this, locks, pairs)); }

  // From the loop's thread.
  int running() const { return running_; }
  int asked() const { return asked_; }  // claims that were sent

  static Task<void> all(InFlight* self, int locks, int pairs) {
    self->running_ = locks;
    self->asked_ = 0;
    for (int number = 0; number < locks; ++number) {
      self->client_->spawn(one(self, number, pairs));
    }
    auto end = self->client_->loop().sleep_until(TimePoint::max());
    self->waits_ = &end;
    if (self->running_ > 0) co_await end;
    self->waits_ = nullptr;
  }

 private:
  static Task<void> one(InFlight* self, int number, int pairs) {
    const auto name = *LockName::parse("our-lock-" + std::to_string(number));
    for (int i = 0; i < pairs; ++i) {
      ++self->asked_;
      AcquireResult lock = co_await self->client_->acquire_async(name, self->options_);
      if (!lock) pair_failed(lock.why_not());
      const auto released = co_await lock->release_async();
      if (!released) pair_failed(released.error().detail());
    }
    // No polling for the end: the loop has nothing else to do than pairs.
    if (--self->running_ == 0 && self->waits_ != nullptr) {
      self->client_->loop().wake(*self->waits_);
    }
  }

  Client* client_;
  LockOptions options_;
  int running_ = 0;
  int asked_ = 0;
  PendingSleep* waits_ = nullptr;  // for the last of them
};

}  // namespace interlock::benchmark
