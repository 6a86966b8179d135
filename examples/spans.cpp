// A span of OpenTelemetry for each acquire, hold and renewal. An event comes at the end of what it
// tells of and says how long that took, so a span can be made of it without a table of open spans.
#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

using interlock::Event;
using interlock::EventKind;

// Stands for opentelemetry::trace::Tracer. With the real one, record() is
//   StartSpanOptions began;   // start_system_time and start_steady_time: now() - event.took
//   auto span = tracer->StartSpan(name, {{"lock", event.name.text()}}, began);
//   if (failed) span->SetStatus(StatusCode::kError);
//   span->End();
class Spans final : public interlock::EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::acquired) record("lock.acquire", event, false);
    if (event.kind == EventKind::not_acquired) record("lock.acquire", event, true);
    if (event.kind == EventKind::renewed) record("lock.renew", event, false);
    if (event.kind == EventKind::hold_ended) record("lock.hold", event, false);
  }

 private:
  static void record(const char* name, const Event& event, bool failed) {
    std::printf("%s lock=%s us=%lld%s\n", name, event.name.text().c_str(),
                static_cast<long long>(event.took.count()), failed ? " error" : "");
  }
};

int main() {
  Spans spans;  // outlives the client
  interlock::ClientOptions options;
  options.events = &spans;
  interlock::Client locks(interlock::memory::backend(), options);
  const auto held = locks.acquire("orders/42");
  return held && !locks.try_acquire("orders/42") ? 0 : 1;
}
