// What Metrics counts of events, and how it writes that down.
#include "interlock/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "interlock/lock_failure.hpp"
#include "metrics_reader.hpp"
#include "support/child.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::metric;
using ::testing::HasSubstr;
using ::testing::Not;

const LockName deploy = *LockName::parse("deploy");

Event event_of(EventKind kind, Duration took = Duration::zero(), const LockName& lock = deploy) {
  Event event(kind, lock);
  event.took = took;
  return event;
}

TEST(Metrics, SortsTimesIntoBucketsThatIncludeTheirBounds) {
  Metrics metrics;
  metrics.on_event(event_of(EventKind::acquired, Duration(100)));
  metrics.on_event(event_of(EventKind::acquired, Duration(101)));
  metrics.on_event(event_of(EventKind::acquired, seconds{1801}));
  EXPECT_EQ(metric(metrics, R"(interlock_acquire_seconds_bucket{le="0.0001"})"), 1);
  EXPECT_EQ(metric(metrics, R"(interlock_acquire_seconds_bucket{le="0.00025"})"), 2);
  EXPECT_EQ(metric(metrics, R"(interlock_acquire_seconds_bucket{le="1800"})"), 2);
  EXPECT_EQ(metric(metrics, R"(interlock_acquire_seconds_bucket{le="+Inf"})"), 3);
  EXPECT_EQ(metric(metrics, "interlock_acquire_seconds_count"), 3);
  EXPECT_THAT(metrics.prometheus(), HasSubstr("\ninterlock_acquire_seconds_sum 1801.000201\n"));
}

TEST(Metrics, WritesTheTextFormat) {
  Metrics metrics;
  metrics.on_event(event_of(EventKind::at_risk));
  EXPECT_THAT(metrics.prometheus(),
              HasSubstr("# HELP interlock_at_risk_total How often two thirds of a lease passed "
                        "without a confirmed renewal.\n"
                        "# TYPE interlock_at_risk_total counter\n"
                        "interlock_at_risk_total 1\n"));
  EXPECT_EQ(metrics.prometheus().back(), '\n');
}

TEST(Metrics, CountsEachReasonOfALoss) {
  Metrics metrics;
  for (const LossReason why : {LossReason::gone, LossReason::gone, LossReason::held_by_another,
                               LossReason::not_renewed_in_time, LossReason::client_gone}) {
    Event lost = event_of(EventKind::lost);
    lost.loss = why;
    metrics.on_event(lost);
  }
  EXPECT_EQ(metric(metrics, R"(interlock_lost_total{reason="gone"})"), 2);
  EXPECT_EQ(metric(metrics, R"(interlock_lost_total{reason="held_by_another"})"), 1);
  EXPECT_EQ(metric(metrics, R"(interlock_lost_total{reason="not_renewed_in_time"})"), 1);
  EXPECT_EQ(metric(metrics, R"(interlock_lost_total{reason="client_gone"})"), 1);
}

TEST(Metrics, TellsAReleaseThatCameTooLateFromAnErrorOfTheStore) {
  Metrics metrics;
  Event error = event_of(EventKind::error);
  error.error = Error(Errc::rejected, "NOPERM");
  metrics.on_event(error);
  error.loss = LossReason::gone;
  metrics.on_event(error);
  EXPECT_EQ(metric(metrics, R"(interlock_store_errors_total{code="rejected"})"), 1);
  EXPECT_EQ(metric(metrics, "interlock_release_found_lost_total"), 1);
}

TEST(Metrics, KeepsTheLowestShareOfALeaseThatWasLeft) {
  Metrics metrics;
  EXPECT_EQ(metric(metrics, "interlock_renewal_margin_lowest_ratio"), 1);
  for (const double share : {0.66, 0.12, 0.5}) {
    Event renewed = event_of(EventKind::renewed, milliseconds{2});
    renewed.share_left = share;
    metrics.on_event(renewed);
  }
  EXPECT_EQ(metric(metrics, "interlock_renewal_margin_lowest_ratio"), 0.12);
  EXPECT_EQ(metric(metrics, R"(interlock_renewal_margin_ratio_bucket{le="0.1"})"), 0);
  EXPECT_EQ(metric(metrics, R"(interlock_renewal_margin_ratio_bucket{le="0.2"})"), 1);
  EXPECT_EQ(metric(metrics, R"(interlock_renewal_margin_ratio_bucket{le="1"})"), 3);
  EXPECT_EQ(metric(metrics, "interlock_renewal_seconds_count"), 3);
}

TEST(Metrics, AnAcquireThatReportsItsWaitAgainWaitsOnce) {
  Metrics metrics;
  Event waiting = event_of(EventKind::waiting);
  metrics.on_event(waiting);
  waiting.again = true;
  metrics.on_event(waiting);
  EXPECT_EQ(metric(metrics, "interlock_waiting"), 1);
  metrics.on_event(event_of(EventKind::wait_ended));
  EXPECT_EQ(metric(metrics, "interlock_waiting"), 0);
}

TEST(Metrics, NamesAreLabelsOnlyIfAskedFor) {
  Metrics without;
  without.on_event(event_of(EventKind::acquired));
  EXPECT_THAT(without.prometheus(), Not(HasSubstr("deploy")));
  MetricsOptions options;
  options.lock_label = true;
  Metrics with(options);
  with.on_event(event_of(EventKind::acquired));
  EXPECT_EQ(metric(with, R"(interlock_held{lock="deploy"})"), 1);
  EXPECT_EQ(metric(with, "interlock_held"), 0);
}

TEST(Metrics, NamesBeyondTheLimitAndThoseThatAreNotUtf8AreCountedTogether) {
  MetricsOptions options;
  options.lock_label = true;
  options.locks_max = 2;
  Metrics metrics(options);
  for (const char* name : {"a\xff", "a", "b", "c", "d", "a"}) {
    metrics.on_event(event_of(EventKind::acquired, Duration::zero(), *LockName::parse(name)));
  }
  EXPECT_EQ(metric(metrics, R"(interlock_held{lock="a"})"), 2);
  EXPECT_EQ(metric(metrics, R"(interlock_held{lock="b"})"), 1);
  EXPECT_EQ(metric(metrics, "interlock_held"), 3);
  EXPECT_THAT(metrics.prometheus(), Not(HasSubstr("lock=\"c\"")));
}

TEST(Metrics, EscapesLabels) {
  MetricsOptions options;
  options.lock_label = true;
  options.labels = {{"job", "a \"b\" \\ c\nd"}};
  Metrics metrics(options);
  metrics.on_event(
      event_of(EventKind::acquired, Duration::zero(), *LockName::parse(R"(in "C:\")")));
  EXPECT_EQ(metric(metrics, R"(interlock_held{lock="in \"C:\\\"",job="a \"b\" \\ c\nd"})"), 1);
}

TEST(Metrics, RefusesLabelsThatPrometheusWouldRefuse) {
  const auto refusal = [](std::vector<std::pair<std::string, std::string>> labels) {
    MetricsOptions options;
    options.labels = std::move(labels);
    const auto error = options.wrong();
    return error ? error->detail() : std::string();
  };
  EXPECT_EQ(refusal({{"job", "a"}, {"lock", "b"}}), "");
  EXPECT_THAT(refusal({{"", "a"}}), HasSubstr("is no label name"));
  EXPECT_THAT(refusal({{"1st", "a"}}), HasSubstr("is no label name"));
  EXPECT_THAT(refusal({{"__name__", "a"}}), HasSubstr("is no label name"));
  EXPECT_THAT(refusal({{"a-b", "a"}}), HasSubstr("is no label name"));
  EXPECT_THAT(refusal({{"le", "a"}}), HasSubstr("in use already"));
  EXPECT_THAT(refusal({{"job", "a"}, {"job", "b"}}), HasSubstr("in use already"));
  EXPECT_THAT(refusal({{"job", "\xff"}}), HasSubstr("not UTF-8"));
  MetricsOptions options;
  options.locks_max = 100'001;
  EXPECT_THROW(Metrics{options}, LockFailure);
}

class LastKind final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override { kind = event.kind; }
  bool on_exception(std::exception_ptr) noexcept override { return has_exception = true; }
  std::optional<EventKind> kind;
  bool has_exception = false;
};

TEST(Metrics, PassesEventsAndExceptionsOn) {
  LastKind next;
  MetricsOptions options;
  options.next = &next;
  Metrics metrics(options);
  metrics.on_event(event_of(EventKind::at_risk));
  EXPECT_EQ(next.kind, EventKind::at_risk);
  EXPECT_TRUE(metrics.on_exception(nullptr));
  EXPECT_TRUE(next.has_exception);
  Metrics alone;
  EXPECT_FALSE(alone.on_exception(nullptr));
}

TEST(Metrics, InAChildOfForkNothingIsCountedOrPassedOn) {
  LastKind next;
  MetricsOptions options;
  options.next = &next;
  Metrics metrics(options);
  EXPECT_EQ(test::in_child([&] {
              metrics.on_event(event_of(EventKind::acquired));
              if (!metrics.prometheus().empty() || next.kind) return 1;
              Metrics own;
              own.on_event(event_of(EventKind::acquired));
              return test::metric(own, "interlock_held") == 1 ? 0 : 2;
            }),
            0);
  EXPECT_EQ(metric(metrics, "interlock_held"), 0);
}

TEST(Metrics, CountsTheEventsOfManyThreads) {
  constexpr int threads_of_test = 4;
  constexpr int events_of_each = 2000;
  MetricsOptions options;
  options.lock_label = true;
  Metrics metrics(options);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < threads_of_test; ++thread) {
    threads.emplace_back([&] {
      for (int at = 0; at < events_of_each; ++at) {
        const LockName name = *LockName::parse("lock " + std::to_string(at % 10));
        metrics.on_event(event_of(EventKind::released, Duration::zero(), name));
        if (at % 100 != 0) continue;
        EXPECT_FALSE(metrics.prometheus().empty());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(metric(metrics, R"(interlock_released_total{lock="lock 3"})"),
            threads_of_test * events_of_each / 10);
}

}  // namespace
}  // namespace interlock
