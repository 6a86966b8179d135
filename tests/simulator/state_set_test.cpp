// What tells states apart, and what makes their parts into numbers.
#include "search/state_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "base/flat_map.hpp"
#include "model/engine.hpp"

namespace interlock::sim {
namespace {

using Narrow = State<std::uint16_t, 8>;

// As states of a search are: small numbers that differ in one component or two.
Narrow numbered(std::uint32_t number) {
  Narrow state{};
  state.set(0, number % 61);
  state.set(3, number / 61 % 67);
  state.set(5, number / 61 / 67);
  return state;
}

TEST(StateSet, KnowsWhatWasInsertedAndNothingElse) {
  constexpr std::uint32_t count = 300'000;
  StateSet<Narrow> states;
  std::array<std::uint32_t, StateSet<Narrow>::parts> one;
  one.fill(1);
  for (std::uint32_t number = 0; number < count; ++number) {
    const Narrow state = numbered(number);
    ASSERT_TRUE(states.reserve(one));
    ASSERT_EQ(states.find(state), StateSet<Narrow>::absent) << number;
    ASSERT_TRUE(states.insert(state, StateSet<Narrow>::hash(state), Origin())) << number;
  }
  ASSERT_EQ(states.size(), count);
  for (std::uint32_t number = 0; number < count; ++number) {
    const Narrow state = numbered(number);
    ASSERT_EQ(states.find(state), number);
    ASSERT_FALSE(states.insert(state, StateSet<Narrow>::hash(state), Origin())) << number;
  }
}

TEST(Encoder, TellsApartWhatIsDifferent) {
  std::set<std::string> all;
  const auto is_new = [&all](Encoder encoder) { return all.insert(encoder.take()).second; };
  for (const char* const first : {"", "a", "ab"}) {
    for (const char* const second : {"", "bc", "c"}) {
      EXPECT_TRUE(is_new(Encoder().text(first).text(second))) << first << " " << second;
    }
  }
  const std::int64_t large = std::int64_t{1} << 40;
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, large, 2 * large}) {
    EXPECT_TRUE(is_new(Encoder().number(number))) << number;
  }
}

}  // namespace
}  // namespace interlock::sim
