// Real processes, and locks that are lost on purpose. What is decided when is LossRule's test.
#include "supervision/supervise.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interlock/local_clock.hpp"
#include "supervision/watcher.hpp"
#include "support/scratch_folder.hpp"
#include "system/event_descriptor.hpp"
#include "system/processes.hpp"

namespace {

std::function<void()> before_a_look;

}  // namespace

// Instead of the system's, for this program: so the processes of the machine are looked through.
extern "C" DIR* opendir(const char* name) {
  static const auto real = reinterpret_cast<decltype(&opendir)>(dlsym(RTLD_NEXT, "opendir"));
  if (before_a_look) before_a_look();
  return real(name);
}

namespace interlock::cli {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::HasSubstr;

// KILL comes when the lease can end.
constexpr Duration at_the_end{};

class SuperviseTest : public testing::Test {
 protected:
  pid_t begin(const std::string& script) {
    WatchedCommand command;
    command.command.words = {"/bin/sh", "-c", script};
    command.standard_files = {true, true, true};
    auto watcher = Watcher::begin(command, signals_);
    EXPECT_TRUE(watcher);
    watcher_.emplace(std::move(*watcher));
    const auto child = watcher_->start({{"FOLDER", folder_.path().string()}});
    EXPECT_TRUE(child);
    return child.value_or(-1);
  }

  LeaseView lease(Duration from_now) {
    const TimePoint until = local_now() + from_now;
    return {local_now, [until] { return until; }, [this] { return lost_.load(); },
            wake_.descriptor()};
  }

  Ending watch(pid_t child, const LeaseView& view, Rules rules) {
    rules.tell = [this](const std::string& line) { told_ += line + "\n"; };
    return supervise(*watcher_, child, signals_, terminal_, view, std::move(rules));
  }
  Ending watch(pid_t child, const LeaseView& view, LossRule rule) {
    return watch(child, view, Rules{rule, LeftBehind::end, milliseconds{300}});
  }
  Ending watch(pid_t child) {
    return watch(child, lease(hours{1}), LossRule{OnLost::send(SIGTERM), seconds{5}, at_the_end});
  }
  Ending watch(pid_t child, LeftBehind left_behind) {
    return watch(
        child, lease(hours{1}),
        Rules{LossRule(OnLost::send(SIGTERM), seconds{5}, {}), left_behind, milliseconds{300}});
  }

  std::string file(const char* name) const { return folder_ / name; }
  void wait_for(const char* name) const {
    const auto give_up = local_now() + seconds{20};
    while (!std::filesystem::exists(file(name)) && local_now() < give_up) {
      std::this_thread::sleep_for(milliseconds{2});
    }
    ASSERT_TRUE(std::filesystem::exists(file(name))) << name;
  }
  pid_t pid_in(const char* name) const {
    pid_t pid = 0;
    std::ifstream(file(name)) >> pid;
    return pid;
  }

  Signals signals_;
  Terminal terminal_;
  test::ScratchFolder folder_;
  EventDescriptor wake_;
  std::atomic<bool> lost_ = false;
  std::optional<Watcher> watcher_;
  std::string told_;
};

TEST_F(SuperviseTest, GivesTheCommandsExitCode) {
  EXPECT_EQ(watch(begin("exit 0")).code(), 0);
  EXPECT_EQ(watch(begin("exit 7")).code(), 7);
  EXPECT_EQ(watch(begin("exit 255")).code(), 255);
}

TEST_F(SuperviseTest, GivesTheCommandsSignal) {
  const Ending ending = watch(begin("kill -9 $$"));
  EXPECT_TRUE(ending.signalled());
  EXPECT_EQ(ending.code(), 128 + SIGKILL);
  EXPECT_FALSE(ending.lost_since);
}

TEST_F(SuperviseTest, SendsTermInTimeByTheLocalClockAlone) {
  const pid_t child =
      begin("trap 'exit 3' TERM; touch $FOLDER/up; while [ -d $FOLDER ]; do sleep 0.01; done");
  wait_for("up");
  const LeaseView view = lease(milliseconds{5000});
  const TimePoint until = view.certain_until();
  const Ending ending =
      watch(child, view, LossRule{OnLost::send(SIGTERM), milliseconds{4700}, at_the_end});
  EXPECT_EQ(ending.code(), 3);
  EXPECT_EQ(ending.signal_for_loss, SIGTERM);
  ASSERT_TRUE(ending.lost_since);
  EXPECT_GE(*ending.lost_since, until - milliseconds{4700});
}

TEST_F(SuperviseTest, SaysOnceThatTheLockIsLostWhileTheCommandStillRuns) {
  const pid_t child =
      begin("trap '' TERM; touch $FOLDER/up; while [ -d $FOLDER ]; do sleep 0.01; done");
  wait_for("up");
  Rules rules{LossRule(OnLost::send(SIGTERM), milliseconds{200}, at_the_end), LeftBehind::end,
              milliseconds{300}};
  int times = 0;
  rules.lost = [&] {
    ++times;
    EXPECT_EQ(::kill(child, 0), 0);
  };
  watch(child, lease(milliseconds{400}), rules);
  EXPECT_EQ(times, 1);
}

TEST_F(SuperviseTest, SaysOfACommandThatEndedByItselfWhetherItsLockIsLost) {
  for (const bool is_lost : {false, true}) {
    int times = 0;
    Rules rules{LossRule(OnLost::ignore(), milliseconds{200}, at_the_end), LeftBehind::end,
                milliseconds{300}};
    rules.lost = [&] { ++times; };
    lost_ = false;
    LeaseView view = lease(hours{1});
    const pid_t child = begin("exit 0");
    // Not before the command has ended.
    view.store_says_lost = [&] { return is_lost && ::kill(child, 0) != 0; };
    watch(child, view, rules);
    EXPECT_EQ(times, is_lost ? 1 : 0);
  }
}

// The store says it after the last look at the rule. Each look reads the clock, and nothing else
// does between the last one and the end.
TEST_F(SuperviseTest, SaysThatTheLockIsLostIfItIsSoAtTheEndAlone) {
  int times = 0;
  Rules rules{LossRule(OnLost::ignore(), milliseconds{200}, at_the_end), LeftBehind::wait,
              milliseconds{300}};
  rules.lost = [&] { ++times; };
  LeaseView view = lease(hours{1});
  const auto clock = view.now;
  bool is_look = false;
  view.now = [&] {
    is_look = true;
    return clock();
  };
  view.store_says_lost = [&] { return !std::exchange(is_look, false); };
  const Ending ending = watch(begin("exit 0"), view, rules);
  EXPECT_TRUE(ending.lost_since);
  EXPECT_EQ(times, 1);
}

TEST_F(SuperviseTest, KillsWhatDoesNotHeedTerm) {
  const pid_t child =
      begin("trap '' TERM; touch $FOLDER/up; while [ -d $FOLDER ]; do sleep 0.01; done");
  wait_for("up");
  const LeaseView view = lease(milliseconds{400});
  const TimePoint until = view.certain_until();
  const Ending ending =
      watch(child, view, LossRule{OnLost::send(SIGTERM), milliseconds{200}, at_the_end});
  EXPECT_EQ(ending.code(), 128 + SIGKILL);
  EXPECT_EQ(ending.signal_for_loss, SIGKILL);
  EXPECT_GE(ending.ended, until);
}

// As after a kill -STOP of this program, while the watcher went on, and somebody else was admitted.
TEST_F(SuperviseTest, TellsWhenTheWatcherEndedTheCommandAndNotWhenItHeardOfThat) {
  const pid_t child =
      begin("trap '' TERM; touch $FOLDER/up; while [ -d $FOLDER ]; do sleep 0.01; done");
  wait_for("up");
  LeaseView view = lease(milliseconds{300});
  const TimePoint until = view.certain_until();
  TimePoint goes_on;
  int looks = 0;
  view.now = [&] {
    // The watcher has been told of the lease.
    if (++looks == 2) {
      while (::kill(child, 0) == 0) std::this_thread::sleep_for(milliseconds{2});
      std::this_thread::sleep_for(seconds{1});
      goes_on = local_now();
      lost_ = true;
    }
    return local_now();
  };
  const Ending ending =
      watch(child, view, LossRule{OnLost::send(SIGTERM), milliseconds{100}, at_the_end});
  EXPECT_EQ(ending.signal_for_loss, SIGKILL);
  ASSERT_TRUE(ending.lost_since);
  EXPECT_GE(*ending.lost_since, until);
  EXPECT_LT(*ending.lost_since, goes_on);
  EXPECT_GE(ending.ended, *ending.lost_since);
  EXPECT_LT(ending.ended, goes_on);
  EXPECT_TRUE(ending.lost_by_clock);
}

TEST_F(SuperviseTest, HearsOfALossThatTheStoreTells) {
  const pid_t child = begin("touch $FOLDER/up; exec sleep 100");
  std::thread store([&] {
    wait_for("up");
    lost_ = true;
    wake_.ring();
  });
  const Ending ending =
      watch(child, lease(hours{1}), LossRule{OnLost::send(SIGTERM), seconds{5}, at_the_end});
  store.join();
  EXPECT_EQ(ending.code(), 128 + SIGTERM);
  EXPECT_TRUE(ending.lost_since);
  EXPECT_FALSE(ending.lost_by_clock);
}

TEST_F(SuperviseTest, LetsTheCommandGoOnIfToldToIgnoreTheLoss) {
  lost_ = true;
  wake_.ring();
  const Ending ending = watch(begin("exit 0"), lease(milliseconds{0}),
                              LossRule{OnLost::ignore(), seconds{5}, at_the_end});
  EXPECT_EQ(ending.code(), 0);
  EXPECT_TRUE(ending.lost_since);
  EXPECT_FALSE(ending.signal_for_loss);
}

TEST_F(SuperviseTest, WakesAStoppedCommandToEndIt) {
  const pid_t child =
      begin("trap 'exit 4' TERM; touch $FOLDER/up; kill -STOP $$; sleep 100 & wait");
  wait_for("up");
  const Ending ending = watch(child, lease(milliseconds{5000}),
                              LossRule{OnLost::send(SIGTERM), milliseconds{4800}, at_the_end});
  // Killed only if it was not woken for its TERM.
  EXPECT_NE(ending.code(), 128 + SIGKILL);
}

TEST_F(SuperviseTest, PassesSignalsOnToTheWholeGroup) {
  const pid_t child = begin(
      "(trap 'touch $FOLDER/inner; exit 0' USR1; touch $FOLDER/up1; while [ -d $FOLDER ]; do sleep "
      "0.01; done) &"
      "trap 'touch $FOLDER/outer' USR1; touch $FOLDER/up2;"
      "until [ -e $FOLDER/outer ] && [ -e $FOLDER/inner ]; do sleep 0.01; done; exit 5");
  std::thread user([&] {
    wait_for("up1");
    wait_for("up2");
    ::kill(::getpid(), SIGUSR1);
  });
  const Ending ending = watch(child);
  user.join();
  EXPECT_EQ(ending.code(), 5);
}

TEST_F(SuperviseTest, TakesASecondInterruptForKill) {
  const pid_t child = begin(
      "trap 'touch $FOLDER/first' INT; touch $FOLDER/up; while [ -d $FOLDER ]; do sleep 0.01; "
      "done");
  std::thread user([&] {
    wait_for("up");
    ::kill(::getpid(), SIGINT);
    wait_for("first");
    ::kill(::getpid(), SIGINT);
  });
  const Ending ending = watch(child);
  user.join();
  EXPECT_EQ(ending.code(), 128 + SIGKILL);
}

TEST_F(SuperviseTest, LeavesNothingOfTheGroupBehind) {
  // A grandchild whose parent has gone, and which heeds no signal.
  const pid_t child = begin(
      "sh -c '(trap \"\" TERM INT HUP; sh -c \"echo \\$PPID >$FOLDER/pid; touch $FOLDER/up\";"
      "while [ -d $FOLDER ]; do sleep 0.01; done) & exit 0'; until [ -e $FOLDER/up ]; do sleep "
      "0.01; done");
  EXPECT_EQ(watch(child).code(), 0);
  const pid_t grandchild = pid_in("pid");
  ASSERT_GT(grandchild, 0);
  EXPECT_EQ(::kill(grandchild, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(SuperviseTest, GivesWhatIsLeftBehindTimeToEnd) {
  const pid_t child = begin("(trap '' TERM; sleep 0.3; touch $FOLDER/done) & exit 3");
  const Ending ending = watch(child, lease(hours{1}),
                              Rules{LossRule(OnLost::send(SIGTERM), seconds{5}, at_the_end),
                                    LeftBehind::end, std::chrono::minutes{1}});
  EXPECT_EQ(ending.code(), 3);
  EXPECT_TRUE(std::filesystem::exists(file("done")));
}

TEST_F(SuperviseTest, AsksWhatIsLeftBehindToEndBeforeItIsKilled) {
  const Ending ending =
      watch(begin("setsid sh -c 'trap \"touch $FOLDER/asked; exit\" TERM; touch $FOLDER/up; while "
                  "[ -d $FOLDER ]; do "
                  "sleep 0.01; done' & until [ -e $FOLDER/up ]; do sleep 0.01; done"));
  EXPECT_EQ(ending.code(), 0);
  EXPECT_TRUE(std::filesystem::exists(file("asked")));
  EXPECT_GE(ending.left_behind, 1);
  EXPECT_THAT(told_, HasSubstr("behind, pid "));
  EXPECT_FALSE(ending.signal_for_loss);
}

TEST_F(SuperviseTest, WaitsForWhatIsLeftBehindIfToldTo) {
  const Ending ending =
      watch(begin("setsid sh -c 'sleep 0.6; touch $FOLDER/done' & exit 0"), LeftBehind::wait);
  EXPECT_EQ(ending.code(), 0);
  EXPECT_TRUE(std::filesystem::exists(file("done")));
}

TEST_F(SuperviseTest, LetsWhatIsLeftBehindRunOnIfToldTo) {
  const Ending ending = watch(begin("setsid sleep 100 & echo $! >$FOLDER/pid"), LeftBehind::stay);
  EXPECT_EQ(ending.code(), 0);
  EXPECT_EQ(ending.left_behind, 1);
  watcher_.reset();
  EXPECT_EQ(::kill(pid_in("pid"), SIGKILL), 0);
}

TEST_F(SuperviseTest, EndsWhatIsLeftBehindByALostLockWhateverItWasToldToDo) {
  const pid_t child = begin("setsid sleep 100 & echo $! >$FOLDER/pid; touch $FOLDER/up; sleep 100");
  wait_for("up");
  const Ending ending = watch(
      child, lease(milliseconds{300}),
      Rules{LossRule(OnLost::send(SIGTERM), milliseconds{100}, at_the_end), LeftBehind::stay, {}});
  EXPECT_TRUE(ending.lost_since);
  EXPECT_EQ(::kill(pid_in("pid"), 0), -1);
}

TEST(Watcher, TellsNotFoundFromNotExecutable) {
  Signals signals;
  const auto code = [&](const char* word) {
    WatchedCommand command;
    command.command.words = {word};
    command.standard_files = {true, true, true};
    auto watcher = Watcher::begin(command, signals);
    EXPECT_TRUE(watcher);
    const auto child = watcher->start({});
    return child ? 0 : child.error().code;
  };
  EXPECT_EQ(code("no-such-command-anywhere"), not_found);
  EXPECT_EQ(code("/no/such/file"), not_found);
  EXPECT_EQ(code(""), not_found);
  EXPECT_EQ(code("/"), not_executable);
  EXPECT_EQ(code("/etc/passwd"), not_executable);
}

TEST(Watcher, StartsNothingAfterTheLeaseHasEnded) {
  Signals signals;
  WatchedCommand command;
  command.command.words = {"/bin/true"};
  command.standard_files = {true, true, true};
  auto watcher = Watcher::begin(command, signals);
  ASSERT_TRUE(watcher);
  watcher->keep_until(local_now() - seconds{1});
  const auto child = watcher->start({});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, lost);
}

TEST(Watcher, EndsTheCommandWhenTheLeaseIsOverThoughNobodyAsksItTo) {
  Signals signals;
  WatchedCommand command;
  command.command.words = {"/bin/sh", "-c", "trap '' TERM; setsid sleep 100 & sleep 100"};
  command.standard_files = {true, true, true};
  auto watcher = Watcher::begin(command, signals);
  ASSERT_TRUE(watcher);
  watcher->keep_until(local_now() + seconds{2});
  ASSERT_TRUE(watcher->start({}));
  std::vector<ReportKind> heard;
  const TimePoint limit = local_now() + seconds{20};
  while (!watcher->gone() && local_now() < limit) {
    for (const Report& report : watcher->take()) heard.push_back(report.kind);
    std::this_thread::sleep_for(milliseconds{2});
  }
  EXPECT_THAT(heard, testing::ElementsAre(ReportKind::expired, ReportKind::told, ReportKind::ended,
                                          ReportKind::over));
}

// The system calls it a zombie, and so does ps(1).
TEST(Descendants, HaveAMainThreadOrNone) {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] {
      for (;;) pause();
    }).detach();
    // This thread alone; pthread_exit() would unwind through the frames of the test's runner.
    ::syscall(SYS_exit, 0);
  }
  while (find_process(child)->state != 'Z') std::this_thread::yield();
  const std::vector<Process> found = descendants();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found.front().pid, child);
  // Else it was not found in /proc, but by asking for each number that a process may have.
  EXPECT_EQ(found.front().state, 'Z');
  EXPECT_TRUE(descendants().empty());
}

// As after `unshare -pf`: /proc still shows the outer namespace, with other numbers.
TEST(Descendants, HaveOurNumbersWhereProcIsOfAnotherNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may make a PID namespace";
  const auto exit_code_of = [](pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  constexpr int no_namespace = 77;
  const pid_t outer = fork();
  if (outer == 0) {
    if (::unshare(CLONE_NEWPID) != 0) _exit(no_namespace);
    const pid_t first = fork();
    if (first != 0) _exit(exit_code_of(first));
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    const std::vector<Process> found = descendants();
    const bool right = found.size() == 1 && found.front().pid == child &&
                       found.front().parent == getpid() && find_process(child).has_value();
    kill(child, SIGKILL);
    _exit(right ? 0 : 1);
  }
  const int code = exit_code_of(outer);
  if (code == no_namespace) GTEST_SKIP() << "this machine makes no PID namespace";
  EXPECT_EQ(code, 0);
}

TEST(Watcher, LeavesNoOrphanThatEndsDuringTheLookForIt) {
  Signals signals;
  WatchedCommand command;
  command.command.words = {"/bin/sh", "-c", "sleep 100 & wait"};
  command.standard_files = {true, true, true};
  auto watcher = Watcher::begin(command, signals);
  ASSERT_TRUE(watcher);
  ASSERT_TRUE(watcher->start({}));
  ASSERT_EQ(::kill(watcher->pid(), SIGKILL), 0);
  before_a_look = [] {
    before_a_look = nullptr;
    // All have come to us, ended, and are not reaped.
    std::vector<Process> ended = descendants();
    for (const Process& each : ended) {
      siginfo_t info{};
      ::kill(each.pid, SIGKILL);
      ::waitid(P_PID, static_cast<id_t>(each.pid), &info, WEXITED | WNOWAIT);
    }
  };
  EXPECT_TRUE(watcher->end_orphans().empty());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace interlock::cli
