// A search that is interrupted and goes on later comes to the verdict of one that was not: the same
// run, figures and coverage. A checkpoint of anything else is refused.
#include "interlock/sim/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "independent/as_scenario.hpp"
#include "independent/random_trial.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/thread_team.hpp"
#include "search/checkpoint_file.hpp"
#include "with_threads.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

// `many` in the slow test.
std::uint64_t trials(std::uint64_t few, std::uint64_t many) {
  return std::getenv("INTERLOCK_SLOW") != nullptr ? many : few;
}

// A folder of its own, which is gone afterwards.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    std::string name = ::testing::TempDir() + "checkpoint_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    file_ = folder_ + "/search";
  }
  ~CheckpointTest() override {
    std::remove(file_.c_str());
    ::rmdir(folder_.c_str());
  }

  Checkpoints checkpoints(bool resumes) const {
    Checkpoints all;
    all.file = file_;
    if (resumes) all.resumed = file_;
    all.identity = "these tests";
    return all;
  }
  bool is_there() const {
    struct stat info {};
    return ::stat(file_.c_str(), &info) == 0;
  }
  void remove() const { std::remove(file_.c_str()); }
  std::string content() const {
    std::ifstream file(file_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string& content) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << content;
  }

  // Searches up to each of these numbers of states, one after the other, and then to the end.
  std::string in_parts(const Scenario& scenario,
                       Limits limits,
                       const std::vector<std::uint64_t>& states) const {
    remove();
    const Limits all = limits;
    for (const std::uint64_t most : states) {
      limits.states = most;
      const Result<Verdict> part = explore_resumable(scenario, limits, checkpoints(is_there()));
      if (!part) return part.error().detail();
    }
    return said_by(explore_resumable(scenario, all, checkpoints(is_there())));
  }

  static std::string said_by(const Result<Verdict>& verdict) {
    return verdict ? said_by(*verdict) : verdict.error().detail();
  }
  static std::string said_by(const Verdict& verdict) {
    std::string text = testing::all_of(verdict);
    for (const std::string& one : verdict.trusts) text += one + "\n";
    for (const Goal& goal : verdict.goals) text += goal.name + (goal.reached ? " +\n" : " -\n");
    for (const CoveredOperation& operation : verdict.coverage.operations) {
      text += operation.what + told_of(operation.outcomes);
    }
    return text + told_of(verdict.coverage.sections) + told_of(verdict.coverage.faults);
  }
  static std::string told_of(const std::vector<CoveredOutcome>& outcomes) {
    std::string text;
    for (const CoveredOutcome& one : outcomes) text += " " + one.name + (one.seen ? "+" : "-");
    return text + "\n";
  }

  // Interrupts the search at about so many numbers of states, evenly spread.
  void expect_the_same_in_parts(const Scenario& scenario,
                                std::uint64_t places,
                                const Limits& limits = {}) const {
    const Verdict whole = explore(scenario, limits);
    const std::string expected = said_by(whole);
    const std::uint64_t step = whole.states / places + 1;
    std::vector<std::uint64_t> all;
    for (std::uint64_t at = 1; at <= whole.states; at += step) {
      ASSERT_EQ(in_parts(scenario, limits, {at}), expected) << scenario.name() << " at " << at;
      all.push_back(at);
    }
    EXPECT_EQ(in_parts(scenario, limits, all), expected) << scenario.name();
  }

  std::string folder_;
  std::string file_;
};

Scenario stamps(std::size_t clients = 2, std::int64_t attempts = 2, std::size_t instants = 2) {
  return catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, clients, attempts, instants);
}

Scenario leases_with_faults() {
  catalogue::LeaseClientOptions options;
  options.renews = true;
  Scenario leases = catalogue::lease_lock_scenario(2, options, 4);
  return leases.faults(
      FaultBudget().allow(Fault::crash).allow(Fault::restart).allow(Fault::lost_message));
}

TEST_F(CheckpointTest, GoesOnFromEachNumberOfStates) {
  expect_the_same_in_parts(stamps(2, 1, 2), 1'000'000);
  expect_the_same_in_parts(catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 2, 1, 1),
                           1'000'000);
}

TEST_F(CheckpointTest, GoesOnInEachScenarioOfTheCatalogue) {
  const std::uint64_t most = trials(3'000, 60'000);
  int searched = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario) << scenario.error().detail();
    Limits limits;
    limits.states = most;
    if (entry.slow || explore(*scenario, limits).states >= most) continue;
    expect_the_same_in_parts(*scenario, 2);
    ++searched;
  }
  EXPECT_GT(searched, 40);
}

Task<void> polls(Client& me) {
  const Key key("lock");
  const OwnerToken token = me.tokens().fresh();
  me.wants("lock");
  for (;;) {
    co_await me.loop_head(0);
    const Result<bool> taken =
        co_await me.store().set_if_absent(key, token.text(), std::chrono::seconds{3});
    if (taken && *taken) break;
    co_await me.loop_head(1);
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
  me.enter("lock");
  co_await me.leave("lock");
  co_await me.loop_head(2);
  static_cast<void>(co_await me.store().erase(key));
}

// The longest time is guessed, and each guess begins the search anew. Cycles are looked for at the
// end.
TEST_F(CheckpointTest, GoesOnWhereTimeHasNoEnd) {
  Scenario polling("polling");
  polling.clients(3, polls).time_without_end().require(every_waiter_acquires("lock"));
  Limits limits;
  limits.states = 200'000;
  const Verdict whole = explore(polling, limits);
  EXPECT_EQ(whole.outcome, Outcome::proved) << describe(whole);
  EXPECT_THAT(whole.bounds, HasSubstr("nothing longer than 3000 ms"));
  expect_the_same_in_parts(polling, 20, limits);
}

std::ptrdiff_t done_in(const Snapshot& world) {
  return std::count_if(world.clients.begin(), world.clients.end(), [](const ClientView& client) {
    return client.status == ClientView::Status::done;
  });
}

// Predicates are asked about states and steps in an order of their own.
TEST_F(CheckpointTest, GoesOnWithPredicatesOfTheUsersOwn) {
  const auto writes_the_lock = [](const StepView& step) {
    return step.before.keys.size() != step.after.keys.size();
  };
  // Only in the first step of a run.
  const auto begins = [](const StepView& step) {
    return step.client && std::ranges::all_of(step.before.clients, [](const ClientView& client) {
             return client.status == ClientView::Status::not_started;
           });
  };
  const auto moves = [](const StepView& step) { return step.client.has_value(); };
  for (const std::ptrdiff_t most : {2, 3}) {
    Scenario scenario = stamps(3, 1, 2);
    scenario.require(each_step("a client writes the lock", writes_the_lock, moves));
    scenario.require(each_step("a client begins before time passes", begins, moves));
    scenario.require(
        always("not all end", [most](const Snapshot& world) { return done_in(world) <= most; }));
    scenario.require(each_step(
        "A ends last", [](const StepView& step) { return done_in(step.after) == 3; },
        [most](const StepView& step) { return most == 2 || done_in(step.before) == 2; }));
    expect_the_same_in_parts(scenario, 6);
  }
}

// What happens by chance in them: faults, several servers, messages, properties that are broken.
TEST_F(CheckpointTest, GoesOnInRandomScenarios) {
  for (std::uint64_t seed = 1; seed <= trials(25, 400); ++seed) {
    for (const auto& draw : {independent::random_trial, independent::random_trial_with_incarnations,
                             independent::random_trial_with_restarts}) {
      const Scenario scenario = independent::as_scenario(draw(seed));
      Limits limits;
      limits.states = 3'000;
      limits.local_states = 50'000;
      expect_the_same_in_parts(scenario, 2, limits);
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }
}

// Levels of several blocks, and a team that is not the same each time.
TEST_F(CheckpointTest, GoesOnWithAnotherNumberOfThreads) {
  ThreadTeam team(2);
  for (const Scenario& scenario : {stamps(4, 1, 4), leases_with_faults()}) {
    const Verdict whole = explore(scenario);
    ASSERT_GT(whole.states, 20'000U);
    for (const bool team_first : {true, false}) {
      remove();
      Limits limits;
      for (std::uint64_t at = 5'000; at < whole.states; at += whole.states / 4) {
        limits.states = at;
        limits.team = team_first == (at % 2 == 0) ? &team : nullptr;
        ASSERT_TRUE(explore_resumable(scenario, limits, checkpoints(is_there())));
      }
      limits = Limits();
      limits.team = team_first ? nullptr : &team;
      EXPECT_EQ(said_by(explore_resumable(scenario, limits, checkpoints(true))), said_by(whole));
    }
  }
}

TEST_F(CheckpointTest, CountsTheViolationsOfAllParts) {
  Limits limits;
  limits.count_violations = true;
  expect_the_same_in_parts(catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 3, 1, 1),
                           20, limits);
}

// The walk through a tree, whose nodes are more than 16 bits can number.
Task<void> walks_far(Client& me) {
  bool last = true;
  for (int left = 8; left > 0; --left) {
    last = me.choose(4) == 2 && last;
    static_cast<void>(co_await me.store().get(Key("any")));
  }
  me.reach("the last leaf", last);
}

TEST_F(CheckpointTest, GoesOnWithNumbersOf16And32Bits) {
  Scenario scenario("tree");
  scenario.client(walks_far).sometimes("the last leaf");
  scenario.require(never("anything else"));
  const std::string expected = said_by(explore(scenario));
  EXPECT_EQ(in_parts(scenario, {}, {80'000U}), expected);
  EXPECT_EQ(in_parts(scenario, {}, {20'000U, 80'000U, 120'000U}), expected);
}

// Whenever it is asked, and not only at the end: the file is complete, whatever happens then.
TEST_F(CheckpointTest, IsWrittenWhenItIsDue) {
  const Scenario scenario = stamps();
  const std::string expected = said_by(explore(scenario));
  Checkpoints often = checkpoints(false);
  std::vector<std::string> all;
  std::uint64_t states = 0;
  often.is_due = [] { return true; };
  often.tell = [&](const CheckpointNews& news) {
    EXPECT_EQ(news.failure, "");
    EXPECT_FALSE(news.at_end);
    EXPECT_GE(news.states, states);
    states = news.states;
    all.push_back(content());
  };
  EXPECT_EQ(said_by(explore_resumable(scenario, {}, often)), expected);
  ASSERT_GT(all.size(), 10U);
  for (const std::string& one : all) {
    write(one);
    EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))), expected);
  }
}

TEST_F(CheckpointTest, IsWrittenWhenTheCallerEndsTheSearch) {
  const Scenario scenario = stamps();
  const std::string expected = said_by(explore(scenario));
  for (int calls = 1; calls < 12; ++calls) {
    remove();
    Limits limits;
    int left = calls;
    limits.proceed = [&left](const Progress&) { return --left > 0; };
    Checkpoints how = checkpoints(false);
    int told = 0;
    how.tell = [&told](const CheckpointNews& news) { told += news.at_end ? 1 : 0; };
    const Result<Verdict> part = explore_resumable(scenario, limits, how);
    ASSERT_TRUE(part);
    ASSERT_EQ(part->outcome, Outcome::incomplete);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))), expected) << calls;
  }
}

// While it goes back to its place, it can be ended, too: the file stays as it is.
TEST_F(CheckpointTest, MayBeInterruptedWhileItIsRead) {
  const Scenario scenario = stamps();
  Limits limits;
  limits.states = 200;
  ASSERT_TRUE(explore_resumable(scenario, limits, checkpoints(false)));
  ASSERT_TRUE(is_there());
  const std::string before = content();
  limits = Limits();
  limits.proceed = [](const Progress&) { return false; };
  const Result<Verdict> ended = explore_resumable(scenario, limits, checkpoints(true));
  ASSERT_TRUE(ended) << ended.error().detail();
  EXPECT_EQ(ended->outcome, Outcome::incomplete);
  EXPECT_EQ(content(), before);
}

TEST_F(CheckpointTest, TheLimitsOfMemoryWriteOne) {
  const Scenario scenario = leases_with_faults();
  Limits limits;
  limits.memory = 8 << 20;
  const Result<Verdict> part = explore_resumable(scenario, limits, checkpoints(false));
  ASSERT_TRUE(part);
  EXPECT_GT(part->memory_limit, 0U) << describe(*part);
  ASSERT_TRUE(is_there());
  // Not even what is there fits then.
  limits.memory = 1 << 20;
  const Result<Verdict> less = explore_resumable(scenario, limits, checkpoints(true));
  ASSERT_TRUE(less);
  EXPECT_GT(less->memory_limit, 0U);
  EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))),
            said_by(explore(scenario)));
}

TEST_F(CheckpointTest, BelongsToItsOwnerAlone) {
  Limits limits;
  limits.states = 100;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ::chmod(file_.c_str(), 0620);
  const Result<Verdict> refused = explore_resumable(stamps(), {}, checkpoints(true));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail(), HasSubstr("other users may write to it"));
}

TEST_F(CheckpointTest, IsRefusedForAnotherSearch) {
  Limits limits;
  limits.states = 100;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  const auto expect_refused = [this](const Scenario& scenario, const Limits& now,
                                     const Checkpoints& how, const char* why) {
    const Result<Verdict> verdict = explore_resumable(scenario, now, how);
    ASSERT_FALSE(verdict) << why;
    EXPECT_EQ(verdict.error().code(), Errc::invalid_argument);
    EXPECT_THAT(verdict.error().detail(), HasSubstr(why));
  };
  constexpr const char* other = "another scenario or of other bounds";
  expect_refused(stamps(3), {}, checkpoints(true), other);
  expect_refused(stamps(2, 2, 3), {}, checkpoints(true), other);
  expect_refused(stamps().allow_deadlock(), {}, checkpoints(true), other);
  expect_refused(stamps().named("else"), {}, checkpoints(true), other);
  expect_refused(stamps().symmetry(false), {}, checkpoints(true), other);
  Limits counting;
  counting.count_violations = true;
  expect_refused(stamps(), counting, checkpoints(true), other);
  Checkpoints of_another = checkpoints(true);
  of_another.identity = "other tests";
  expect_refused(stamps(), {}, of_another, "another program");
}

Task<void> writes(Client& me, std::string value) {
  for (int left = 5; left > 0; --left) {
    static_cast<void>(co_await me.store().set(Key("k"), value));
  }
}

Task<void> does_nothing(Client&) {
  co_return;
}

// Another program under the same identity: it learns something else.
TEST_F(CheckpointTest, IsRefusedIfTheProgramsDoSomethingElse) {
  const auto scenario = [](bool also_third) {
    Scenario made("writers");
    made.client([](Client& me) { return writes(me, "a"); });
    made.client([](Client& me) { return writes(me, "b"); });
    made.client(
        [also_third](Client& me) { return also_third ? writes(me, "c") : does_nothing(me); });
    return made.require(never("anything"));
  };
  Limits limits;
  limits.states = 60;
  ASSERT_TRUE(explore_resumable(scenario(false), limits, checkpoints(false)));
  const Result<Verdict> refused = explore_resumable(scenario(true), {}, checkpoints(true));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail(), HasSubstr("do not do what they did"));
}

TEST_F(CheckpointTest, IsRefusedIfOneByteDiffersOrIsMissing) {
  Limits limits;
  limits.states = 60;
  ASSERT_TRUE(explore_resumable(stamps(), limits, checkpoints(false)));
  const std::string whole = content();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 1 << at % 8);
    write(wrong);
    const Result<Verdict> verdict = explore_resumable(stamps(), {}, checkpoints(true));
    ASSERT_FALSE(verdict) << at;
    EXPECT_EQ(verdict.error().code(), Errc::invalid_argument);
    if (at % 7 != 0) continue;
    write(whole.substr(0, at));
    ASSERT_FALSE(explore_resumable(
        stamps(), {}, checkpoints(false).resumed.empty() ? checkpoints(true) : checkpoints(false)))
        << at;
  }
  write(whole + "\n");
  EXPECT_FALSE(explore_resumable(stamps(), {}, checkpoints(true)));
}

// With the checksum of what it says. Nobody else can write such a file, so its verdict does not
// matter, but it must not lead outside of any table.
TEST_F(CheckpointTest, IsReadWithinItsBounds) {
  for (const Scenario& scenario : {stamps(), leases_with_faults()}) {
    remove();
    Limits limits;
    limits.states = 150;
    ASSERT_TRUE(explore_resumable(scenario, limits, checkpoints(false)));
    const std::string whole = content();
    std::size_t refused = 0;
    std::uint32_t chance = 1;
    limits.states = 2'000;
    for (std::size_t at = 24; at + 8 < whole.size(); at += trials(5, 1)) {
      chance = chance * 1'664'525U + 1'013'904'223U;
      std::string wrong = whole.substr(0, whole.size() - 8);
      wrong[at] = static_cast<char>(wrong[at] ^ (1 + (chance >> 24) % 255));
      Checksum sum;
      sum.add(reinterpret_cast<const unsigned char*>(wrong.data()), wrong.size());
      const std::uint64_t value = sum.value();
      wrong.append(reinterpret_cast<const char*>(&value), sizeof value);
      write(wrong);
      Checkpoints how = checkpoints(true);
      how.file.clear();
      if (!explore_resumable(scenario, limits, how)) ++refused;
    }
    EXPECT_GT(refused, 100U);
  }
}

TEST_F(CheckpointTest, WhatIsNoCheckpointIsLeftAlone) {
  write("my notes\n");
  Checkpoints how = checkpoints(false);
  const Result<Verdict> over_notes = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(over_notes);
  EXPECT_THAT(over_notes.error().detail(), HasSubstr("the file that is there is no checkpoint"));
  EXPECT_EQ(content(), "my notes\n");
  how.file = folder_;
  ASSERT_FALSE(explore_resumable(stamps(), {}, how));
  how.file = folder_ + "/none/search";
  const Result<Verdict> nowhere = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), Errc::unavailable);
  how = checkpoints(true);
  remove();
  const Result<Verdict> none = explore_resumable(stamps(), {}, how);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Errc::unavailable);
}

}  // namespace
}  // namespace interlock::sim
