// See recorded_runs.hpp. The runs need not make sense: a drawing has to survive them all.
#pragma once

#include <array>
#include <string>

#include "interlock/sim/run.hpp"

namespace interlock::sim::testing {

template <class Draw>
std::string random_text(Draw draw) {
  constexpr std::array words{"lock.foo",
                             "",
                             "a",
                             "il1:A1",
                             "il1:B12",
                             "schlüssel",
                             "鍵",
                             "\x1b[2J",
                             "x\ny",
                             "\xff",
                             "123456",
                             "a b",
                             "a-very-long-name-that-nobody-would-ever-want-to-type-in-full",
                             "→",
                             "#1"};
  return words[draw(words.size())];
}

template <class Draw>
Operation random_operation(Draw draw) {
  constexpr std::array kinds{
      OperationKind::get,       OperationKind::set,      OperationKind::set_if_absent,
      OperationKind::exchange,  OperationKind::erase,    OperationKind::remaining,
      OperationKind::increment, OperationKind::claim,    OperationKind::release,
      OperationKind::publish,   OperationKind::subscribe};
  Operation operation(kinds[draw(kinds.size())], Key(random_text(draw)));
  operation.value = random_text(draw);
  if (operation.kind == OperationKind::claim) operation.ttl = milliseconds(draw(100'000));
  return operation;
}

template <class Draw>
Snapshot random_world(Draw draw, std::size_t clients, Duration time) {
  Snapshot world;
  world.time = time;
  for (std::size_t key = draw(3); key > 0; --key) {
    KeyView view;
    view.server = draw(4) == 0 ? draw(5) : 0;
    view.key = random_text(draw);
    view.value = random_text(draw);
    if (draw(2) == 0) view.remaining = milliseconds(draw(100'000));
    world.keys.push_back(view);
  }
  for (std::size_t client = 0; client < clients; ++client) {
    ClientView view;
    view.name = std::string(1, static_cast<char>('A' + client));
    view.status = static_cast<ClientView::Status>(draw(4));
    if (draw(3) == 0) view.inside.push_back(random_text(draw));
    view.next = random_text(draw);
    world.clients.push_back(view);
  }
  return world;
}

template <class Draw>
RunStep random_step(Draw draw, std::size_t clients, Duration time) {
  RunStep step;
  step.kind = static_cast<StepKind>(draw(9));
  if (step.kind != StepKind::time && draw(8) != 0) step.client = draw(clients);
  if (draw(4) == 0) step.fault = static_cast<Fault>(draw(fault_kinds));
  if (step.kind == StepKind::fault && !step.fault) step.fault = Fault::crash;
  step.what = random_text(draw);
  step.reply = random_text(draw);
  step.applied = draw(2) == 0;
  step.delivered = draw(3) != 0;
  if (step.kind == StepKind::operation || step.kind == StepKind::deliver ||
      step.kind == StepKind::late) {
    step.operation = random_operation(draw);
    if (draw(2) == 0) step.answer = Reply(Value(random_text(draw)));
    if (draw(4) == 0) step.answer = Reply(Error(Errc::rejected, "OOM"));
  }
  step.note = random_text(draw);
  if (draw(10) == 0) step.violates = "mutual exclusion of lock.foo";
  if (draw(20) == 0) step.violates = "no orphan of " + std::string(200, 'x');
  step.after = random_world(draw, clients, time);
  return step;
}

template <class Draw>
Run random_run(Draw draw) {
  Run run;
  run.scenario = random_text(draw);
  const std::size_t clients = 1 + draw(8);
  for (std::size_t client = 0; client < clients; ++client) {
    run.clients.push_back(draw(5) == 0 ? random_text(draw)
                                       : std::string(1, static_cast<char>('A' + client)));
  }
  run.clocks_start_at = std::chrono::seconds{draw(2) == 0 ? 100 : 1'700'000'000};
  run.before = random_world(draw, clients, Duration{0});
  Duration time{0};
  for (std::size_t steps = draw(60); steps > 0; --steps) {
    if (draw(4) == 0) time += milliseconds(draw(5'000));
    run.steps.push_back(random_step(draw, clients, time));
  }
  return run;
}

}  // namespace interlock::sim::testing
