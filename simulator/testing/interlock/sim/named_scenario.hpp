// Scenarios by name, for tests of GoogleTest: each is a test, and testing_main.hpp writes a
// regression test of one that is violated.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/testing.hpp"

namespace interlock::sim::testing {

// A static object of this class registers a test `Scenarios.NAME`, in which explore() must give the
// expected outcome:
//
//   const sim::testing::NamedScenario my_lock("my-lock", [] { return two_clients().instants(4); });
//
// The scenario takes this name. Where another one has it already, the test fails.
class NamedScenario {
 public:
  using Make = std::function<Scenario()>;

  NamedScenario(std::string name,
                Make make,
                Outcome expected = Outcome::proved,
                const char* file = __builtin_FILE(),
                int line = __builtin_LINE())
      : name_(std::move(name)), make_(std::move(make)) {
    const bool first = find(name_) == nullptr;
    all().push_back(this);
    // GoogleTest wants letters, digits and `_`: a `-` has a meaning in filters.
    std::string test = name_;
    std::replace_if(
        test.begin(), test.end(),
        [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
    ::testing::RegisterTest("Scenarios", test.c_str(), nullptr, nullptr, file, line,
                            [this, expected, first]() -> ::testing::Test* {
                              return new ScenarioTest(*this, expected, first);
                            });
  }
  NamedScenario(const NamedScenario&) = delete;
  NamedScenario& operator=(const NamedScenario&) = delete;

  const std::string& name() const { return name_; }
  Scenario make() const { return make_().named(name_); }

  // Null: there is none of this name.
  static const NamedScenario* find(std::string_view name) {
    const auto at = std::find_if(all().begin(), all().end(),
                                 [name](const NamedScenario* one) { return one->name_ == name; });
    return at == all().end() ? nullptr : *at;
  }
  // The scenario of that name; one with a mistake, so that its search is `invalid`, if there is
  // none.
  static Scenario made(std::string_view name) {
    if (const NamedScenario* const known = find(name)) return known->make();
    return Scenario(std::string(name));
  }

  // In the order in which they were made.
  static std::vector<const NamedScenario*>& all() {
    static std::vector<const NamedScenario*> scenarios;
    return scenarios;
  }

 private:
  class ScenarioTest : public ::testing::Test {
   public:
    ScenarioTest(const NamedScenario& of, Outcome expected, bool first)
        : of_(of), expected_(expected), first_(first) {}

   private:
    void TestBody() override {
      ASSERT_TRUE(first_) << "two scenarios are named '" << of_.name() << "': rename one";
      const Verdict verdict = check(of_.make());
      EXPECT_EQ(verdict.outcome, expected_)
          << of_.name() << " was expected to be " << to_string(expected_) << ":\n"
          << describe(verdict) << shown(verdict.run, &verdict);
    }

    const NamedScenario& of_;
    Outcome expected_;
    bool first_;
  };

  std::string name_;
  Make make_;
};

}  // namespace interlock::sim::testing
