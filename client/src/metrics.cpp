#include "interlock/metrics.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "interlock/detail/safe_text.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/posix/fork.hpp"
#include "metrics_text.hpp"

namespace interlock {
namespace {

constexpr std::size_t most_locks = 100'000;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const detail::TextCharacter next = detail::first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

// Source: https://prometheus.io/docs/concepts/data_model/
bool is_label_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name.front()) && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), may_follow);
}

Error bad_options(const std::string& what) {
  return {Errc::invalid_argument, "metrics: " + what};
}

}  // namespace

std::optional<Error> MetricsOptions::wrong() const {
  if (locks_max > most_locks) {
    return bad_options("locks_max of " + std::to_string(locks_max) +
                       " is out of range: choose 0 to 100000");
  }
  std::set<std::string_view> taken{"le", "reason", "code"};
  if (lock_label) taken.insert("lock");
  for (const auto& [name, value] : labels) {
    const std::string shown = "label '" + detail::safe_text(name) + "'";
    if (!is_label_name(name)) {
      return bad_options(shown +
                         " is no label name: use letters, digits and underscores, no digit and no "
                         "two underscores first");
    }
    if (!taken.insert(name).second) {
      return bad_options(shown + " is in use already: choose another name");
    }
    if (!is_utf8(value)) return bad_options(shown + " has a value that is not UTF-8: write UTF-8");
  }
  return std::nullopt;
}

class Metrics::Counts {
 public:
  explicit Counts(MetricsOptions of) : options(std::move(of)) {
    for (const auto& [name, value] : options.labels) {
      labels_ += (labels_.empty() ? "" : ",") + metric_label(name, value);
    }
  }

  MetricSeries& series_of(const LockName& lock) noexcept {
    if (!options.lock_label) return rest_;
    {
      const std::shared_lock reading(mutex_);
      const auto known = locks_.find(lock);
      if (known != locks_.end()) return *known->second;
      if (locks_.size() >= options.locks_max) return rest_;
    }
    if (!is_utf8(lock.text())) return rest_;
    try {
      return add(lock);
    } catch (const std::bad_alloc&) {
      return rest_;
    }
  }

  std::string text() const {
    // Prometheus stores samples best in an order that stays.
    std::map<std::string_view, const MetricSeries*> sorted;
    {
      const std::shared_lock reading(mutex_);
      for (const auto& [lock, series] : locks_) sorted.emplace(lock.text(), series.get());
    }
    std::vector<LabelledSeries> all{{labels_, &rest_}};
    for (const auto& [lock, series] : sorted) {
      all.push_back({metric_label("lock", lock) + (labels_.empty() ? "" : "," + labels_), series});
    }
    return metrics_text(all);
  }

  // A thread of the parent may have held the mutex at the fork.
  bool in_child() const noexcept { return fork_.in_child(); }

  const MetricsOptions options;

 private:
  MetricSeries& add(const LockName& lock) {
    auto made = std::make_unique<MetricSeries>();
    const std::unique_lock writing(mutex_);
    if (locks_.size() >= options.locks_max && !locks_.contains(lock)) return rest_;
    return *locks_.try_emplace(lock, std::move(made)).first->second;
  }

  const posix::ForkMark fork_;
  std::string labels_;
  MetricSeries rest_;
  mutable std::shared_mutex mutex_;  // guards locks_; what an entry points to stays where it is
  std::unordered_map<LockName, std::unique_ptr<MetricSeries>> locks_;
};

Metrics::Metrics(MetricsOptions options) {
  if (auto error = options.wrong()) throw LockFailure(*std::move(error));
  counts_ = std::make_unique<Counts>(std::move(options));
}

Metrics::~Metrics() = default;

void Metrics::on_event(const Event& event) noexcept {
  if (counts_->in_child()) return;
  counts_->series_of(event.name).count(event);
  if (counts_->options.next != nullptr) counts_->options.next->on_event(event);
}

bool Metrics::on_exception(std::exception_ptr thrown) noexcept {
  EventSink* const next = counts_->options.next;
  return next != nullptr && !counts_->in_child() && next->on_exception(std::move(thrown));
}

std::string Metrics::prometheus() const {
  return counts_->in_child() ? std::string() : counts_->text();
}

}  // namespace interlock
