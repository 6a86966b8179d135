#include "supervision/run_report.hpp"
#include "console/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

namespace interlock::cli {
namespace {

using testing::StartsWith;

TEST(RunReport, IsOneObjectWithTheVersionFirst) {
  RunReport report;
  report.result = "lost";
  report.exit = 79;
  report.lock = "deploy";
  report.child_exit = 0;
  report.held = milliseconds{41'210};
  report.token = FencingToken(184);
  EXPECT_EQ(report.json(), R"({"v":1,"result":"lost","exit":79,"lock":"deploy","child":{"exit":0},)"
                           R"("held_ms":41210,"token":"184"})");
}

TEST(RunReport, SaysBySignal) {
  RunReport report;
  report.child_signal = SIGTERM;
  EXPECT_THAT(report.json(), testing::HasSubstr(R"("child":{"signal":15})"));
}

TEST(RunReport, IsJsonForEveryName) {
  RunReport report;
  report.lock = "a\"b\\c\xff";
  EXPECT_THAT(report.json(), StartsWith(R"({"v":1,)"));
  EXPECT_THAT(report.json(), testing::HasSubstr("a\\\"b\\\\c\xEF\xBF\xBD"));
  EXPECT_THAT(report.json(), testing::HasSubstr(R"(,"lock_hex":"6122625c63ff")"));
  report.lock = "\xc3\xa4";
  EXPECT_THAT(report.json(), testing::Not(testing::HasSubstr("_hex")));
}

Loss deploy() {
  Loss loss;
  loss.lock = "deploy";
  loss.store = "redis://10.0.0.5:6379/0";
  loss.token = FencingToken(184);
  loss.why = LossReason::not_renewed_in_time;
  loss.held = std::chrono::seconds{41};
  loss.unconfirmed = std::chrono::seconds{24};
  loss.ended_in = milliseconds{300};
  loss.signal = SIGTERM;
  return loss;
}

TEST(LostText, SaysWhatHappenedAndThatItWasInTime) {
  EXPECT_EQ(lost_text(deploy()),
            "lost 'deploy' after 41 s: no renewal confirmed for 24 s (redis://10.0.0.5:6379/0); "
            "TERM sent, command ended in 0.3 s: before anyone else could be admitted; token was "
            "184");
}

TEST(LostText, SaysWhichSignalsCame) {
  Loss loss = deploy();
  loss.first_signal = SIGTERM;
  EXPECT_THAT(lost_text(loss), testing::HasSubstr("; TERM sent, command ended in"));
  loss.signal = SIGKILL;
  EXPECT_THAT(lost_text(loss), testing::HasSubstr("; TERM and KILL sent, command ended in"));
}

TEST(LostText, DoesNotSayThatACommandThatWasKilledEndedByItself) {
  Loss loss = deploy();
  loss.signal = std::nullopt;
  EXPECT_THAT(lost_text(loss), testing::HasSubstr("; command ended by itself 0.3 s later"));
  loss.ended_by = SIGKILL;
  EXPECT_THAT(lost_text(loss), testing::HasSubstr("; command was ended by KILL 0.3 s later"));
}

TEST(LostText, OfACommandThatHadEndedBeforeSaysSo) {
  Loss loss = deploy();
  loss.signal = std::nullopt;
  loss.ended_in = milliseconds{-600};
  EXPECT_THAT(lost_text(loss),
              testing::HasSubstr("; command had ended: before anyone else could be admitted"));
}

TEST(LostText, SaysWhyTheStoreRefusedToRenew) {
  Loss loss = deploy();
  loss.renewal_refused = "NOPERM: let this user run it";
  EXPECT_THAT(lost_text(loss),
              testing::HasSubstr("(redis://10.0.0.5:6379/0): NOPERM: let this user "
                                 "run it; TERM sent, "));
  loss.why = LossReason::held_by_another;
  EXPECT_THAT(lost_text(loss), testing::Not(testing::HasSubstr("NOPERM")));
}

TEST(LostText, SaysFromWhenOnAnotherMayHaveWorked) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  Loss loss = deploy();
  loss.why = LossReason::held_by_another;
  loss.overlap_from = std::chrono::system_clock::from_time_t(14 * 3600 + 3 * 60 + 7);
  EXPECT_EQ(lost_text(loss),
            "lost 'deploy' after 41 s: redis://10.0.0.5:6379/0 says that another holds it; TERM "
            "sent, command ended in 0.3 s: its work after 14:03:07 may overlap another holder; "
            "token was 184");
}

TEST(OverlapFrom, CountsTheMarginForTimersThatTheLeaseWasShortenedBy) {
  const TimePoint certain(std::chrono::seconds{30});
  const auto told = [&](Duration after) { return overlap_from_clock(certain, certain + after); };
  EXPECT_FALSE(told(milliseconds{-1}));
  EXPECT_FALSE(told(milliseconds{4}));
  EXPECT_EQ(told(milliseconds{5}), certain + milliseconds{4});
}

TEST(ResultOf, HasAWordForEachWayNotToStart) {
  EXPECT_EQ(result_of(unreachable), "unreachable");
  EXPECT_EQ(result_of(refused), "refused");
  EXPECT_EQ(result_of(bad_configuration), "misconfigured");
  EXPECT_EQ(result_of(not_acquired), "not_acquired");
  EXPECT_EQ(result_of(not_found), "not_started");
  EXPECT_EQ(result_of(not_executable), "not_started");
  EXPECT_EQ(result_of(operating_system), "failed");
}

TEST(RunReport, ALockThatWasNotReleasedIsToldInOneShortLine) {
  const auto line = [](const char* detail, Errc code = Errc::indeterminate) {
    return not_released_text("deploy", Error(code, detail), std::chrono::seconds{20}, Stays::no);
  };
  EXPECT_EQ(
      line("releasing 'deploy': no usable answer after a request was sent (cannot connect to "
           "redis://127.0.0.1:6379/0: Connection refused: is the server running, and is the "
           "address right?): it may be held until its ttl ends"),
      "'deploy' not released: cannot connect to redis://127.0.0.1:6379/0: Connection refused: "
      "it is tried again for up to 5 s; else it becomes free when its ttl ends, within 20 s");
  EXPECT_EQ(
      line("releasing 'deploy': the store did not answer in time: the lock may stay held "
           "until its ttl ends"),
      "'deploy' not released: the store did not answer in time: it is tried again for up to 5 "
      "s; else it becomes free when its ttl ends, within 20 s");
  EXPECT_EQ(line("disk full", Errc::rejected),
            "'deploy' not released: disk full; it becomes free when its ttl ends, within 20 s");
  // A bracket that is no report of an earlier error.
  EXPECT_EQ(line("releasing 'deploy': no usable answer after a request was sent (release in "
                 "'/a (b)/x': somebody has kept the file locked for 10 s: see who with `fuser` "
                 "(psmisc)): it may be held until its ttl ends"),
            "'deploy' not released: release in '/a (b)/x': somebody has kept the file locked for "
            "10 s: it is tried again for up to 5 s; else it becomes free when its ttl ends, within "
            "20 s");
}

TEST(RunReport, ALockThatMayNotStayHeldIsTold) {
  EXPECT_EQ(not_released_text("deploy", Error(Errc::rejected, "disk full"),
                              std::chrono::seconds{20}, Stays::yes),
            "'deploy' not kept for the rest of its time: disk full; it becomes free when its ttl "
            "ends, within 20 s");
}

TEST(RunReport, ARefusedReleaseIsToldWithItsCauseAndWhatToDo) {
  const auto line = [](const char* detail) {
    return not_released_text("app/x", Error(Errc::rejected, detail), std::chrono::seconds{20},
                             Stays::no);
  };
  EXPECT_EQ(line("NOPERM in a script, at PUBLISH: The user executing the script can't run this "
                 "command or subcommand: let this user run all that locks need (ACL SETUSER; the "
                 "README has the list)"),
            "'app/x' not released: NOPERM in a script, at PUBLISH: The user executing the script "
            "can't run this command or subcommand: let this user run all that locks need (ACL "
            "SETUSER; the README has the list); it becomes free when its ttl ends, within 20 s");
  EXPECT_EQ(line("release in '/x/locks': its file system is full: free some space there (see "
                 "`df`), or name a store elsewhere"),
            "'app/x' not released: release in '/x/locks': its file system is full: free some "
            "space there (see `df`), or name a store elsewhere; it becomes free when its ttl ends, "
            "within 20 s");
}

}  // namespace
}  // namespace interlock::cli
