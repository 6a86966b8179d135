#include "console/talk.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

namespace interlock::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// stderr is a pipe that nobody reads until read_all().
class TalkTest : public testing::Test {
 protected:
  TalkTest() : before_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    ::dup2(ends_[1], STDERR_FILENO);
    ::close(ends_[1]);
  }
  ~TalkTest() override {
    forget_kept_messages();
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(ends_[0]);
  }

  void fill() {
    const std::string block(4096, '#');
    for (int i = 0; i < 16; ++i) EXPECT_EQ(::write(STDERR_FILENO, block.data(), 4096), 4096);
  }

  // Ends the pipe, as the end of the program does.
  std::string read_all() {
    std::string text;
    std::thread reader([&] {
      char part[4096];
      ssize_t count = 0;
      while ((count = ::read(ends_[0], part, sizeof part)) > 0) {
        text.append(part, static_cast<std::size_t>(count));
      }
    });
    write_kept_messages();
    ::dup2(before_, STDERR_FILENO);
    reader.join();
    text.erase(0, text.find_first_not_of('#'));
    return text;
  }

  int ends_[2];
  int before_;
};

TEST_F(TalkTest, WritesAtOnceIfItCan) {
  say("one");
  char text[100];
  EXPECT_EQ(::read(ends_[0], text, sizeof text), 15);
  EXPECT_TRUE(messages_are_read());
}

TEST_F(TalkTest, KeepsInOrderWhatNobodyReads) {
  fill();
  say("one");
  say_object("{}");
  EXPECT_FALSE(messages_are_read());
  EXPECT_EQ(read_all(), "interlock: one\n{}\n");
}

TEST_F(TalkTest, WritesWhatItKeptWithTheNextMessage) {
  fill();
  say("one");
  std::string filled(16 * 4096, ' ');
  EXPECT_EQ(::read(ends_[0], filled.data(), filled.size()), 16 * 4096);
  say("two");
  char text[100];
  EXPECT_EQ(::read(ends_[0], text, sizeof text), 30);
}

TEST_F(TalkTest, TellsHowManyMessagesItLeftOutAndKeepsTheObject) {
  fill();
  const std::string message(1000, 'm');
  for (int i = 0; i < 100; ++i) say(message);
  say_object("{}");
  const std::string text = read_all();
  EXPECT_THAT(text, StartsWith("interlock: mmm"));
  EXPECT_THAT(text, HasSubstr("m\ninterlock: 36 messages were left out here"));
  EXPECT_THAT(text, EndsWith("\n{}\n"));
}

TEST_F(TalkTest, AForkedProcessDoesNotWriteItsParentsMessages) {
  fill();
  say("parent");
  const pid_t child = ::fork();
  if (child == 0) {
    forget_kept_messages();
    say("child");
    write_kept_messages_within_a_second();
    ::_exit(0);
  }
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(read_all(), "interlock: parent\n");
}

TEST_F(TalkTest, LeavesTheDescriptionOfStderrAsItIs) {
  fill();
  say("one");
  EXPECT_EQ(::fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(TalkTest, DropsWhatNobodyCanRead) {
  fill();
  say("one");
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  ::close(ends_[0]);
  ends_[0] = ::open("/dev/null", O_RDONLY);
  say("two");
  EXPECT_TRUE(messages_are_read());
}

}  // namespace
}  // namespace interlock::cli
