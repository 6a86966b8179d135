// Counts the events of clients, and gives the counts to Prometheus as text.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/events.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// What the series of a Metrics are called, and who gets the events next.
class MetricsOptions {
 public:
  // Gets each event, and each exception of a task, after it was counted. Must outlive the metrics.
  // Null: nobody.
  EventSink* next = nullptr;
  // True: each lock name has series of its own, with the label `lock`. Prometheus keeps a series
  // for each name that was ever used, so leave it false where names are made from data
  // ("orders/42").
  bool lock_label = false;
  // With lock_label: how many names have series of their own, 0 to 100'000, about 3 KiB each; the
  // first that are used. All other names, and those that are not UTF-8, are counted together in the
  // series without a `lock` label. A name is never forgotten.
  std::size_t locks_max = 1000;
  // Labels of every series, with their values: names of letters, digits and underscores that begin
  // with no digit and no two underscores, each at most once, and not `le`, `reason` or `code`. Also
  // not `lock` with lock_label. Values are UTF-8.
  std::vector<std::pair<std::string, std::string>> labels;

  // `invalid_argument`: the first field that is out of its range.
  std::optional<Error> wrong() const;
};

// An event sink for ClientOptions::events, for any number of clients, which must end before it:
//
//   interlock::Metrics metrics;
//   options.events = &metrics;
//   ...
//   send(metrics.prometheus());   // whenever the server asks
//
// docs/metrics.md lists the metrics. Times are in seconds, and are sorted into fixed buckets.
// Counters count since the object was made. Any thread may call anything. An event takes some
// atomic additions, and no memory unless it is the first of a name with lock_label. In a child of
// fork() nothing is counted, events are not passed on, and prometheus() is empty: make another
// object there.
class Metrics final : public EventSink {
 public:
  // Throws LockFailure with what options.wrong() says, and std::bad_alloc.
  explicit Metrics(MetricsOptions options = {});
  ~Metrics() override;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void on_event(const Event& event) noexcept override;
  bool on_exception(std::exception_ptr thrown) noexcept override;

  // All metrics, in the text format of Prometheus, version 0.0.4. Counts may go on while it reads
  // them, so two metrics may differ by events of that moment; each histogram agrees with itself.
  // Throws std::bad_alloc.
  std::string prometheus() const;
  // What a server says of that text.
  static constexpr const char* content_type = "text/plain; version=0.0.4; charset=utf-8";

 private:
  class Counts;
  std::unique_ptr<Counts> counts_;
};

}  // namespace interlock

#pragma GCC visibility pop
