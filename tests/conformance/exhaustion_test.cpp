// Descriptors and threads that run out: an error each time, no signal left blocked, nothing leaked.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <set>
#include <thread>
#include <vector>

#include "each_store.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "support/child.hpp"

namespace {

std::atomic<int> threads_left = INT_MAX;
std::atomic<bool> is_random = true;

}  // namespace

extern "C" ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  static const auto real = reinterpret_cast<decltype(&getrandom)>(dlsym(RTLD_NEXT, "getrandom"));
  if (is_random) return real(buffer, size, flags);
  errno = ENOSYS;
  return -1;
}

// Instead of the system's, for this program: it grants so many threads and no more.
extern "C" int pthread_create(pthread_t* thread,
                              const pthread_attr_t* attributes,
                              void* (*body)(void*),
                              void* argument) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return real(thread, attributes, body, argument);
}

namespace interlock {
namespace {

using std::chrono::seconds;
using test::in_child;
using test::limit_descriptors;
using ::testing::HasSubstr;

constexpr unsigned plenty = 256;

std::set<int> open_descriptors() {
  std::set<int> numbers;
  for (int number = 0; number < static_cast<int>(plenty); ++number) {
    if (fcntl(number, F_GETFD) >= 0) numbers.insert(number);
  }
  return numbers;
}

bool is_any_signal_blocked() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigisemptyset(&blocked) == 0;
}

LockOptions brief(bool fair) {
  LockOptions options(Ttl(milliseconds(2000)));
  options.fair = fair;
  options.wait = milliseconds(30);
  return options;
}

// An error of the kind that says "not done, try again", with the advice that helps.
bool is_told(const Error& error) {
  const bool advises = error.detail().find("(ulimit -") != std::string::npos;
  if (error.code() == Errc::unavailable && advises) return true;
  std::fprintf(stderr, "%s: %s\n", std::string(to_string(error.code())).c_str(),
               error.detail().c_str());
  return false;
}

// All that a client does. 0: granted or told.
int use(Client& client) {
  AcquireResult lock = client.try_acquire("deploy", brief(false));
  if (!lock && !(lock.error() != nullptr && is_told(*lock.error()))) return 1;
  for (const bool fair : {false, true}) {
    const AcquireResult second = client.acquire("deploy", brief(fair));
    if (second.error() != nullptr && !is_told(*second.error())) return 2;
    const AcquireResult other = client.acquire("other", brief(fair));
    if (other.error() != nullptr && !is_told(*other.error())) return 3;
  }
  if (lock) {
    const auto released = lock->release();
    if (!released && !is_told(released.error())) return 4;
  }
  return 0;
}

class Exhaustion : public test::EachStore {
 protected:
  int make_and_use_a_client() {
    const auto client = Client::open(backend_);
    if (!client) return is_told(client.error()) ? 0 : 5;
    return use(**client);
  }

  // 0: granted or told, and all is as before.
  int nothing_is_left_of(const std::function<int()>& body) {
    const std::set<int> before = open_descriptors();
    const int code = body();
    if (code != 0) return code;
    if (is_any_signal_blocked()) return 6;
    limit_descriptors(plenty);
    // They have some of their own for as long as they live.
    store_.reset();
    backend_.reset();
    return open_descriptors() == before ? 0 : 7;
  }
};

TEST_P(Exhaustion, WithAnyNumberOfDescriptorsAClientWorksOrSaysWhatItLacks) {
  for (unsigned count = 3; count < 40; ++count) {
    EXPECT_EQ(in_child([&] {
                return nothing_is_left_of([&] {
                  limit_descriptors(count);
                  return make_and_use_a_client();
                });
              }),
              0)
        << "with " << count << " descriptors";
  }
}

TEST_P(Exhaustion, WithoutADescriptorNoClientIsMadeAndTheAdviceIsInTheError) {
  EXPECT_EQ(in_child([&] {
              limit_descriptors(3);
              const auto client = Client::open(backend_);
              if (client) return 1;
              const bool advises = client.error().detail().find("ulimit -n") != std::string::npos;
              if (!advises || client.error().code() != Errc::unavailable) return 2;
              try {
                Client made(backend_);
              } catch (const LockFailure& failure) {
                return failure.error() == client.error() ? 0 : 3;
              }
              return 4;
            }),
            0);
}

TEST_P(Exhaustion, WithAnyNumberOfThreadsAClientWorksOrSaysWhatItLacks) {
  for (int count = 0; count < 6; ++count) {
    EXPECT_EQ(in_child([&] {
                return nothing_is_left_of([&] {
                  threads_left = count;
                  return make_and_use_a_client();
                });
              }),
              0)
        << "with " << count << " threads";
  }
}

TEST_P(Exhaustion, WhenTheSystemGivesNoThreadTheErrorSaysSo) {
  EXPECT_EQ(in_child([&] {
              test::forbid_threads();
              const auto client = Client::open(backend_);
              if (client) return 1;
              return client.error().detail().find("ulimit -u") != std::string::npos ? 0 : 2;
            }),
            0);
}

TEST_P(Exhaustion, WithoutRandomNumbersNoClientIsMade) {
  is_random = false;
  const auto client = Client::open(backend_);
  is_random = true;
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), Errc::unavailable);
  EXPECT_THAT(client.error().detail(), HasSubstr("random numbers"));
}

TEST_P(Exhaustion, AnOperationThatLacksADescriptorSaysSoAndNothingElse) {
  if (store_is("memory")) GTEST_SKIP() << "it needs none";
  EXPECT_EQ(in_child([&] {
              limit_descriptors(plenty);
              Client client(backend_);
              std::vector<int> taken;
              for (int each = dup(0); each >= 0; each = dup(0)) taken.push_back(each);
              const AcquireResult result = client.try_acquire("deploy");
              const std::string said = result.why_not();
              if (said.find("ulimit -n") != std::string::npos) return 0;
              std::fprintf(stderr, "%s\n", said.c_str());
              return 1;
            }),
            0);
}

TEST_P(Exhaustion, AWaitForABusyLockNeedsNoDescriptorOfItsOwn) {
  for (const bool fair : {false, true}) {
    EXPECT_EQ(in_child([&] {
                limit_descriptors(plenty);
                Client client(backend_);
                LockOptions options(Ttl(seconds(1)));
                options.fair = fair;
                AcquireResult first = client.acquire("deploy", options);
                if (!first) return 1;
                std::vector<int> taken;
                for (int each = dup(0); each >= 0; each = dup(0)) taken.push_back(each);
                std::thread holder([&] {
                  std::this_thread::sleep_for(milliseconds(1500));
                  first = AcquireResult(Error(Errc::cancelled, "released"));
                });
                options.wait = seconds(30);
                const AcquireResult second = client.acquire("deploy", options);
                holder.join();
                for (const int each : taken) close(each);
                if (second) return 0;
                std::fprintf(stderr, "%s\n", second.why_not().c_str());
                return 2;
              }),
              0)
        << (fair ? "fair" : "not fair");
  }
}

TEST_P(Exhaustion, AThreadThatLacksToResolveANameIsAnErrorToo) {
  if (!server_) GTEST_SKIP() << "of Redis";
  EXPECT_EQ(in_child([&] {
              const std::string url = "redis://localhost:" + std::to_string(server_->port()) + "/0";
              Client client(*redis::backend(url));
              threads_left = 0;
              const AcquireResult result = client.try_acquire("deploy");
              if (result.error() == nullptr || !is_told(*result.error())) return 1;
              if (is_any_signal_blocked()) return 2;
              threads_left = INT_MAX;
              std::this_thread::sleep_for(milliseconds(100));  // of its back-off
              return client.try_acquire("deploy") ? 0 : 3;
            }),
            0);
}

// A young lease lives on a connection of its caller's; the loop makes one for the first renewal.
TEST_P(Exhaustion, ALeaseIsRenewedThoughNoDescriptorIsLeftForTheLoopsConnection) {
  EXPECT_EQ(in_child([&] {
              limit_descriptors(plenty);
              Client client(backend_);
              AcquireResult lock = client.acquire("deploy", LockOptions(Ttl(seconds(3))));
              if (!lock) return 1;
              std::vector<int> taken;
              for (int each = dup(0); each >= 0; each = dup(0)) taken.push_back(each);
              std::this_thread::sleep_for(seconds(4));
              const bool is_held = lock->state() != LeaseState::lost;
              for (const int each : taken) close(each);
              return is_held ? 0 : 2;
            }),
            0);
}

TEST_P(Exhaustion, WhatLackedComesBackAndWithItTheClient) {
  EXPECT_EQ(in_child([&] {
              limit_descriptors(plenty);
              Client client(backend_);
              std::vector<int> taken;
              for (int each = dup(0); each >= 0; each = dup(0)) taken.push_back(each);
              const int without = use(client);
              for (const int each : taken) close(each);
              if (without != 0) return without;
              const TimePoint limit = local_now() + seconds(10);
              while (!client.try_acquire("deploy") && local_now() < limit) {
                std::this_thread::sleep_for(milliseconds(20));
              }
              return client.try_acquire("deploy") ? 0 : 8;
            }),
            0);
}

INTERLOCK_FOR_EACH_STORE(Exhaustion);

}  // namespace
}  // namespace interlock
