// --metrics: what the program counts, in a file or for those who ask over HTTP.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/failure.hpp"
#include "http/http_server.hpp"
#include "interlock/event_loop.hpp"
#include "interlock/guard.hpp"
#include "interlock/metrics.hpp"
#include "lock/lock_flags.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {

// Where the metrics go.
class MetricsPlace {
 public:
  // As --metrics and --metrics-label say; none: they are not given. Makes sure that the file can be
  // written, or listens on the address. Fails with `usage`, and with 71 if the system refuses the
  // port or has no space.
  static Fallible<std::optional<MetricsPlace>> prepare_if_given(const LockFlags& flags,
                                                                const std::vector<LockName>& locks);

  std::string said;  // `--metrics F`
  std::optional<ReportFile> file;
  posix::Descriptor listener;  // if there is no file
  MetricsOptions options;
  std::vector<LockName> locks;
};

// Counts the events of one client, which acquires its locks once, and must end before it. A thread
// of its own writes and serves, so that neither a slow disk nor a client of the server delays a
// renewal.
class MetricsOutput final : public EventSink {
 public:
  // Writes the file for the first time, or begins to serve. `next` gets each event, too. Start it
  // after the last fork. Fails with 71.
  static Fallible<std::unique_ptr<MetricsOutput>> begin(MetricsPlace place, EventSink& next);
  // Writes the file for the last time, or ends the server.
  ~MetricsOutput() override;
  MetricsOutput(const MetricsOutput&) = delete;
  MetricsOutput& operator=(const MetricsOutput&) = delete;

  void on_event(const Event& event) noexcept override;
  // Counts a loss that the client has not reported yet: the program gives the lock up before the
  // lease is over. A later report of the client is not counted again. Call it before the guard is
  // released.
  void count_loss(const Guard& guard) noexcept;
  // Counts the same, and that the lock is not held any more, after `held`: for an end that waits
  // for no release and for no later report of the client.
  void count_end(const Guard& guard, Duration held) noexcept;
  // For an end without destructors: writes the file now. Gives up to wait for that after `limit`.
  void write_within(Duration limit);

 private:
  MetricsOutput(MetricsPlace place, EventSink& next, std::unique_ptr<EventLoop> loop);
  void serve();
  void count(const Event& event) noexcept;
  // For each lock, an event of these kinds is counted once: the program may know of it before the
  // client does.
  bool is_first(const Event& event) noexcept;
  // On the loop's thread.
  void write_soon();
  void write_now();

  const std::string said_;
  const std::optional<ReportFile> file_;
  posix::Descriptor listener_;
  EventSink& next_;
  Metrics metrics_;
  class Counted {
   public:
    std::atomic<bool> loss = false;
    std::atomic<bool> end = false;
  };
  std::map<LockName, Counted> counted_;
  std::atomic<bool> write_is_due_ = false;
  // Below: on the loop's thread.
  TimePoint written_{};
  bool told_of_failure_ = false;
  std::unique_ptr<Reactor::Timer> timer_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<EventLoop> loop_;
};

}  // namespace interlock::cli
