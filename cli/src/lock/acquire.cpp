#include "lock/acquire.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "console/duration_text.hpp"
#include "console/exit_code.hpp"
#include "console/talk.hpp"
#include "interlock/local_clock.hpp"
#include "lock/holder.hpp"
#include "lock/lock_flags.hpp"
#include "supervision/supervise.hpp"
#include "system/event_descriptor.hpp"
#include "system/timer_descriptor.hpp"

namespace interlock::cli {
namespace {

// One line at the bottom of a terminal.
class WaitingLine {
 public:
  explicit WaitingLine(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {
    const char* const kind = std::getenv("TERM");
    rewritable_ = kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
  }
  ~WaitingLine() {
    if (written_ && rewritable_) put("\r\033[K");
  }
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  bool shown() const { return shown_; }

  void show(const std::string& text) {
    if (!shown_ || (written_ && !rewritable_)) return;
    // It would be out of date when it is read.
    if (!messages_are_read()) return;
    // A line that the terminal wraps cannot be rewritten, so wrapping is switched off.
    put(rewritable_ ? "\r\033[K\033[?7l" + text + "\033[?7h" : text + "\n");
    written_ = true;
  }

 private:
  bool shown_;
  bool rewritable_ = false;
  bool written_ = false;
};

std::string in_words(const Event& event, bool locks_stay) {
  std::string name = printable(event.name.text(), 100);
  switch (event.kind) {
    case EventKind::acquired:
      return fmt::format("acquired '{}' after {}, token {}", name, readable(event.took),
                         event.fencing.value());
    case EventKind::waiting:
      return fmt::format("waiting for '{}'{}", name,
                         event.busy ? ": " + busy_text(*event.busy) : std::string());
    case EventKind::renewed:
      return fmt::format("renewed '{}' in {}", name, readable(event.took));
    case EventKind::at_risk:
      return fmt::format("'{}' is at risk: its renewal is overdue", name);
    case EventKind::released:
      return locks_stay ? fmt::format("left '{}' held for the rest of its time", name)
                        : fmt::format("released '{}' in {}", name, readable(event.took));
    case EventKind::error:
      return fmt::format("'{}': {}", name,
                         event.error ? printable(event.error->detail(), 300) : "unknown error");
    case EventKind::lost:
      return fmt::format("'{}' is lost", name);
    // What follows from these is said at the end.
    case EventKind::wait_ended:
    case EventKind::not_acquired:
    case EventKind::hold_ended:
      break;
  }
  return {};
}

}  // namespace

void News::on_event(const Event& event) noexcept {
  if (event.kind == EventKind::waiting) {
    const std::lock_guard lock(mutex_);
    busy_.reset();
    if (event.busy) {
      busy_ = BusyLock(event.name, around_us_.seen_from_inside(event.name, *event.busy));
    }
    heard_ = local_now();
    outage_.reset();
    if (busy_ && held_around_us(busy_->busy.holder)) waits_for_us_.ring();
  }
  if (event.kind == EventKind::error && event.error && is_out_of_reach(*event.error)) {
    const std::lock_guard lock(mutex_);
    outage_ = event.error;
  }
  if (event.kind == EventKind::error && event.error && event.error->code() == Errc::rejected) {
    const std::lock_guard lock(mutex_);
    renewal_refused_[event.name] = event.error->detail();
  }
  if (event.kind == EventKind::acquired) {
    const std::lock_guard lock(mutex_);
    renewal_refused_.erase(event.name);
  }
  if (event.kind == EventKind::renewed) {
    const std::lock_guard lock(mutex_);
    renewed_[event.name] = local_now() - event.took;
    renewal_refused_.erase(event.name);
  }
  if (!aloud_) return;
  const std::string words = in_words(event, locks_stay_);
  if (!words.empty()) say(words);
}

std::optional<TimePoint> News::renewed(const LockName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = renewed_.find(name);
  return found == renewed_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> News::renewal_refused(const LockName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = renewal_refused_.find(name);
  return found == renewal_refused_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<BusyLock> News::waiting_for() const {
  const std::lock_guard lock(mutex_);
  if (!busy_) return std::nullopt;
  BusyLock waited_for = *busy_;
  Busy& busy = waited_for.busy;
  if (busy.held_for) {
    *busy.held_for += std::chrono::duration_cast<milliseconds>(local_now() - heard_);
  }
  if (busy.holder.is_quarantine() && busy.remaining) {
    const auto since = std::chrono::duration_cast<milliseconds>(local_now() - heard_);
    busy.remaining = std::max(milliseconds{0}, *busy.remaining - since);
  }
  return waited_for;
}

std::optional<Error> News::store_outage() const {
  const std::lock_guard lock(mutex_);
  return outage_;
}

bool store_says_lost(const GuardSet& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& each) {
    const auto loss = each.loss();
    return loss && *loss != LossReason::not_renewed_in_time;
  });
}

const Guard& lost_or_first_to_end(const GuardSet& guards) {
  if (const Guard* const lost = guards.lost()) return *lost;
  return *std::min_element(guards.begin(), guards.end(), [](const Guard& one, const Guard& other) {
    return one.certain_until() < other.certain_until();
  });
}

Acquired acquire(Client& client,
                 const News& news,
                 const std::vector<LockName>& names,
                 LockOptions options,
                 Signals& signals,
                 bool quiet,
                 StandardInput* input) {
  std::stop_source withdrawal;
  options.stop = withdrawal.get_token();
  std::optional<AcquireAllResult> result;
  // Made before the thread, because this may throw and the thread could not be ended then.
  const EventDescriptor done;
  TimerDescriptor alarm;
  // The client's call blocks, and this thread must handle signals meanwhile.
  std::jthread worker([&] {
    result.emplace(client.acquire_all(names, std::move(options)));
    done.ring();
  });

  WaitingLine line(quiet);
  if (line.shown() || input != nullptr) alarm.arm(std::chrono::seconds{1});
  int interrupted = 0;
  bool for_ever = false;
  bool input_ended = false;
  std::array<pollfd, 5> files{{{done.descriptor(), POLLIN, 0},
                               {signals.descriptor(), POLLIN, 0},
                               {alarm.descriptor(), POLLIN, 0},
                               {news.descriptor(), POLLIN, 0},
                               {-1, POLLIN, 0}}};
  for (;;) {
    ::poll(files.data(), files.size(), -1);
    if (files[0].revents != 0) break;
    if (files[4].revents != 0 && input->has_ended()) {
      input_ended = true;
      input = nullptr;
      files[4].fd = -1;
      withdrawal.request_stop();
    }
    if (files[3].revents != 0) {
      for_ever = true;
      files[3].fd = -1;
      withdrawal.request_stop();
    }
    for (const Taken& each : signals.take()) {
      if (each.signal == SIGTSTP) stop_ourselves();
      if (!asks_to_end(each.signal)) continue;
      // A second signal while the claim is being withdrawn: the ttl ends a lock that may be left.
      if (interrupted != 0) std::_Exit(ended_by_signal(each.signal));
      interrupted = each.signal;
      withdrawal.request_stop();
    }
    if (files[2].revents != 0) {
      const auto outage = news.store_outage();
      const auto whom = news.waiting_for();
      if ((outage || whom) && interrupted == 0) {
        const std::string what = outage ? printable(outage->detail(), 300) : busy_text(whom->busy);
        // A quarantine or an outage is no lock's, so it is told of all of them.
        const bool is_of_one = !outage && whom;
        const std::string lock = is_of_one ? whom->name.text() : text_of(names);
        line.show(fmt::format("waiting for {}: {}", printable(lock, 100), what));
      }
      if (input != nullptr) files[4].fd = input->descriptor();
      alarm.arm(std::chrono::seconds{1});
    }
  }
  worker.join();

  if (interrupted != 0) {
    // The lock may have been granted nevertheless: then the guard's destructor releases it. Nothing
    // has run, so it does not stay held.
    if (*result) (**result).waive_at_least();
    result.reset();
    return Interrupted(interrupted);
  }
  if (input_ended) {
    result.reset();
    return InputEnded();
  }
  if (for_ever && result->error()) {
    if (const auto busy = news.waiting_for()) return *busy;
  }
  if (*result) return std::move(**result);
  if (const BusyLock* const busy = result->busy()) {
    return BusyLock(busy->name, news.around_us().seen_from_inside(busy->name, busy->busy));
  }
  return *result->error();
}

}  // namespace interlock::cli
