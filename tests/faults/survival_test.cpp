// Faults that a holder survives, and faults before and after its command runs.
#include <csignal>

#include "outage.hpp"
#include "support/plain_redis.hpp"

namespace interlock::test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class Survival : public Outage {};

TEST_F(Survival, APauseShorterThanTheLeaseIsSurvived) {
  start_holder(log_.beats("A") + " & sleep 8; kill $!; exit 0");
  redis_.pause();
  const int beats = log_.count("A");
  ASSERT_TRUE(comes_true([&] { return log_.count("A") >= beats + 8; }));
  redis_.resume();
  EXPECT_EQ(holder_->wait(), 0) << holder_->err();
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(Survival, CutConnectionsAreSurvived) {
  start_holder(log_.beats("A") + " & sleep 12; kill $!; exit 0");
  for (int cuts = 0; cuts < 3; ++cuts) {
    const int before = proxy_.connections();
    proxy_.cut();
    ASSERT_TRUE(comes_true([&] { return proxy_.connections() > before; }));
  }
  EXPECT_EQ(holder_->wait(), 0) << holder_->err();
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(Survival, KilledClientConnectionsAreSurvived) {
  start_holder(log_.beats("A") + " & sleep 8; kill $!; exit 0");
  PlainRedis admin(redis_);
  EXPECT_NE(admin.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}), "0");
  const int before = proxy_.connections();
  ASSERT_TRUE(comes_true([&] { return proxy_.connections() > before; }));
  EXPECT_EQ(holder_->wait(), 0) << holder_->err();
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(Survival, FlushedScriptsAreInvisible) {
  start_holder(log_.beats("A") + " & sleep 8; kill $!; exit 0");
  PlainRedis admin(redis_);
  // Between any two renewals, and before the release.
  while (holder_->running()) {
    EXPECT_EQ(admin.command({"SCRIPT", "FLUSH"}), "OK");
    comes_true([&] { return !holder_->running(); }, milliseconds{50});
  }
  EXPECT_EQ(holder_->wait(), 0);
  EXPECT_THAT(said(), IsEmpty());
  EXPECT_EQ(admin.command({"EXISTS", "deploy"}), "0");
}

TEST_F(Survival, AReleaseGivesUpOnASilentServerAndSaysWhatThatMeans) {
  start_holder("trap 'exit 6' USR1; " + log_.beats("A"), "60s");
  proxy_.set(FaultProxy::Mode::swallow);
  const TimePoint ended = local_now();
  holder_->signal(SIGUSR1);
  EXPECT_EQ(holder_->wait(seconds{20}), 6);
  std::printf(
      "  gave up after %d ms\n",
      static_cast<int>(std::chrono::duration_cast<milliseconds>(local_now() - ended).count()));
  ASSERT_THAT(said(), SizeIs(1));
  EXPECT_THAT(said()[0], StartsWith("interlock: 'deploy' not released: "));
  EXPECT_THAT(said()[0], HasSubstr("else it becomes free when its ttl ends, within 60 s"));
}

TEST_F(Survival, AServerThatStartsLaterIsWaitedFor) {
  redis_.stop();
  Program program(folder_, {"run", "--store", url_of(redis_.port()), "deploy", "--", "true"});
  std::this_thread::sleep_for(seconds{1});
  ASSERT_TRUE(program.running());
  redis_.start();
  EXPECT_EQ(program.wait(seconds{30}), 0) << program.err();
  EXPECT_EQ(program.err(), "");
}

TEST_F(Survival, AServerIsWaitedForAsLongAsIsSaid) {
  Program program(folder_, {"run", "--store", url_of(free_port()), "--store-outage", "300ms",
                            "deploy", "--", "true"});
  EXPECT_EQ(program.wait(seconds{9}), 69) << program.err();
}

TEST_F(Survival, AReleaseThatMeetsABlipIsMadeUpFor) {
  start_holder("trap 'exit 6' USR1; " + log_.beats("A"), "60s");
  redis_.pause();
  holder_->signal(SIGUSR1);
  ASSERT_TRUE(comes_true([&] { return said().size() == 1; }));
  EXPECT_THAT(said()[0], HasSubstr("it is tried again for up to 5 s"));
  redis_.resume();
  EXPECT_EQ(holder_->wait(seconds{20}), 6);
  EXPECT_EQ(PlainRedis(redis_).command({"EXISTS", "deploy"}), "0");
}

TEST_F(Survival, NothingStartsWhileTheServerCannotBeReached) {
  const auto refused = [&](const std::string& store, const std::string& why) {
    const TimePoint began = local_now();
    Program program(folder_, {"run", "--store", store, "--store-outage", "0", "deploy", "--",
                              "touch", folder_ / "ran"});
    EXPECT_EQ(program.wait(seconds{15}), 69) << program.err();
    EXPECT_THAT(lines_of(program.err()), SizeIs(1));
    EXPECT_THAT(program.err(), HasSubstr(why));
    std::printf(
        "  %-50s %d ms\n", why.c_str(),
        static_cast<int>(std::chrono::duration_cast<milliseconds>(local_now() - began).count()));
  };
  refused(url_of(free_port()), "Connection refused");
  refused("redis://no-such-host.invalid", "not known");
  proxy_.set(FaultProxy::Mode::swallow);
  refused(url_of(proxy_.port()), "the server said nothing");
  redis_.pause();
  refused(url_of(redis_.port()), "the server said nothing");
  redis_.resume();
  PlainRedis admin(redis_);
  EXPECT_EQ(admin.command({"DBSIZE"}), "0");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

}  // namespace
}  // namespace interlock::test
