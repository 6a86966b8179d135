#include "contenders.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../raw_locks.hpp"
#include "clock.hpp"
#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "server.hpp"

namespace interlock::contention {

namespace {

class ContendedLock {
 public:
  virtual ~ContendedLock() = default;
  virtual bool acquire(const char* name) = 0;
  virtual bool release() = 0;
};

class LibraryLock final : public ContendedLock {
 public:
  LibraryLock(Client& client, bool fair) : client_(client) { options_.fair = fair; }
  bool acquire(const char* name) override {
    guard_.emplace(client_.acquire(name, options_));
    return static_cast<bool>(*guard_);
  }
  bool release() override {
    const bool released = (**guard_).release().has_value();
    guard_.reset();
    return released;
  }

 private:
  Client& client_;
  LockOptions options_;
  std::optional<AcquireResult> guard_;
};

class PollingPlainLock final : public ContendedLock {
 public:
  PollingPlainLock(const std::string& host, int port, int client, Nanoseconds pause)
      : redis_(redisConnect(host.c_str(), port)),
        owner_("owner-" + std::to_string(client)),
        pause_(pause) {}

  bool acquire(const char* name) override {
    name_ = name;
    while (!lock_.try_acquire(name_, owner_)) {
      if (pause_ > 0) sleep_ns(pause_);
    }
    return true;
  }
  bool release() override {
    lock_.release(name_, owner_);
    return true;
  }

 private:
  benchmark::RawRedis redis_;
  benchmark::PollingPlainLock lock_{redis_};
  const char* name_ = "";
  std::string owner_;
  Nanoseconds pause_;
};

bool warm_up(ContendedLock& lock, const ContentionSettings& settings) {
  for (int section = 0; section < 2; ++section) {
    if (!lock.acquire("warm-up")) return false;
    sleep_ns(settings.length());
    if (!lock.release()) return false;
  }
  return true;
}

void work(ContendedLock& lock,
          int client,
          const ContentionSettings& settings,
          SectionBoard& board) {
  sleep_exactly();
  SharedSections& shared = board.shared();
  if (!warm_up(lock, settings)) ++shared.failures;
  ++shared.ready;
  while (!shared.go) sleep_ns(1'000'000);
  for (;;) {
    const Nanoseconds asked = now_ns();
    if (!lock.acquire("contended")) {
      ++shared.failures;
      return;
    }
    const Nanoseconds entered = now_ns();
    if (shared.inside.fetch_add(1) != 0) ++shared.overlaps;
    const int number = shared.begun++;
    if (number < settings.sections) {
      if (settings.length() > 0) sleep_ns(settings.length());
      board.section(number) = SectionTimes{client, asked, entered, now_ns()};
    }
    --shared.inside;
    if (!lock.release()) ++shared.failures;
    if (number >= settings.sections) return;
  }
}

}  // namespace

void run_process(int first, int clients, const ContentionSettings& settings, SectionBoard& board) {
  const bool plain = settings.lock.starts_with("plain-");
  std::optional<Client> client;
  ClientOptions options;
  options.hand_over.sections = settings.hand_over;
  if (!plain) client.emplace(*redis::backend(settings.store), options);
  const ServerAddress address = address_of(settings.store);
  std::vector<std::thread> threads;
  for (int number = first; number < first + clients; ++number) {
    threads.emplace_back([&, number] {
      try {
        std::unique_ptr<ContendedLock> lock;
        if (plain) {
          const Nanoseconds pause = settings.lock == "plain-poll" ? 10'000'000 : 0;
          lock = std::make_unique<PollingPlainLock>(address.host, address.port, number, pause);
        } else {
          lock = std::make_unique<LibraryLock>(*client, settings.lock == "queue-lock");
        }
        work(*lock, number, settings, board);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "contention: %s\n", error.what());
        ++board.shared().failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace interlock::contention
