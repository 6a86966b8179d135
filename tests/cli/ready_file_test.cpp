#include "lock/ready_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "interlock/local_clock.hpp"
#include "support/eventually.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// This process only keeps the file open, as a program that is stopped does.
class ReadyFileTest : public testing::Test {
 protected:
  ReadyFileTest() {
    file_.emplace(*ReportFile::prepare(path_, "--ready-file ready", usage));
    EXPECT_FALSE(file_->begin());
  }
  bool exists() const { return std::filesystem::exists(path_); }

  test::ScratchFolder folder_;
  const std::string path_ = folder_ / "ready";
  std::optional<ReadyFile> file_;
};

TEST_F(ReadyFileTest, IsRemovedAtItsTimeThoughItsProgramDoesNothing) {
  EXPECT_TRUE(file_->write("ours", local_now() + milliseconds{100}));
  EXPECT_TRUE(test::eventually([&] { return !exists(); }));
}

TEST_F(ReadyFileTest, StaysIfALaterTimeIsNamedInTime) {
  EXPECT_TRUE(file_->write("ours", local_now() + seconds{2}));
  file_->keep_until(local_now() + seconds{100});
  std::this_thread::sleep_for(milliseconds{2200});
  EXPECT_TRUE(exists());
}

TEST_F(ReadyFileTest, IsRemovedAtTheLatestTimeThatWasNamed) {
  EXPECT_TRUE(file_->write("ours", local_now() + seconds{100}));
  file_->keep_until(local_now() + milliseconds{100});
  EXPECT_TRUE(test::eventually([&] { return !exists(); }));
}

TEST_F(ReadyFileTest, IsRemovedWithItsProgram) {
  EXPECT_TRUE(file_->write("ours", local_now() + seconds{100}));
  EXPECT_TRUE(exists());
  file_.reset();
  EXPECT_FALSE(exists());
}

}  // namespace
}  // namespace interlock::cli
