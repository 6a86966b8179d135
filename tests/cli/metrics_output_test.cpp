#include "metrics/metrics_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::cli {
namespace {

using testing::HasSubstr;

class Deaf final : public EventSink {
 public:
  void on_event(const Event&) noexcept override {}
};

class MetricsOutputTest : public testing::Test {
 protected:
  std::unique_ptr<MetricsOutput> begin() {
    LockFlags flags;
    flags.metrics.emplace(file_, "--metrics", false);
    auto place = MetricsPlace::prepare_if_given(flags, {name_});
    if (!place || !*place) return nullptr;
    auto output = MetricsOutput::begin(*std::move(*place), deaf_);
    return output ? *std::move(output) : nullptr;
  }
  std::string written() const {
    std::ifstream file(file_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::ScratchFolder folder_;
  const std::string file_ = folder_ / "m.prom";
  const LockName name_ = *LockName::parse("deploy");
  Deaf deaf_;
};

// The program that gives a lock up by its own clock ends before the client reports anything.
TEST_F(MetricsOutputTest, WritesAnEndThatTheClientHasNotReported) {
  const auto output = begin();
  ASSERT_TRUE(output);
  ClientOptions options;
  options.events = output.get();
  Client client(memory::backend(), options);
  auto lock = client.acquire(name_);
  ASSERT_TRUE(lock);
  output->write_within(std::chrono::seconds(10));
  EXPECT_THAT(written(), HasSubstr("interlock_held{lock=\"deploy\"} 1\n"));
  output->count_end(*lock, std::chrono::seconds(2));
  output->write_within(std::chrono::seconds(10));
  EXPECT_THAT(written(), HasSubstr("interlock_held{lock=\"deploy\"} 0\n"));
  EXPECT_THAT(written(), HasSubstr("reason=\"not_renewed_in_time\"} 1\n"));
  // The client's own report, later, is the same end.
  ASSERT_TRUE(lock->release());
  output->write_within(std::chrono::seconds(10));
  EXPECT_THAT(written(), HasSubstr("interlock_held{lock=\"deploy\"} 0\n"));
  EXPECT_THAT(written(), HasSubstr("interlock_hold_seconds_count{lock=\"deploy\"} 1\n"));
}

}  // namespace
}  // namespace interlock::cli
