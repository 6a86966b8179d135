// Whatever kind of lock is held on a name, no other client is granted a lock of any kind on it,
// except readers beside readers and permits beside permits.
#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <string>

#include "each_store.hpp"
#include "interlock/election.hpp"
#include "interlock/mutex.hpp"

namespace interlock {
namespace {

// How a client tries to get the lock `deploy` once. The result: what it holds; null: it was busy.
class Kind {
 public:
  std::string name;
  std::function<std::shared_ptr<void>(Client& client)> try_it;
};

LockOptions once(bool fair = true, Duration at_least = Duration::zero()) {
  LockOptions options;
  options.wait = Duration::zero();
  options.fair = fair;
  options.at_least = at_least;
  return options;
}

std::shared_ptr<void> kept(AcquireResult result) {
  EXPECT_EQ(result.error(), nullptr) << result.why_not();
  if (!result) return nullptr;
  return std::make_shared<Guard>(*std::move(result));
}

std::array<Kind, 9> kinds() {
  return {{
      {"fair", [](Client& client) { return kept(client.acquire("deploy", once())); }},
      {"plain", [](Client& client) { return kept(client.acquire("deploy", once(false))); }},
      {"once per period",
       [](Client& client) {
         auto guard = kept(client.acquire("deploy", once(true, std::chrono::hours{1})));
         if (guard) std::static_pointer_cast<Guard>(guard)->waive_at_least();
         return guard;
       }},
      {"several",
       [](Client& client) -> std::shared_ptr<void> {
         AcquireAllResult all = client.acquire_all({"deploy", "another"}, once());
         EXPECT_EQ(all.error(), nullptr) << all.why_not();
         if (!all) return nullptr;
         return std::make_shared<GuardSet>(*std::move(all));
       }},
      {"election",
       [](Client& client) {
         return kept(Election(client, *LockName::parse("deploy"), once()).campaign("x"));
       }},
      {"mutex",
       [](Client& client) -> std::shared_ptr<void> {
         const auto mutex = std::make_shared<Mutex>(client, *LockName::parse("deploy"));
         if (!mutex->try_lock()) return nullptr;
         return {mutex.get(), [mutex](void*) { mutex->unlock(); }};
       }},
      {"shared", [](Client& client) { return kept(client.acquire_shared("deploy", once())); }},
      {"permits of 4",
       [](Client& client) {
         return kept(client.acquire_permits("deploy", Permits(2, 4), once()));
       }},
      {"all permits",
       [](Client& client) {
         return kept(client.acquire_permits("deploy", Permits(4, 4), once()));
       }},
  }};
}

class Kinds : public test::EachStore {};

TEST_P(Kinds, EachExcludesEachOnOneName) {
  Client client(backend_);
  Client other(backend_);
  for (const Kind& held : kinds()) {
    for (const Kind& wanted : kinds()) {
      const std::shared_ptr<void> first = held.try_it(client);
      ASSERT_NE(first, nullptr) << held.name;
      const bool together =
          held.name == wanted.name && (held.name == "shared" || held.name == "permits of 4");
      EXPECT_EQ(wanted.try_it(other) != nullptr, together)
          << wanted.name << " although held: " << held.name;
    }
  }
}

INTERLOCK_FOR_EACH_STORE(Kinds);

}  // namespace
}  // namespace interlock
