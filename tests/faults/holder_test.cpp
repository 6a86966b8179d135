// Holders that are killed or stopped, and the next in line, on both kinds of shared store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interlock/local_clock.hpp"
#include "program.hpp"
#include "sections.hpp"
#include "support/redis_server.hpp"

namespace interlock::test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class Holders : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "redis") redis_.emplace();
  }
  std::string store() const {
    if (redis_) return "redis://127.0.0.1:" + std::to_string(redis_->port());
    return "sqlite:" + (folder_ / "locks.db");
  }
  std::vector<std::string> run(std::vector<std::string> flags, const std::string& script) const {
    std::vector<std::string> words{"run", "--store", store()};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"deploy", "--", "/bin/sh", "-c", script});
    return words;
  }
  bool waits(const Program& program) const {
    return comes_true([&] { return program.err().find("waiting for") != std::string::npos; });
  }

  std::optional<RedisServer> redis_;
  ScratchFolder folder_;
  SectionLog log_{folder_};
};

TEST_P(Holders, TheNextEntersWhenTheLeaseOfAKilledHolderEnds) {
  Program holder(folder_, run({"--ttl", "1s"}, log_.beats("A")));
  ASSERT_TRUE(comes_true([&] { return log_.count("A") >= 3; })) << holder.err();
  Program waiter(folder_, run({"-v"}, log_.once("B")));
  ASSERT_TRUE(waits(waiter)) << waiter.err();
  const TimePoint killed = local_now();
  holder.signal(SIGKILL);
  ASSERT_EQ(waiter.wait(), 0) << waiter.err();
  // Its command died with it, so it is not in the section together with the next.
  EXPECT_TRUE(log_.all_before("A", "B"));
  const Duration after = log_.first_of("B") - killed;
  std::printf("  entered %d ms after the kill\n",
              static_cast<int>(std::chrono::duration_cast<milliseconds>(after).count()));
  // The usual ttl is 30 s.
  EXPECT_LT(after, seconds{1} + seconds{20});
}

TEST_P(Holders, AHolderThatWasStoppedPastItsLeaseIsToldAndItsCommandEnded) {
  Program holder(folder_, run({"--ttl", "1s", "-k", "200ms"}, log_.beats_deaf("A")));
  ASSERT_TRUE(comes_true([&] { return log_.count("A") >= 3; })) << holder.err();
  Program next(folder_, run({"-v"}, log_.once("B") + "; sleep 1"));
  ASSERT_TRUE(waits(next)) << next.err();
  holder.signal(SIGSTOP);
  ASSERT_TRUE(comes_true([&] { return log_.has("B"); })) << next.err();
  holder.signal(SIGCONT);
  EXPECT_EQ(holder.wait(), 79) << holder.err();
  EXPECT_THAT(holder.err(), HasSubstr("interlock: lost 'deploy' after "));
  const int beats = log_.count("A");
  // Its release has left the next one's lock alone, and its command is gone.
  EXPECT_EQ(next.wait(), 0) << next.err();
  EXPECT_EQ(log_.count("A"), beats);
}

TEST_P(Holders, FiftyAtOnceCountExactly) {
  const std::string counter = folder_ / "counter";
  std::vector<std::unique_ptr<Program>> all;
  for (int each = 0; each < 50; ++each) {
    all.push_back(std::make_unique<Program>(
        folder_, run({"-w", "60s"}, "n=$(cat " + counter +
                                        " 2>/dev/null || echo 0); sleep 0.01; "
                                        "echo $((n + 1)) >" +
                                        counter)));
  }
  for (const auto& each : all) EXPECT_EQ(each->wait(seconds{90}), 0) << each->err();
  EXPECT_EQ(contents(counter), "50\n");
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         Holders,
                         testing::Values("sqlite", "redis"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace interlock::test
