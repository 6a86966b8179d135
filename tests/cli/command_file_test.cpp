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

TEST_F(CommandFile, MayBeStartableOrNotBeforeAnythingIsStarted) {
  const auto code_of = [this](const std::string& name) {
    const auto failure = why_not_startable((folder_.path() / name).string());
    return failure ? failure->code : success;
  };
  given("script", "#!/bin/sh\n");
  given("bare", "exit\n");
  EXPECT_EQ(code_of("script"), success);
  EXPECT_EQ(code_of("bare"), success);
  EXPECT_EQ(code_of("none"), not_found);
  EXPECT_EQ(code_of("script/none"), not_found);
  EXPECT_EQ(code_of("."), not_executable);
  given("without", "#!/no/such/shell\n");
  EXPECT_EQ(code_of("without"), not_found);
  ::chmod(given("plain", "exit\n").c_str(), 0644);
  EXPECT_EQ(code_of("plain"), not_executable);
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0755), 0);
  EXPECT_EQ(code_of("pipe"), not_executable);
  EXPECT_EQ(why_not_startable("")->code, not_found);
}

TEST_F(CommandFile, IsLookedForInEachFolderOfPath) {
  ::chmod(given("x", "exit\n").c_str(), 0644);
  std::filesystem::create_directory(folder_.path() / "more");
  given("more/x", "exit\n");
  const std::string before = std::getenv("PATH");
  const std::string first = folder_.path();
  ::setenv("PATH", (first + ":" + first + "/more").c_str(), 1);
  const bool found = !why_not_startable("x");
  ::setenv("PATH", first.c_str(), 1);
  const auto failure = why_not_startable("x");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_TRUE(found);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, not_executable);
}

}  // namespace
}  // namespace interlock::cli
