#include "metrics_text.hpp"

#include <array>

namespace interlock {
namespace {

std::string decimal(std::int64_t millionths) {
  constexpr std::int64_t million = 1'000'000;
  constexpr std::size_t digits = 6;
  const std::string fraction = std::to_string(millionths % million);
  return std::to_string(millionths / million) + '.' + std::string(digits - fraction.size(), '0') +
         fraction;
}

class MetricsText {
 public:
  explicit MetricsText(const std::vector<LabelledSeries>& all) : all_(all) {}

  // `each(series)` is called for every set of series, and writes by sample() and histogram().
  template <class Each>
  void metric(const char* name, const char* type, const char* help, const Each& each) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    for (const LabelledSeries& one : all_) {
      labels_ = &one.labels;
      each(*one.series);
    }
  }

  void sample(const char* suffix, const std::string& label, const std::string& value) {
    text_.append(name_).append(suffix);
    const bool both = !labels_->empty() && !label.empty();
    if (!labels_->empty() || !label.empty()) {
      text_.append("{").append(*labels_).append(both ? "," : "").append(label).append("}");
    }
    text_.append(" ").append(value).append("\n");
  }
  void sample(const MetricSeries::EventCount& counter) {
    sample("", {}, std::to_string(counter.load(std::memory_order_relaxed)));
  }
  void sample(const std::atomic<std::int64_t>& gauge) {
    sample("", {}, std::to_string(gauge.load(std::memory_order_relaxed)));
  }
  void sample(const char* label, const char* value, const MetricSeries::EventCount& counter) {
    sample("", metric_label(label, value), std::to_string(counter.load(std::memory_order_relaxed)));
  }
  template <std::size_t size>
  void samples(const char* label,
               const std::array<const char*, size>& values,
               const std::array<MetricSeries::EventCount, size>& counters) {
    for (std::size_t at = 0; at < size; ++at) sample(label, values.at(at), counters.at(at));
  }
  void histogram(const Histogram& histogram) {
    std::uint64_t count = 0;
    std::size_t at = 0;
    for (const BucketBound& bound : histogram.bounds()) {
      count += histogram.in_bucket(at++);
      sample("_bucket", metric_label("le", bound.text), std::to_string(count));
    }
    count += histogram.in_bucket(at);
    sample("_bucket", metric_label("le", "+Inf"), std::to_string(count));
    sample("_sum", {}, decimal(histogram.sum_in_millionths()));
    sample("_count", {}, std::to_string(count));
  }

  std::string take() { return std::move(text_); }

 private:
  const std::vector<LabelledSeries>& all_;
  std::string text_;
  const char* name_ = "";
  const std::string* labels_ = nullptr;
};

void write_acquires(MetricsText& text) {
  text.metric("interlock_acquire_seconds", "histogram",
              "Time from the beginning of an acquire until the lock was granted.",
              [&](const MetricSeries& one) { text.histogram(one.acquire); });
  text.metric("interlock_not_acquired_total", "counter",
              "Acquires that ended without the lock, by reason; busy: another held it.",
              [&](const MetricSeries& one) {
                text.sample("reason", "busy", one.not_acquired_busy);
                text.samples("reason", MetricSeries::error_codes, one.not_acquired);
              });
  text.metric("interlock_waiting", "gauge", "Acquires that wait for a busy lock now.",
              [&](const MetricSeries& one) { text.sample(one.waiting); });
}

void write_holds(MetricsText& text) {
  text.metric("interlock_held", "gauge", "Locks that are held now.",
              [&](const MetricSeries& one) { text.sample(one.held); });
  text.metric("interlock_hold_seconds", "histogram",
              "Time from a grant until the lock's release began or the lock was lost.",
              [&](const MetricSeries& one) { text.histogram(one.hold); });
  text.metric("interlock_released_total", "counter", "Releases that the store confirmed.",
              [&](const MetricSeries& one) { text.sample(one.released); });
  text.metric("interlock_release_found_lost_total", "counter",
              "Releases that found that the lock was not held any more.",
              [&](const MetricSeries& one) { text.sample(one.release_found_lost); });
}

void write_renewals(MetricsText& text) {
  text.metric("interlock_renewal_seconds", "histogram", "Round trip of a renewal.",
              [&](const MetricSeries& one) { text.histogram(one.renewal); });
  text.metric("interlock_renewal_margin_ratio", "histogram",
              "Share of the lease that was left when its renewal was confirmed.",
              [&](const MetricSeries& one) { text.histogram(one.renewal_margin); });
  text.metric("interlock_renewal_margin_lowest_ratio", "gauge",
              "The lowest such share since the start; 1 before the first renewal.",
              [&](const MetricSeries& one) {
                text.sample("", {}, decimal(one.lowest_margin_in_millionths));
              });
  text.metric("interlock_at_risk_total", "counter",
              "How often two thirds of a lease passed without a confirmed renewal.",
              [&](const MetricSeries& one) { text.sample(one.at_risk); });
  text.metric("interlock_lost_total", "counter", "Locks that were lost while held, by reason.",
              [&](const MetricSeries& one) {
                text.samples("reason", MetricSeries::loss_reasons, one.lost);
              });
}

void write_store(MetricsText& text) {
  text.metric("interlock_store_errors_total", "counter",
              "Store operations that failed and were repeated or given up, by error code.",
              [&](const MetricSeries& one) {
                text.samples("code", MetricSeries::error_codes, one.store_errors);
              });
}

}  // namespace

std::string metric_label(std::string_view name, std::string_view value) {
  std::string label(name);
  label += "=\"";
  for (const char character : value) {
    if (character == '\\' || character == '"') label += '\\';
    if (character == '\n') {
      label += "\\n";
    } else {
      label += character;
    }
  }
  return label + '"';
}

std::string metrics_text(const std::vector<LabelledSeries>& all) {
  MetricsText text(all);
  write_acquires(text);
  write_holds(text);
  write_renewals(text);
  write_store(text);
  return text.take();
}

}  // namespace interlock
