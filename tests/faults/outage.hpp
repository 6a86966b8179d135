// A holder behind a network that can fail, a waiter past it, and the order of what they did.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "interlock/local_clock.hpp"
#include "program.hpp"
#include "sections.hpp"
#include "support/fault_proxy.hpp"
#include "support/redis_server.hpp"

namespace interlock::test {

inline std::string url_of(int port) {
  return "redis://127.0.0.1:" + std::to_string(port);
}

class Outage : public testing::Test {
 protected:
  static constexpr milliseconds ttl{6000};

  // Through the proxy, and running when this returns.
  void start_holder(const std::string& script, const std::string& lasting = "6s") {
    holder_.emplace(folder_, std::vector<std::string>{"run", "--store", url_of(proxy_.port()),
                                                      "--ttl", lasting, "--kill-after", "1500ms",
                                                      "deploy", "--", "/bin/sh", "-c", script});
    ASSERT_TRUE(comes_true([&] { return log_.count("A") >= 5; })) << holder_->err();
  }
  // Past the proxy, and waiting when this returns.
  void start_waiter() {
    waiter_.emplace(
        folder_, std::vector<std::string>{"run", "-v", "--store", url_of(redis_.port()), "deploy",
                                          "--", "/bin/sh", "-c", log_.once("B")});
    ASSERT_TRUE(comes_true([&] { return waiter_->err().find("waiting for") != std::string::npos; }))
        << waiter_->err();
  }

  // What the holder wrote; not what its command's shell has to say.
  std::vector<std::string> said() const {
    std::vector<std::string> own;
    for (const std::string& line : lines_of(holder_->err())) {
      if (line.starts_with("interlock: ")) own.push_back(line);
    }
    return own;
  }

  // The promise: the holder is notified in time, by its own clock alone.
  void expect_ended_within_the_lease() {
    EXPECT_EQ(holder_->wait(std::chrono::seconds{15}), 79) << holder_->err();
    ASSERT_THAT(said(), testing::SizeIs(1));
    EXPECT_THAT(said()[0], testing::StartsWith("interlock: lost 'deploy' after "));
    const auto sent = proxy_.last_answered_request();
    ASSERT_TRUE(sent);
    const auto early = std::chrono::duration_cast<milliseconds>(*sent + ttl - log_.last_of("A"));
    std::printf("  last sign of life %d ms before the lease could end\n",
                static_cast<int>(early.count()));
    EXPECT_GE(early, milliseconds{0});
  }
  void expect_waiter_enters_afterwards() {
    EXPECT_EQ(waiter_->wait(), 0) << waiter_->err();
    EXPECT_TRUE(log_.has("B"));
    EXPECT_TRUE(log_.all_before("A", "B"));
  }

  RedisServer redis_;
  FaultProxy proxy_{redis_.port()};
  ScratchFolder folder_;
  SectionLog log_{folder_};
  std::optional<Program> holder_;
  std::optional<Program> waiter_;
};

}  // namespace interlock::test
