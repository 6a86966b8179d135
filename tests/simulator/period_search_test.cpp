// Jobs that run once in a period: nobody else runs while one runs, or before its period is over.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/period.hpp"
#include "interlock/sim/explore.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using catalogue::period_scenario;
using catalogue::PeriodOptions;
using std::chrono::seconds;

PeriodOptions long_job() {
  PeriodOptions options;
  options.ttl = Ttl(seconds{3});
  options.runs = seconds{1};
  options.renews = true;
  options.stays = options.period = seconds{4};
  return options;
}

Verdict search(std::size_t clients, const PeriodOptions& options, const FaultBudget& faults = {}) {
  return explore(period_scenario(clients, options, 6).faults(faults));
}

TEST(PeriodSearch, FourClientsAreProved) {
  const Verdict verdict = search(4, PeriodOptions());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(PeriodSearch, ThreeClientsWhoseJobsAreRenewedAreProved) {
  const Verdict verdict = search(3, long_job());
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(PeriodSearch, ALockThatIsFreedRunsTwiceInAPeriod) {
  PeriodOptions options;
  options.stays = Duration::zero();
  const Verdict verdict = search(2, options);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
}

TEST(PeriodSearch, ALockThatStaysForLessThanThePeriodRunsTwiceInIt) {
  PeriodOptions options;
  options.stays = options.period - seconds{2};
  EXPECT_EQ(search(2, options).outcome, Outcome::violated);
}

class WithOneFault : public ::testing::TestWithParam<Fault> {};

TEST_P(WithOneFault, ThreeClientsAreProved) {
  const Verdict verdict = search(3, PeriodOptions(), FaultBudget().allow(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

INSTANTIATE_TEST_SUITE_P(Period, WithOneFault, faults_that_keep_keys(), name_of);

}  // namespace
}  // namespace interlock::sim
