// How an instant passes, for all clients and servers.
#pragma once

#include "model/expander.hpp"

namespace interlock::sim {

template <class S, class D, class Emit>
void Expander<S, D, Emit>::pass_time(const S& state, Action action) {
  S next = state;
  D detail;
  detail.action = action;
  if (engine_.endless) {
    age_all(next, detail);
  } else {
    next.set(engine_.time_component(), time_ + 1);
    age_stores(next, budget_of(next), static_cast<std::int32_t>(time_ + 1));
  }
  if (engine_.monitor().has_histories()) {
    const std::size_t component = engine_.monitor_component();
    next.set(component, engine_.monitor().begin_all_calls(next[component]));
  }
  settle(next, detail);
  emit_(next, detail);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::age_stores(S& state, std::uint32_t budget, std::int32_t time) {
  for (std::size_t server = 0; server < engine_.servers(); ++server) {
    const std::size_t component = engine_.store_component(server);
    const std::int32_t now = engine_.budgets().server_clock(budget, server, time);
    state.set(component, engine_.stores().at_time(state[component], now));
  }
}

// The present stays where it is, and everything else moves into the past.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::age_all(S& state, D& detail) {
  if constexpr (D::is_independent) {
    detail.to_others = ToOthers::age;
  } else {
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      state.set(client, engine_.process(client).aged(state[client]));
    }
  }
  for (std::size_t server = 0; server < engine_.servers(); ++server) {
    const std::size_t component = engine_.store_component(server);
    const std::int32_t now = engine_.budgets().server_clock(budget_of(state), server, 0);
    state.set(component, engine_.stores().aged(state[component], now));
  }
  if (engine_.monitor().beliefs_end()) {
    const std::size_t component = engine_.monitor_component();
    state.set(component, engine_.monitor().aged(state[component]));
  }
}

}  // namespace interlock::sim
