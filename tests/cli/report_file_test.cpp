#include "system/report_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/scratch_folder.hpp"

namespace interlock::cli {
namespace {

using testing::HasSubstr;

class ReportFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }

  test::ScratchFolder folder_;
};

TEST_F(ReportFileTest, IsNotTouchedByPreparing) {
  EXPECT_TRUE(ReportFile::prepare(path("new"), "--status-file new", usage));
  EXPECT_EQ(files(), 0);
  std::ofstream(path("old")) << "before";
  EXPECT_TRUE(ReportFile::prepare(path("old"), "--status-file old", usage));
  EXPECT_EQ(content(path("old")), "before");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReportFileTest, ReplacesWhatWasThere) {
  std::ofstream(path("f")) << "a longer text from before";
  const auto file = ReportFile::prepare(path("f"), "--status-file f", usage);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->write("now\n"));
  EXPECT_EQ(content(path("f")), "now\n");
  EXPECT_EQ(files(), 1);
  file->remove();
  EXPECT_EQ(files(), 0);
}

TEST_F(ReportFileTest, FollowsNoLinkThatIsThereBefore) {
  const auto file = ReportFile::prepare(path("f"), "--status-file f", usage);
  ASSERT_TRUE(file);
  // As somebody makes it who may write to the folder and knows our process id.
  std::filesystem::create_symlink(path("elsewhere"), path("f"));
  std::ofstream(path("f." + std::to_string(::getpid()) + ".draft")) << "not ours";
  EXPECT_TRUE(file->write("now\n"));
  EXPECT_EQ(content(path("f")), "now\n");
  EXPECT_FALSE(std::filesystem::is_symlink(path("f")));
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
  EXPECT_EQ(content(path("f." + std::to_string(::getpid()) + ".draft")), "not ours");
}

TEST_F(ReportFileTest, IsRefusedWhereItCannotBeWritten) {
  for (const std::string& name :
       {path("none/f"), path("."), std::string("/dev/null"), std::string()}) {
    const auto file = ReportFile::prepare(name, "--status-file F", usage);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().code, usage);
    EXPECT_THAT(file.error().message, HasSubstr("--status-file F cannot be written"));
  }
}

TEST_F(ReportFileTest, LeavesALinkAndReplacesWhatItLeadsTo) {
  std::filesystem::create_directory(path("d"));
  std::ofstream(path("d/there")) << "before";
  std::filesystem::create_symlink("there", path("d/second"));
  std::filesystem::create_symlink("d/second", path("first"));
  std::filesystem::create_symlink("d/new", path("to-nothing"));
  for (const auto& [link, target] :
       {std::pair("first", "d/there"), std::pair("to-nothing", "d/new")}) {
    const auto file = ReportFile::prepare(path(link), "--status-file F", usage);
    ASSERT_TRUE(file) << link;
    EXPECT_TRUE(file->write("now\n"));
    EXPECT_EQ(content(path(target)), "now\n");
    EXPECT_TRUE(std::filesystem::is_symlink(path(link)));
    file->remove();
    EXPECT_FALSE(std::filesystem::exists(path(target)));
    EXPECT_TRUE(std::filesystem::is_symlink(path(link)));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path("d/second")));
}

TEST_F(ReportFileTest, FollowsNoLinkOfAnotherUserInAFolderOfThatUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make a link of another user";
  constexpr uid_t another = 60'001;
  std::filesystem::create_directory(path("theirs"));
  ASSERT_EQ(::chown(path("theirs").c_str(), another, another), 0);
  std::ofstream(path("ours")) << "ours";
  std::filesystem::create_symlink(path("ours"), path("theirs/f"));
  ASSERT_EQ(::lchown(path("theirs/f").c_str(), another, another), 0);
  EXPECT_FALSE(ReportFile::prepare(path("theirs/f"), "--ready-file F", usage));
  EXPECT_FALSE(ReportFile::replace(path("theirs/f"), "report"));
  EXPECT_EQ(std::filesystem::file_size(path("ours")), 4U);
}

TEST_F(ReportFileTest, FollowsNoLinkOfAnotherUserInAFolderThatOthersMayWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make a link of another user";
  constexpr uid_t another = 60'001;
  std::filesystem::create_directory(path("open"));
  ASSERT_EQ(::chmod(path("open").c_str(), 01777), 0);
  std::ofstream(path("ours")) << "ours";
  std::filesystem::create_symlink(path("ours"), path("open/f"));
  ASSERT_EQ(::lchown(path("open/f").c_str(), another, another), 0);
  const auto file = ReportFile::prepare(path("open/f"), "--status-file F", usage);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("another user has put a link there"));
  EXPECT_FALSE(ReportFile::replace(path("open/f"), "new"));
  EXPECT_EQ(content(path("ours")), "ours");
  ASSERT_EQ(::lchown(path("open/f").c_str(), ::geteuid(), 0), 0);
  EXPECT_TRUE(ReportFile::prepare(path("open/f"), "--status-file F", usage));
}

TEST_F(ReportFileTest, FollowsNoLinkOfAnotherUserInThePlaceOfAFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make a link of another user";
  constexpr uid_t another = 60'001;
  std::filesystem::create_directories(path("ours/below"));
  std::filesystem::create_directory(path("open"));
  ASSERT_EQ(::chmod(path("open").c_str(), 0777), 0);
  std::filesystem::create_symlink(path("ours"), path("open/link"));
  ASSERT_EQ(::lchown(path("open/link").c_str(), another, another), 0);
  std::filesystem::create_symlink(path("open/link/below"), path("to-it"));
  for (const std::string folder : {"open/link", "open/link/below", "to-it"}) {
    const auto file = ReportFile::prepare(path(folder + "/f"), "--status-file F", usage);
    ASSERT_FALSE(file) << folder;
    EXPECT_THAT(file.error().message, HasSubstr("another user has put a link there")) << folder;
    EXPECT_FALSE(ReportFile::replace(path(folder + "/f"), "new")) << folder;
  }
  EXPECT_FALSE(std::filesystem::exists(path("ours/f")));
  EXPECT_FALSE(std::filesystem::exists(path("ours/below/f")));
  ASSERT_EQ(::lchown(path("open/link").c_str(), ::geteuid(), 0), 0);
  EXPECT_TRUE(ReportFile::prepare(path("to-it/f"), "--status-file F", usage));
}

TEST_F(ReportFileTest, IsInUseWhileItsWriterKeepsIt) {
  const auto file = ReportFile::prepare(path("f"), "--status-file F", usage);
  EXPECT_FALSE(file->is_in_use());
  {
    const auto kept = file->write_and_keep("x");
    ASSERT_TRUE(kept);
    EXPECT_TRUE(file->is_in_use());
  }
  EXPECT_FALSE(file->is_in_use());
  EXPECT_EQ(content(path("f")), "x");
}

// As /dev/stdout, which every program of the machine uses.
TEST_F(ReportFileTest, IsRefusedWhereALinkLeadsToAnOpenFile) {
  const int open_file = ::open(path("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(open_file, 0);
  const std::string number = std::to_string(open_file);
  std::filesystem::create_symlink("/proc/self/fd/" + number, path("direct"));
  std::filesystem::create_symlink("/dev/fd/" + number, path("over-dev"));
  for (const std::string& name : {path("direct"), path("over-dev"), "/dev/fd/" + number,
                                  std::string("/dev/a-new-file"), std::string("/dev/stdout")}) {
    const auto file = ReportFile::prepare(name, "--status-file F", usage);
    ASSERT_FALSE(file) << name;
    EXPECT_THAT(file.error().message, HasSubstr("--status-file F cannot be written: it "));
  }
  ::close(open_file);
}

TEST_F(ReportFileTest, IsRefusedWhereLinksLeadInACircle) {
  std::filesystem::create_symlink("b", path("a"));
  std::filesystem::create_symlink("a", path("b"));
  EXPECT_FALSE(ReportFile::prepare(path("a"), "--status-file F", usage));
}

TEST_F(ReportFileTest, SaysWhenTheFolderHasGone) {
  std::filesystem::create_directory(path("d"));
  const auto file = ReportFile::prepare(path("d/f"), "--status-file f", usage);
  ASSERT_TRUE(file);
  std::filesystem::remove(path("d"));
  EXPECT_FALSE(file->write("x"));
}

}  // namespace
}  // namespace interlock::cli
