// A folder for the checkpoints of one test, and scenarios whose searches are kept there.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/checkpoint.hpp"
#include "with_threads.hpp"

namespace interlock::sim {

// `many` in the slow test.
inline std::uint64_t trials(std::uint64_t few, std::uint64_t many) {
  return std::getenv("INTERLOCK_SLOW") != nullptr ? many : few;
}

// A folder of its own, which is gone afterwards.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    std::string name = ::testing::TempDir() + "checkpoint_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    file_ = folder_ + "/search";
  }
  ~CheckpointTest() override {
    std::remove(file_.c_str());
    ::rmdir(folder_.c_str());
  }

  Checkpoints checkpoints(bool resumes) const {
    Checkpoints all;
    all.file = file_;
    if (resumes) all.resumed = file_;
    all.identity = "these tests";
    return all;
  }
  bool is_there() const {
    struct stat info {};
    return ::stat(file_.c_str(), &info) == 0;
  }
  void remove() const { std::remove(file_.c_str()); }
  std::string content() const {
    std::ifstream file(file_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string& content) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << content;
  }

  // Searches up to each of these numbers of states, one after the other, and then to the end.
  std::string in_parts(const Scenario& scenario,
                       Limits limits,
                       const std::vector<std::uint64_t>& states) const {
    remove();
    const Limits all = limits;
    for (const std::uint64_t most : states) {
      limits.states = most;
      const Result<Verdict> part = explore_resumable(scenario, limits, checkpoints(is_there()));
      if (!part) return part.error().detail();
    }
    return said_by(explore_resumable(scenario, all, checkpoints(is_there())));
  }

  static std::string said_by(const Result<Verdict>& verdict) {
    return verdict ? said_by(*verdict) : verdict.error().detail();
  }
  static std::string said_by(const Verdict& verdict) {
    std::string text = testing::all_of(verdict);
    for (const std::string& one : verdict.trusts) text += one + "\n";
    for (const Goal& goal : verdict.goals) text += goal.name + (goal.reached ? " +\n" : " -\n");
    for (const CoveredOperation& operation : verdict.coverage.operations) {
      text += operation.what + told_of(operation.outcomes);
    }
    return text + told_of(verdict.coverage.sections) + told_of(verdict.coverage.faults);
  }
  static std::string told_of(const std::vector<CoveredOutcome>& outcomes) {
    std::string text;
    for (const CoveredOutcome& one : outcomes) text += " " + one.name + (one.seen ? "+" : "-");
    return text + "\n";
  }

  // Interrupts the search at about so many numbers of states, evenly spread.
  void expect_the_same_in_parts(const Scenario& scenario,
                                std::uint64_t places,
                                const Limits& limits = {}) const {
    const Verdict whole = explore(scenario, limits);
    const std::string expected = said_by(whole);
    const std::uint64_t step = whole.states / places + 1;
    std::vector<std::uint64_t> all;
    for (std::uint64_t at = 1; at <= whole.states; at += step) {
      ASSERT_EQ(in_parts(scenario, limits, {at}), expected) << scenario.name() << " at " << at;
      all.push_back(at);
    }
    EXPECT_EQ(in_parts(scenario, limits, all), expected) << scenario.name();
  }

  std::string folder_;
  std::string file_;
};

inline Scenario stamps(std::size_t clients = 2,
                       std::int64_t attempts = 2,
                       std::size_t instants = 2) {
  return catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, clients, attempts, instants);
}

inline Scenario leases_with_faults() {
  catalogue::LeaseClientOptions options;
  options.renews = true;
  Scenario leases = catalogue::lease_lock_scenario(2, options, 4);
  return leases.faults(
      FaultBudget().allow(Fault::crash).allow(Fault::restart).allow(Fault::lost_message));
}

}  // namespace interlock::sim
