#include "audit/rehearsal.hpp"

#include <algorithm>
#include <optional>

#include "run/world.hpp"

namespace interlock::sim {
namespace {

constexpr std::size_t steps_at_most = 200;

// A step of the client that comes next after `last` and can move; else time passes.
std::optional<TracedStep> in_turn(const std::vector<TracedStep>& steps,
                                  std::size_t clients,
                                  std::size_t last) {
  std::optional<TracedStep> next;
  std::size_t nearest = clients + 1;
  for (const TracedStep& step : steps) {
    const Action& action = step.detail.action;
    if (action.fault()) continue;
    const bool is_time = action.is(ActionKind::time);
    const std::size_t away = is_time ? clients : (action.actor() + clients - last - 1) % clients;
    if (away >= nearest) continue;
    nearest = away;
    next = step;
  }
  return next;
}

}  // namespace

Rehearsal::Rehearsal(Engine& engine) : engine_(engine), witness_(engine) {
  witness_.make_all(engine.initial<WideState>());
}

std::string Rehearsal::run() {
  auto world = engine_.initial<WideState>();
  std::size_t last = engine_.clients() - 1;
  for (std::size_t taken = 0; taken < steps_at_most; ++taken) {
    const auto step =
        in_turn(possible_steps<TransitionTrace>(engine_, world), engine_.clients(), last);
    if (!step || !engine_.why_no_verdict().empty()) break;
    std::string difference = witness_.follow(world, step->next, step->detail);
    if (!difference.empty()) return difference;
    if (!step->detail.action.is(ActionKind::time)) last = step->detail.action.actor();
    world = step->next;
  }
  return {};
}

}  // namespace interlock::sim
