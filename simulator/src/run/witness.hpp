// Runs the real coroutines of one run beside it, and compares what each client does with what the
// tables say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/engine.hpp"
#include "model/expand.hpp"
#include "model/snapshot.hpp"
#include "process/live_process.hpp"

namespace interlock::sim {

class Witness {
 public:
  explicit Witness(Engine& engine);

  // Calls the programs now, client after client, and not when each starts.
  void make_all(const WideState& first);
  // Empty, or what a client did instead.
  std::string follow(const WideState& before,
                     const WideState& after,
                     const TransitionTrace& detail);
  // Where a client waits; if it has not started, where it will wait first.
  std::vector<TaskLine> lines(const WideState& state, std::size_t client, bool has_started);

 private:
  std::unique_ptr<LiveProcess> process_of(std::size_t client, Life life) const;
  ClockReading clock(const WideState& state, std::size_t client);

  Engine& engine_;
  std::int32_t elapsed_ = 0;  // instants, where time has no end
  std::vector<std::unique_ptr<LiveProcess>> processes_;
};

}  // namespace interlock::sim
