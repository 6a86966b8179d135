// A reboot, as the file sees it: another boot id. The clocks of the machine cannot be set back
// here, but what the file knows about time can be set ahead, which is the same to it.
#include <fcntl.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "interlock/store/lock_keys.hpp"
#include "lock_file.hpp"
#include "machine.hpp"

namespace interlock::testing_support {
namespace {

using testing::_;
using testing::Eq;
using testing::Gt;
using testing::IsEmpty;
using testing::Optional;
using testing::VariantWith;

const Key lock("lock");
const OwnerToken mine("il1:mine");
const OwnerToken theirs("il1:theirs");
const Ttl ttl(std::chrono::hours{1});

std::uint64_t granted(KeyValueStore& store, const OwnerToken& owner) {
  const auto reply = now(store.claim(lock, owner, ttl));
  EXPECT_THAT(reply, Holds(VariantWith<Claimed>(_)));
  return reply && std::holds_alternative<Claimed>(*reply)
             ? std::get<Claimed>(*reply).fencing.value()
             : 0;
}

// The flags of each open descriptor of this file, as /proc tells them (fdinfo).
std::vector<unsigned long> flags_of_open(const std::string& path) {
  std::vector<unsigned long> found;
  std::error_code error;
  const std::filesystem::path process = "/proc/self";
  for (int number = 0; number < 64; ++number) {
    const std::string name = std::to_string(number);
    if (read_symlink(process / "fd" / name, error) != path) continue;
    std::ifstream info(process / "fdinfo" / name);
    std::string word;
    std::string flags;
    while (info >> word && word != "flags:") {
    }
    // Another file may have that number by now.
    if (info >> flags && read_symlink(process / "fd" / name, error) == path) {
      found.push_back(std::stoul(flags, nullptr, 8));
    }
  }
  return found;
}

TEST(SqliteMachine, AProgramThatIsExecutedMeanwhileGetsNoDescriptorOfTheBootId) {
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) EXPECT_TRUE(sqlite::boot_id());
  });
  for (int seen = 0; seen < 20;) {
    for (const unsigned long flags : flags_of_open("/proc/sys/kernel/random/boot_id")) {
      EXPECT_NE(flags & O_CLOEXEC, 0U);
      ++seen;
    }
  }
  stop = true;
  reader.join();
}

TEST(SqliteReboot, EndsLeasesAndKeepsWhatDoesNotExpire) {
  const LockFile file;
  std::uint64_t before = 0;
  {
    const auto store = file.backend()->open();
    before = granted(*store, mine);
    ASSERT_TRUE(now(store->set(Key("expires"), "v", milliseconds(3600'000))));
    ASSERT_TRUE(now(store->set(Key("stays"), "v")));
  }
  Sql(file.path())("UPDATE meta SET boot = x'00'");

  const auto backend = file.backend();
  const auto store = backend->open();
  EXPECT_THAT(backend->held_locks(), Holds(IsEmpty()));
  EXPECT_THAT(now(store->get(Key("expires"))), Holds(std::nullopt));
  EXPECT_THAT(now(store->get(Key("stays"))), Holds(Optional(Eq("v"))));
  EXPECT_THAT(now(store->get(fencing_key(lock))), Holds(Optional(Eq(std::to_string(before)))));
  EXPECT_GT(granted(*store, theirs), before);
}

// As `interlock run --every` leaves it: the note is that of the owner for whom the lock is kept.
TEST(SqliteReboot, KeepsALockForTheRestOfThePeriodInWhichItsCommandHasRun) {
  const LockFile file;
  const Key running("{running}");
  const milliseconds period(3600'000);
  {
    const auto store = file.backend()->open();
    granted(*store, mine);
    ASSERT_TRUE(now(store->set(last_run_key(lock), "1793674800000 12 0 il1:mine", period)));
    ASSERT_TRUE(now(store->set(running, "il1:mine", period)));
    ASSERT_TRUE(now(store->set(last_run_key(running), "1793674800000 12 0 il1:theirs", period)));
  }
  Sql(file.path())("UPDATE meta SET boot = x'00'");

  const auto store = file.backend()->open();
  EXPECT_THAT(now(store->get(lock)), Holds(Optional(Eq("il1:mine"))));
  EXPECT_THAT(now(store->claim(lock, theirs, ttl)), Holds(VariantWith<Busy>(_)));
  EXPECT_THAT(now(store->get(running)), Holds(std::nullopt));
  EXPECT_THAT(now(store->get(last_run_key(running))),
              Holds(Optional(Eq("1793674800000 12 0 il1:theirs"))));
}

TEST(SqliteReboot, HappensOnce) {
  const LockFile file;
  file.backend();
  Sql(file.path())("UPDATE meta SET boot = x'00'");
  ASSERT_TRUE(granted(*file.backend()->open(), mine));
  EXPECT_THAT(now(file.backend()->open()->claim(lock, theirs, ttl)), Holds(VariantWith<Busy>(_)));
}

TEST(SqliteReboot, FencingTokensGrowEvenIfTheWallClockIsBehindAndTheCounterIsLost) {
  constexpr std::uint64_t year_2100 = 4'102'444'800'000'000;
  const LockFile file;
  file.backend();
  Sql(file.path())("UPDATE meta SET boot = x'00', latest = " + std::to_string(year_2100));
  const auto store = file.backend()->open();
  EXPECT_GT(granted(*store, mine), year_2100);
}

TEST(SqliteReboot, PurgingACounterIsRememberedForTheNextBoot) {
  const LockFile file;
  std::uint64_t before = 0;
  {
    const auto store = file.backend()->open();
    ASSERT_TRUE(granted(*store, mine));
  }
  // Ten years on, a grant; two more days on, its counter is purged.
  constexpr const char* ten_years = "UPDATE meta SET epoch = epoch + 3650 * 86400 * 1000000";
  Sql(file.path())(ten_years);
  before = granted(*file.backend()->open(), theirs);
  Sql(file.path())("UPDATE meta SET epoch = epoch + 2 * 86400 * 1000000");
  ASSERT_TRUE(now(file.backend()->open()->increment(Key("other"))));
  ASSERT_EQ(Sql(file.path())("SELECT count(*) FROM keys"), "1");
  // A reboot, and the wall clock is ten years behind.
  Sql(file.path())("UPDATE meta SET boot = x'00'");
  EXPECT_GT(granted(*file.backend()->open(), mine), before);
}

TEST(SqliteReboot, ProcessesThatOpenTheFileAtTheSameTimeAgree) {
  // A new file, then one from before a reboot in which everything was held: one of them gets it.
  for (const bool rebooted : {false, true}) {
    for (int round = 0; round < 5; ++round) {
      const LockFile file;
      if (rebooted) {
        ASSERT_TRUE(granted(*file.backend()->open(), mine));
        Sql(file.path())("UPDATE meta SET boot = x'00'");
      }
      int starting_gun[2];
      ASSERT_EQ(pipe(starting_gun), 0);
      std::vector<pid_t> processes;
      for (int i = 0; i < 6; ++i) {
        processes.push_back(start_process([&] {
          close(starting_gun[1]);
          char byte = 0;
          if (read(starting_gun[0], &byte, 1) < 0) return 3;
          const auto backend = sqlite::backend(file.path());
          if (!backend) {
            fprintf(stderr, "%s\n", backend.error().detail().c_str());
            return 2;
          }
          const OwnerToken owner("il1:" + std::to_string(getpid()));
          const auto reply = now((*backend)->open()->claim(lock, owner, ttl));
          if (!reply) {
            fprintf(stderr, "%s\n", reply.error().detail().c_str());
            return 2;
          }
          return std::holds_alternative<Claimed>(*reply) ? 1 : 0;
        }));
      }
      close(starting_gun[1]);
      close(starting_gun[0]);
      int winners = 0;
      for (const pid_t process : processes) {
        const int code = end_of(process);
        EXPECT_LE(code, 1);
        winners += code == 1 ? 1 : 0;
      }
      EXPECT_EQ(winners, 1);
    }
  }
}

}  // namespace
}  // namespace interlock::testing_support
