// What a child of fork() does with the clients, guards, mutexes and stores of its parent: nothing.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "each_store.hpp"
#include "interlock/client.hpp"
#include "interlock/election.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/mutex.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/system_token_source.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/plain_redis.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::ask;
using test::in_child;
using test::operation;
using ::testing::HasSubstr;

LockOptions unfair() {
  LockOptions options;
  options.fair = false;
  return options;
}

bool says_forked(AcquireResult result) {
  return !result && result.error() != nullptr && result.error()->code() == Errc::forked;
}

bool throws_forked(const std::function<void()>& call) {
  try {
    call();
  } catch (const LockFailure& failure) {
    return failure.error().code() == Errc::forked;
  }
  return false;
}

Task<void> nothing() {
  co_return;
}

class Fork : public test::EachStore {
 protected:
  // Commands that the server has carried out, this question not among them.
  std::int64_t commands() {
    if (!server_) return 0;
    if (!plain_) plain_ = std::make_unique<test::PlainRedis>(*server_);
    const std::string field = "total_commands_processed:";
    const std::string stats = plain_->command({"INFO", "stats"});
    return std::stoll(stats.substr(stats.find(field) + field.size())) - asked_++;
  }
  // Connections of our clients. A child that inherits them keeps them until it ends.
  std::size_t connections() {
    const std::string list = plain_->command({"CLIENT", "LIST"});
    std::size_t count = 0;
    for (std::size_t at = list.find("name=interlock "); at != std::string::npos;
         at = list.find("name=interlock ", at + 1)) {
      ++count;
    }
    return count;
  }

 private:
  std::unique_ptr<test::PlainRedis> plain_;
  std::int64_t asked_ = 0;
};

TEST_P(Fork, AChildThatEndsTheScopeReleasesNothingSendsNothingAndReturnsAtOnce) {
  auto client = std::make_unique<Client>(backend_);
  std::optional<Guard> lock(*client->acquire("deploy"));
  std::optional<Guard> in_line(*client->acquire("fair"));
  const std::string before = holder();
  const std::int64_t sent = commands();
  EXPECT_EQ(in_child([&] {
              const TimePoint began = local_now();
              lock.reset();
              in_line.reset();
              client.reset();
              store_.reset();
              return local_now() - began < seconds(5) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(commands(), sent);
  EXPECT_EQ(holder(), before);
  EXPECT_EQ(lock->state(), LeaseState::held);
  EXPECT_FALSE(Client(backend_).try_acquire("deploy"));
  EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
  EXPECT_EQ(*in_line->release(), ReleaseOutcome::released);
  EXPECT_TRUE(client->try_acquire("deploy"));
}

TEST_P(Fork, AGuardOfTheParentsIsLostInTheChildAndSaysWhy) {
  Client client(backend_);
  Guard lock = *client.acquire("deploy");
  EXPECT_EQ(in_child([&] {
              if (lock.state() != LeaseState::lost || lock.loss() != LossReason::forked) return 1;
              if (lock.remaining() != Duration::zero() || lock.valid_for(Duration(0))) return 2;
              if (!lock.lost_token().stop_requested()) return 7;
              if (lock.certain_until() > local_now()) return 3;
              const auto released = lock.release();
              if (!failed_with(released, Errc::forked)) return 4;
              if (!failed_with(run(lock.release_async()), Errc::forked)) return 5;
              const bool names_it = released.error().detail().starts_with("releasing 'deploy': ");
              return names_it && lock.name().text() == "deploy" ? 0 : 6;
            }),
            0);
  EXPECT_EQ(lock.state(), LeaseState::held);
  EXPECT_EQ(lock.loss(), std::nullopt);
}

TEST_P(Fork, SeveralLocksOfTheParentsAreLostInTheChildAndStayHeld) {
  Client client(backend_);
  std::optional<GuardSet> set(*client.acquire_all({"deploy", "other"}));
  const std::stop_token of_parent = set->lost_token();
  const std::int64_t sent = commands();
  EXPECT_EQ(in_child([&] {
              if (set->state() != LeaseState::lost || set->lost() == nullptr) return 1;
              if (!set->lost_token().stop_requested()) return 2;
              if (!failed_with(set->release(), Errc::forked)) return 3;
              set.reset();
              const AcquireAllResult all = client.acquire_all({"deploy", "third"});
              return all.error() != nullptr && all.error()->code() == Errc::forked ? 0 : 4;
            }),
            0);
  EXPECT_EQ(commands(), sent);
  EXPECT_EQ(set->state(), LeaseState::held);
  EXPECT_FALSE(of_parent.stop_requested());
  EXPECT_EQ(*set->release(), ReleaseOutcome::released);
}

TEST_P(Fork, AnElectionOfTheParentsIsItsOwn) {
  Client client(backend_);
  auto election = std::make_unique<Election>(client, *LockName::parse("deploy"));
  std::optional<Guard> leads(*election->campaign("parent"));
  EXPECT_TRUE(election->next_leader());
  const std::int64_t sent = commands();
  EXPECT_EQ(in_child([&] {
              if (!failed_with(election->leader(), Errc::forked)) return 1;
              if (!failed_with(election->next_leader(), Errc::forked)) return 2;
              if (!failed_with(election->proclaim(*leads, "child"), Errc::forked)) return 3;
              if (!says_forked(election->campaign("child"))) return 4;
              if (!failed_with(election->resign(std::move(*leads)), Errc::forked)) return 5;
              election.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(commands(), sent);
  EXPECT_EQ((*election->leader())->value, "parent");
}

TEST_P(Fork, AGuardThatIsSharedIsTheParentsToo) {
  Client client(backend_);
  std::optional<Guard> first(*client.acquire("deploy"));
  std::optional<Guard> second(first->share());
  EXPECT_EQ(in_child([&] {
              if (!failed_with(first->release(), Errc::forked)) return 1;
              if (!failed_with(second->release(), Errc::forked)) return 2;
              first.reset();
              second.reset();
              return 0;
            }),
            0);
  first.reset();
  EXPECT_FALSE(Client(backend_).try_acquire("deploy"));
  EXPECT_EQ(*second->release(), ReleaseOutcome::released);
}

TEST_P(Fork, AGuardThatHasOutlivedItsClientIsTheParentsToo) {
  auto client = std::make_unique<Client>(backend_);
  Guard lock = *client->acquire("deploy");
  client.reset();
  EXPECT_EQ(in_child([&] {
              if (!failed_with(lock.release(), Errc::forked)) return 1;
              return lock.loss() == LossReason::forked ? 0 : 2;
            }),
            0);
  EXPECT_EQ(lock.loss(), LossReason::client_gone);
}

TEST_P(Fork, EveryCallOfTheParentsClientSaysThatItIsTheParents) {
  Client client(backend_);
  { const AcquireResult warm = client.acquire("warm"); }
  const std::int64_t sent = commands();
  EXPECT_EQ(in_child([&] {
              if (!says_forked(client.try_acquire("a"))) return 1;
              if (!says_forked(client.acquire("a"))) return 2;
              if (!says_forked(client.acquire("a", unfair()))) return 3;
              if (!says_forked(run(client.acquire_async(*LockName::parse("a"))))) return 4;
              const SectionResult section = client.with_lock("a", [](Guard&) {});
              if (section.ran || !section.error || section.error->code() != Errc::forked) return 5;
              if (!throws_forked([&] { client.spawn(nothing()); })) return 6;
              if (!throws_forked([&] { client.wait_for(nothing()); })) return 7;
              client.loop().post([] { _exit(8); });
              return 0;
            }),
            0);
  EXPECT_EQ(commands(), sent);
}

TEST_P(Fork, ASectionThatTheChildComesBackFromIsLostThere) {
  Client client(backend_);
  pid_t child = -1;
  const SectionResult section = client.with_lock("deploy", [&](Guard&) { child = fork(); });
  if (child == 0) {
    _exit(section.ran && section.loss == LossReason::forked && !section ? 0 : 1);
  }
  EXPECT_TRUE(section);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_P(Fork, AMutexOfTheParentsIsLeftAlone) {
  Client client(backend_);
  Mutex mutex(client, *LockName::parse("deploy"));
  const std::lock_guard lock(mutex);
  const std::string before = holder();
  EXPECT_EQ(in_child([&] {
              mutex.unlock();
              if (!throws_forked([&] { mutex.lock(); })) return 1;
              if (!throws_forked([&] { static_cast<void>(mutex.try_lock()); })) return 2;
              if (!throws_forked([&] { static_cast<void>(mutex.try_lock_for(seconds(1))); })) {
                return 3;
              }
              return 0;
            }),
            0);
  EXPECT_EQ(holder(), before);
}

TEST_P(Fork, AStoreThatTheParentOpenedAnswersThatAndNothingElse) {
  ask(*store_, operation(OperationKind::set_if_absent, "deploy")).value();
  const auto subscription = ask(*store_, operation(OperationKind::subscribe, "channel"));
  ASSERT_TRUE(subscription);
  const std::int64_t sent = commands();
  EXPECT_EQ(in_child([&] {
              for (const OperationKind kind :
                   {OperationKind::get, OperationKind::erase, OperationKind::claim,
                    OperationKind::publish, OperationKind::subscribe, OperationKind::await_message,
                    OperationKind::interrupt, OperationKind::unsubscribe}) {
                Operation asked = operation(kind, "deploy");
                asked.subscription = *subscription->number();
                const Reply reply = ask(*store_, std::move(asked));
                if (reply || reply.error().code() != Errc::forked) return 1;
              }
              store_.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(commands(), sent);
  EXPECT_TRUE(ask(*store_, operation(OperationKind::erase, "deploy")));
}

// The part of a client that needs no thread, as other programs use it.
class Direct {
 public:
  explicit Direct(KeyValueStore& store)
      : protocol_(store, time_), client_(store, protocol_, time_, tokens_) {}
  Result<AcquireOutcome> acquire(Duration wait) {
    AcquireOptions options;
    options.wait = wait;
    return run(client_.acquire(*LockName::parse("deploy"), options));
  }
  Result<ReleaseOutcome> release(Lease lease) { return run(client_.release(std::move(lease))); }

 private:
  class Time final : public TimeSource {
   public:
    TimePoint now() override { return local_now(); }
    bool park(PendingSleep& sleep) override {
      std::this_thread::sleep_for(sleep.until() - local_now());
      return false;
    }
    void wake(PendingSleep&) override {}
  };
  Time time_;
  SystemTokenSource tokens_;
  LeaseLock protocol_;
  LockClient client_;
};

TEST_P(Fork, WhoUsesLockClientDirectlyIsToldAtOnceToo) {
  Direct direct(*store_);
  const auto outcome = direct.acquire(Duration::zero());
  ASSERT_TRUE(outcome);
  const Lease lease = std::get<Lease>(*outcome);
  const std::string before = holder();
  EXPECT_EQ(in_child([&] {
              const TimePoint began = local_now();
              if (!failed_with(direct.acquire(seconds(60)), Errc::forked)) return 1;
              if (!failed_with(direct.release(lease), Errc::forked)) return 2;
              return local_now() - began < seconds(5) ? 0 : 3;
            }),
            0);
  EXPECT_EQ(holder(), before);
  EXPECT_EQ(*direct.release(lease), ReleaseOutcome::released);
}

// A child's own client, over the backend of its parent, does all that a client can.
int works_in_a_child(const std::shared_ptr<Backend>& backend, bool sees_parent) {
  Client own(backend);
  if (static_cast<bool>(own.try_acquire("deploy")) == sees_parent) return 1;
  std::optional<AcquireResult> lock(own.acquire("own", LockOptions(Ttl(seconds(3)))));
  if (!*lock) return 2;
  std::thread waiter([&] {
    if (!own.acquire("own")) _exit(3);
  });
  std::this_thread::sleep_for(milliseconds(3500));  // renewed meanwhile
  const LeaseState state = (*lock)->state();
  lock.reset();
  waiter.join();
  if (state != LeaseState::held) return 4;
  return own.acquire("own", unfair()) ? 0 : 5;
}

TEST_P(Fork, AChildMakesAClientOfItsOwnAndBothGoOn) {
  Client client(backend_);
  Guard lock = *client.acquire("deploy");
  EXPECT_EQ(in_child([&] { return works_in_a_child(backend_, !store_is("memory")); }), 0);
  EXPECT_EQ(lock.state(), LeaseState::held);
  EXPECT_EQ(*lock.release(), ReleaseOutcome::released);
  EXPECT_TRUE(client.acquire("own", unfair()));
}

TEST_P(Fork, TheChildOfAChildIsOneToo) {
  Client client(backend_);
  EXPECT_EQ(in_child([&] {
              Client own(backend_);
              Guard lock = *own.acquire("own");
              const int grandchild = in_child([&] {
                if (!says_forked(client.try_acquire("a"))) return 1;
                if (!says_forked(own.try_acquire("a"))) return 2;
                return lock.state() == LeaseState::lost ? 0 : 3;
              });
              if (grandchild != 0) return grandchild;
              return lock.state() == LeaseState::held ? 0 : 4;
            }),
            0);
}

class Renewals final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::renewed) ++count;
  }
  std::atomic<int> count = 0;
};

TEST_P(Fork, WhileThreadsAcquireWaitAndRenewEachChildIsFreeOfThem) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  Renewals renewals;
  ClientOptions client_options;
  client_options.events = &renewals;
  Client client(backend_, client_options);
  // Long enough that a busy machine does not lose the lease.
  const Guard renewed = *client.acquire("renewed", LockOptions(Ttl(seconds(5))));
  std::stop_source stop_waiting;
  std::atomic<bool> stop = false;
  std::atomic<int> sections = 0;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, is_fair = number % 2 == 0] {
      while (!stop) {
        const LockOptions options = is_fair ? LockOptions() : unfair();
        const SectionResult section = client.with_lock(
            "counter", [&](Guard&) { ++counter; }, options);
        EXPECT_TRUE(section) << (section.error ? section.error->detail() : "");
        ++sections;
      }
    });
  }
  threads.emplace_back([&] {
    LockOptions options;
    options.stop = stop_waiting.get_token();
    const AcquireResult never = client.acquire("renewed", options);
    ASSERT_NE(never.error(), nullptr);
    EXPECT_EQ(never.error()->code(), Errc::cancelled);
  });
  for (int child = 0; child < 20 || (renewals.count == 0 && !renewed.loss()); ++child) {
    auto* const parents = &client;
    EXPECT_EQ(in_child([&] {
                // The parent's thread waits for this stop; it does not exist here.
                stop_waiting.request_stop();
                if (!says_forked(parents->try_acquire("counter"))) return 1;
                parents->~Client();
                Client own(backend_);
                return own.acquire("own" + std::to_string(child)) ? 0 : 2;
              }),
              0);
  }
  stop = true;
  stop_waiting.request_stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, sections);
  EXPECT_EQ(renewed.state(), LeaseState::held);
}

TEST_P(Fork, AChildThatOutlivesItsParentsClientKeepsNoConnectionOfIts) {
  if (!server_) GTEST_SKIP() << "of Redis";
  int to_child[2];
  ASSERT_EQ(pipe(to_child), 0);
  static_cast<void>(commands());
  store_.reset();
  pid_t child = 0;
  {
    Client client(backend_);
    const Guard lock = *client.acquire("deploy");
    child = fork();
    if (child == 0) {
      char byte = 0;
      _exit(read(to_child[0], &byte, 1) == 1 ? 0 : 1);
    }
    EXPECT_GT(connections(), 0U);
  }
  EXPECT_TRUE(test::eventually([&] { return connections() == 0; }));
  ASSERT_EQ(write(to_child[1], "x", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Two processes on the sockets of one were answered what the other had asked: grants of locks that
// somebody else held.
TEST_P(Fork, ParentAndChildNeverReadEachOthersAnswers) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  Client client(backend_);
  { const AcquireResult warm = client.try_acquire("warm"); }
  const auto all_grants_are_true = [this](Client& mine, const std::string& name) {
    std::uint64_t last = 0;
    for (int i = 0; i < 200; ++i) {
      AcquireResult lock = mine.try_acquire(name);
      if (!lock || lock->fencing().value() < 1'000'000 || lock->fencing().value() <= last) {
        return store_is("memory") && lock && lock->fencing().value() > last;
      }
      last = lock->fencing().value();
    }
    return true;
  };
  std::atomic<bool> parent_is_right = true;
  std::atomic<bool> stop = false;
  std::thread parent([&] {
    while (!stop) parent_is_right = parent_is_right && all_grants_are_true(client, "parent");
  });
  EXPECT_EQ(in_child([&] {
              for (int i = 0; i < 500; ++i) {
                if (!says_forked(client.try_acquire("child"))) return 1;
              }
              Client own(backend_);
              return all_grants_are_true(own, "child") ? 0 : 2;
            }),
            0);
  stop = true;
  parent.join();
  EXPECT_TRUE(parent_is_right);
}

Task<int> fork_on_the_loop(Client* client, bool come_back) {
  const LockName name = *LockName::parse("deploy");
  AcquireResult lock = co_await client->acquire_async(name);
  EXPECT_TRUE(lock);
  const pid_t child = fork();
  if (child == 0) {
    const auto released = co_await lock->release_async();
    if (!failed_with(released, Errc::forked)) _exit(1);
    if (come_back) co_return 0;
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  co_return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_P(Fork, AChildOfTheLoopItselfEndsByExitAndIsToldIfItComesBack) {
  Client client(backend_);
  EXPECT_EQ(client.wait_for(fork_on_the_loop(&client, false)), 7);
  EXPECT_EQ(client.wait_for(fork_on_the_loop(&client, true)), 128 + SIGABRT);
  EXPECT_TRUE(client.acquire("deploy"));
}

INTERLOCK_FOR_EACH_STORE(Fork);

}  // namespace
}  // namespace interlock
