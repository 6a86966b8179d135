// What a command's first word means, and why it could not be started.
#include "supervision/command_file.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/scratch_folder.hpp"

namespace interlock::cli {
namespace {

class CommandFile : public ::testing::Test {
 protected:
  std::string given(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    ::chmod(path.c_str(), 0755);
    return path;
  }

  test::ScratchFolder folder_;
};

TEST_F(CommandFile, IsBinaryIfANulComesBeforeALineEnds) {
  EXPECT_TRUE(is_binary(given("a", std::string("\x7f"
                                               "ELF\0\0",
                                               6))
                            .c_str()));
  EXPECT_TRUE(is_binary(given("b", std::string("x\0\ny", 4)).c_str()));
  EXPECT_FALSE(is_binary(given("c", std::string("exit\n\0", 6)).c_str()));
  EXPECT_FALSE(is_binary(given("d", "exit").c_str()));
  EXPECT_FALSE(is_binary(given("e", "").c_str()));
  EXPECT_FALSE(is_binary((folder_.path() / "none").c_str()));
}

TEST_F(CommandFile, IsNamedByItsPathOrLookedForInPath) {
  EXPECT_EQ(files_named("./x"), std::vector<std::string>{"./x"});
  EXPECT_TRUE(files_named("").empty());
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/a::/b", 1);
  const std::vector<std::string> wanted{"/a/x", "./x", "/b/x"};
  EXPECT_EQ(files_named("x"), wanted);
  ::setenv("PATH", before.c_str(), 1);
}

TEST_F(CommandFile, ThatIsAPipeIsNotWaitedFor) {
  const std::string path = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0755), 0);
  const Failure failure = not_started(path, EACCES);
  EXPECT_EQ(failure.code, not_executable);
  EXPECT_EQ(failure.message, "'" + path +
                                 "' not started: Permission denied: check that it is a file with "
                                 "execute permission");
}

TEST_F(CommandFile, ThatIsItsOwnInterpreterEndsTheLook) {
  const std::string path = folder_.path() / "circle";
  given("circle", "#!" + path + "\n");
  EXPECT_EQ(not_started(path, ELOOP).code, not_executable);
  EXPECT_EQ(not_started(path, ENOENT).code, not_found);
}

}  // namespace
}  // namespace interlock::cli
