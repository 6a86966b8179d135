#include "metrics/metrics_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <functional>
#include <future>
#include <system_error>

#include "console/talk.hpp"
#include "http/listen_address.hpp"
#include "interlock/posix/failure.hpp"
#include "system/run_on.hpp"

namespace interlock::cli {
namespace {

// Between two writes of the file.
constexpr std::chrono::seconds least_pause{1};

Fallible<std::pair<std::string, std::string>> parse_label(const Given& given) {
  const auto equals = given.text.find('=');
  if (equals == std::string::npos) {
    return Failure(usage, fmt::format("{} is no label; write NAME=VALUE", given.said()));
  }
  // To Prometheus a label without a value is none.
  if (equals + 1 == given.text.size()) {
    return Failure(usage, fmt::format("{} has no value; write NAME=VALUE", given.said()));
  }
  return std::pair(given.text.substr(0, equals), given.text.substr(equals + 1));
}

std::string respond(const HttpRequest& request, const Metrics& metrics) {
  if (request.path != "/metrics") {
    return http_refusal("404 Not Found", {}, "the metrics are at /metrics\n");
  }
  return http_page(request, fmt::format("Content-Type: {}\r\n", Metrics::content_type),
                   [&] { return metrics.prometheus(); });
}

}  // namespace

Fallible<std::optional<MetricsPlace>> MetricsPlace::prepare_if_given(
    const LockFlags& flags, const std::vector<LockName>& locks) {
  const std::optional<Given>& label = flags.metrics_label;
  if (!flags.metrics) {
    if (!label) return std::nullopt;
    return Failure(
        usage, fmt::format("{} without --metrics; write --metrics WHERE as well", label->said()));
  }
  MetricsPlace place;
  place.said = flags.metrics->said();
  place.locks = locks;
  place.options.lock_label = locks.size() > 1;  // each lock of a set has series of its own
  if (locks.size() == 1) {
    place.options.labels.emplace_back("lock", printable(locks[0].text(), LockName::size_max));
  }
  if (label) {
    auto pair = parse_label(*label);
    if (!pair) return pair.error();
    place.options.labels.push_back(*std::move(pair));
    if (const auto error = place.options.wrong()) {
      return Failure(usage, fmt::format("{}: {}", label->said(), error->detail()));
    }
  }
  if (const auto address = ListenAddress::parse(flags.metrics->text)) {
    auto listener = address->listen(place.said);
    if (!listener) return listener.error();
    place.listener = std::move(*listener);
    return place;
  }
  if (flags.metrics->text.starts_with(':')) {
    return Failure(usage,
                   fmt::format("{} is no address: write :PORT, HOST:PORT or [IPV6]:PORT, with a "
                               "port of 0 to 65535, or ./ before the name of a file",
                               place.said));
  }
  auto file = ReportFile::prepare(flags.metrics->text, place.said, usage);
  if (!file) return file.error();
  place.file = std::move(*file);
  return place;
}

Fallible<std::unique_ptr<MetricsOutput>> MetricsOutput::begin(MetricsPlace place, EventSink& next) {
  auto loop = EventLoop::open();
  if (!loop) return Failure(operating_system, loop.error().detail());
  std::unique_ptr<MetricsOutput> output(
      new MetricsOutput(std::move(place), next, *std::move(loop)));
  if (!output->file_) {
    output->serve();
    return output;
  }
  run_on(*output->loop_, [made = output.get()] {
    made->timer_ = made->loop_->timer([made] { made->write_now(); });
  });
  if (output->file_->write(output->metrics_.prometheus())) return output;
  const int why = errno;
  // Its destructor will fail as well, and need not say so.
  output->told_of_failure_ = true;
  return Failure(operating_system, fmt::format("{} cannot be written: {}; name a file elsewhere",
                                               output->said_, posix::system_text(why)));
}

MetricsOutput::MetricsOutput(MetricsPlace place, EventSink& next, std::unique_ptr<EventLoop> loop)
    : said_(std::move(place.said)),
      file_(std::move(place.file)),
      listener_(std::move(place.listener)),
      next_(next),
      metrics_(std::move(place.options)),
      loop_(std::move(loop)) {
  for (LockName& each : place.locks) counted_.try_emplace(std::move(each));
}

MetricsOutput::~MetricsOutput() {
  run_on(*loop_, [this] {
    timer_.reset();
    server_.reset();
    if (file_) write_now();
  });
}

void MetricsOutput::serve() {
  const std::string url = listening_url(listener_) + "/metrics";
  const bool is_chosen_by_system = said_.ends_with(":0");
  run_on(*loop_, [this] {
    server_ = std::make_unique<HttpServer>(
        *loop_, std::move(listener_),
        [this](const HttpRequest& request) { return respond(request, metrics_); });
  });
  if (is_chosen_by_system) say(fmt::format("metrics are at {}", url));
}

void MetricsOutput::on_event(const Event& event) noexcept {
  if (is_first(event)) count(event);
  next_.on_event(event);
}

bool MetricsOutput::is_first(const Event& event) noexcept {
  const auto found = counted_.find(event.name);
  if (found == counted_.end()) return true;
  if (event.kind == EventKind::lost) return !found->second.loss.exchange(true);
  if (event.kind == EventKind::hold_ended) return !found->second.end.exchange(true);
  return true;
}

void MetricsOutput::count_loss(const Guard& guard) noexcept {
  Event lost(EventKind::lost, guard.name());
  lost.loss = guard.loss().value_or(LossReason::not_renewed_in_time);
  if (is_first(lost)) count(lost);
}

void MetricsOutput::count_end(const Guard& guard, Duration held) noexcept {
  count_loss(guard);
  Event ended(EventKind::hold_ended, guard.name());
  ended.took = held;
  if (is_first(ended)) count(ended);
}

void MetricsOutput::count(const Event& event) noexcept {
  metrics_.on_event(event);
  if (!file_ || write_is_due_.exchange(true)) return;
  loop_->post([this] { write_soon(); });
}

void MetricsOutput::write_soon() {
  const TimePoint due = written_ + least_pause;
  const TimePoint now = loop_->now();
  if (now >= due) return write_now();
  // None: the last write has come before.
  if (timer_) timer_->arm(due - now);
}

void MetricsOutput::write_now() {
  // Cleared first: an event that comes while this writes is due again.
  write_is_due_ = false;
  written_ = loop_->now();
  const bool written = file_->write(metrics_.prometheus());
  const int why = errno;
  // Once for each time that it begins to fail.
  if (!written && !told_of_failure_) {
    say(fmt::format("{} not written: {}: the lock is not affected; the file has old metrics", said_,
                    posix::system_text(why)));
  }
  told_of_failure_ = !written;
}

void MetricsOutput::write_within(Duration limit) {
  if (!file_) return;
  // Shared, because the job may outlive the wait.
  const auto task = std::make_shared<std::packaged_task<void()>>([this] { write_now(); });
  loop_->post([task] { (*task)(); });
  task->get_future().wait_for(limit);
}

}  // namespace interlock::cli
