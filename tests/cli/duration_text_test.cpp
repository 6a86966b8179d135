#include "console/duration_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace interlock::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(ParseDuration, TakesEachUnit) {
  EXPECT_EQ(parse_duration("500ms").value, milliseconds{500});
  EXPECT_EQ(parse_duration("30s").value, seconds{30});
  EXPECT_EQ(parse_duration("5m").value, minutes{5});
  EXPECT_EQ(parse_duration("2h").value, hours{2});
  EXPECT_EQ(parse_duration("1d").value, hours{24});
}

TEST(ParseDuration, TakesFractionsOfWholeMilliseconds) {
  EXPECT_EQ(parse_duration("0.5s").value, milliseconds{500});
  EXPECT_EQ(parse_duration("1.25s").value, milliseconds{1250});
  EXPECT_EQ(parse_duration("1.5h").value, minutes{90});
  EXPECT_EQ(parse_duration("2.000ms").value, milliseconds{2});
  EXPECT_EQ(parse_duration("0.0").value, milliseconds{0});
  EXPECT_EQ(parse_duration("0.2").fault, DurationFault::no_unit);
  for (const char* text : {"0.5ms", "1.0001s", "0.0000000001d"}) {
    EXPECT_EQ(parse_duration(text).fault, DurationFault::too_exact) << text;
  }
}

TEST(ParseDuration, NeedsNoUnitForZero) {
  EXPECT_EQ(parse_duration("0").value, milliseconds{0});
  EXPECT_EQ(parse_duration("000").value, milliseconds{0});
}

TEST(ParseDuration, TellsAMissingUnitFromNonsense) {
  for (const char* text : {"30", "1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_duration(text).value) << text;
    EXPECT_EQ(parse_duration(text).fault, DurationFault::no_unit) << text;
  }
  for (const char* text : {"", "s", "ms", "-5s", "+5s", "5 s", " 5s", "5s ", "1.s", ".5s", "1.5.5s",
                           "1,5s", "5S", "5min", "5w", "0x5s", "forever", "5s5s"}) {
    EXPECT_FALSE(parse_duration(text).value) << text;
    EXPECT_EQ(parse_duration(text).fault, DurationFault::no_duration) << text;
  }
}

TEST(ParseDuration, RefusesWhatDoesNotFit) {
  for (const char* text : {"365001d", "9223372036854775807d", "99999999999999999999999ms"}) {
    EXPECT_FALSE(parse_duration(text).value) << text;
    EXPECT_EQ(parse_duration(text).fault, DurationFault::out_of_range) << text;
  }
  EXPECT_EQ(parse_duration("365000d").value, hours{24} * 365'000);
}

RC_GTEST_PROP(ParseDuration, IsExactForEveryCount, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(0, 100'000'000);
  RC_ASSERT(parse_duration(std::to_string(count) + "ms").value == milliseconds{count});
  RC_ASSERT(parse_duration(std::to_string(count) + "s").value == seconds{count});
}

TEST(Readable, IsAsExactAsAReaderWants) {
  EXPECT_EQ(readable(Duration{0}), "0 s");
  EXPECT_EQ(readable(Duration{-7}), "0 s");
  EXPECT_EQ(readable(Duration{400}), "0.4 ms");
  EXPECT_EQ(readable(milliseconds{12}), "12 ms");
  EXPECT_EQ(readable(milliseconds{300}), "0.3 s");
  EXPECT_EQ(readable(seconds{3}), "3 s");
  EXPECT_EQ(readable(milliseconds{41'210}), "41 s");
  EXPECT_EQ(readable(seconds{119}), "119 s");
  EXPECT_EQ(readable(seconds{12 * 60 + 5}), "12 min");
  EXPECT_EQ(readable(hours{3} + minutes{5}), "3 h 5 min");
  EXPECT_EQ(readable(hours{52}), "2 d 4 h");
}

}  // namespace
}  // namespace interlock::cli
