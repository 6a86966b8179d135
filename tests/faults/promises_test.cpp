// Each fault in turn, and what docs/faults.md promises of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"
#include "suite/faults.hpp"

namespace interlock::test {
namespace {

class Promises : public testing::TestWithParam<Fault> {};

TEST_P(Promises, AreKept) {
  World world(GetParam().settings());
  for (int times = 0; times < 2; ++times) ASSERT_EQ(live_through(world, GetParam()), "");
  EXPECT_EQ(world.finish(), "");
  EXPECT_EQ(to_string(world.history().check()), "");
  RecordProperty("sections", std::to_string(world.history().sections().size()));
}

std::string name_of(const testing::TestParamInfo<Fault>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, Promises, testing::ValuesIn(faults()), name_of);

TEST(FaultsDocument, IsCurrent) {
  EXPECT_EQ(contents(INTERLOCK_FAULTS_DOCUMENT), faults_document()) << "run scripts/document";
}

}  // namespace

// What a failed test says of its parameter.
void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.title;
}

}  // namespace interlock::test
