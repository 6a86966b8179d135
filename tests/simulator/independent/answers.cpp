#include "answers.hpp"

#include <algorithm>

#include "rules.hpp"

namespace interlock::sim::independent {

bool Answers::allows(Fault fault) const {
  return left(world_, fault) > 0 && left(world_) > 0;
}

int Answers::left(const World& world, Fault fault) const {
  return limit(fault) - world.used[static_cast<std::size_t>(fault)];
}

// Besides those that connections are still to break by.
int Answers::left(const World& world) const {
  return trial_.at_most - world.faults() - static_cast<int>(world.breaks_to_come.size());
}

bool Answers::allows_break(Fault fault, int server) const {
  return left(world_, fault) > 0 && may_break(world_, server);
}

bool Answers::may_lose(const World& world, int server) const {
  return !trial_.requests_survive && may_break(world, server);
}

bool Answers::may_break(const World& world, int server) const {
  if (world.breaks_to_come.count(server) > 0) return true;
  const int breaks = left(world, Fault::restart) + left(world, Fault::restart_empty) +
                     left(world, Fault::failover);
  return breaks > static_cast<int>(world.breaks_to_come.size()) && left(world) > 0;
}

bool Answers::clocks_may_change() const {
  const bool set = limit(Fault::clock_jump) > 0 || limit(Fault::clock_back) > 0 ||
                   limit(Fault::drift) > 0 ||
                   (limit(Fault::failover) > 0 && trial_.replica.instants_ahead != 0);
  return set || !last_instant();
}

bool Answers::looks_between() const {
  return grain_ == Grain::fine || asks_predicates(trial_);
}

Step Answers::draft(StepKind kind, int client, std::optional<Fault> fault) const {
  Step step;
  step.after = world_;
  step.kind = kind;
  step.client = client;
  step.fault = fault;
  if (fault) ++step.after.used[static_cast<std::size_t>(*fault)];
  return step;
}

void Answers::emit(Step step) {
  note_believers(step, trial_);
  const std::set<std::string> broken = broken_in(step.after, trial_);
  step.broken.insert(broken.begin(), broken.end());
  steps_.push_back(std::move(step));
}

namespace {

bool read_clock(const std::vector<Ran>& ways) {
  return std::any_of(ways.begin(), ways.end(), [](const Ran& ran) { return ran.read_clock; });
}

}  // namespace

std::vector<Step> Answers::begun_by(int client, std::optional<Fault> fault) {
  const std::vector<Ran> ways =
      machine_.start(client, process(client), world_.clocks(trial_, client));
  std::vector<Step> all;
  for (const Ran& ran : ways) {
    Step begun = draft(StepKind::start, client, fault);
    change(begun.after, client) = ran.after;
    note_marks(begun, trial_, client, ran.marks);
    note_believers(begun, trial_);
    begun.reads_clock = read_clock(ways);
    all.push_back(std::move(begun));
  }
  return all;
}

bool Answers::asks_first(const Process& process) {
  const Waiting& first = process.tasks[0].waiting;
  return process.waiting() == 1 && first.what == Waiting::For::server && !first.unsubscribes();
}

const Subscription* Answers::heard_by(int client, int task) const {
  const Waiting& waiting = process(client).tasks[task].waiting;
  const std::vector<Subscription>& all = process(client).subscriptions;
  const auto id = static_cast<std::size_t>(waiting.subscription);
  return id < all.size() && all[id].open ? &all[id] : nullptr;
}

void Answers::end_subscription(World& world, int client, int id) {
  const auto at = static_cast<std::size_t>(id);
  if (at >= process(world, client).subscriptions.size()) return;
  Subscription& ended = change(world, client).subscriptions[at];
  ended.open = false;
  ended.pending = false;
  ended.broken = false;
}

// --- requests ---

void Answers::request(Step step, int client, int task) {
  const Waiting waiting = process(step.after, client).tasks[task].waiting;
  may_lose_request(step, client, task);
  step.applied = true;
  if (waiting.subscribes()) {
    std::vector<Subscription>& all = change(step.after, client).subscriptions;
    const auto id = static_cast<std::int64_t>(all.size());
    Subscription made;
    made.server = waiting.request.server;
    made.channel = waiting.request.key;
    all.push_back(made);
    answer(std::move(step), client, task, Answer::of(id));
  } else if (waiting.unsubscribes()) {
    end_subscription(step.after, client, waiting.subscription);
    answer(std::move(step), client, task, Answer());
  } else {
    const Answer told = carry_out(step, client, waiting.request);
    may_lose_answer(step, client, task);
    answer(std::move(step), client, task, told);
  }
}

void Answers::may_lose_request(const Step& step, int client, int task) {
  const TaskState& asking = process(step.after, client).tasks[task];
  if (grain_ == Grain::coarse) return await_break(step, client, task);
  if (asking.sent || !may_lose(step.after, asking.waiting.request.server)) return;
  Step sent = step;
  change(sent.after, client).tasks[task].sent = true;
  emit(std::move(sent));
}

void Answers::may_lose_answer(const Step& step, int client, int task) {
  if (grain_ == Grain::coarse) await_break(step, client, task);
}

void Answers::await_break(Step step, int client, int task) {
  const int server = process(step.after, client).tasks[task].waiting.request.server;
  if (!may_lose(step.after, server)) return;
  step.after.breaks_to_come.insert(server);
  TaskState& asking = change(step.after, client).tasks[task];
  asking.held = Answer::error(in_doubt);
  asking.awaits_break = true;
  emit(std::move(step));
}

namespace {

// A server looks at its clock if it is told for how long, or if it looks at a key that will end.
bool looks_at_its_clock(const Request& asked, const Keys& before) {
  const auto at = before.find(asked.key);
  const bool there = at != before.end();
  const bool ends = there && at->second.expiry;
  switch (asked.op) {
    case Op::publish:
      return false;
    case Op::set:
      return asked.ttl > 0;
    case Op::claim:
      return true;
    case Op::renew:
      return ends || (there && at->second.value == asked.value);
    case Op::release:
      return ends;
    default:
      return ends || asked.ttl > 0;
  }
}

bool hears(const Subscription& subscription, int server, const std::string& channel) {
  return subscription.open && subscription.server == server && subscription.channel == channel;
}

}  // namespace

Answer Answers::carry_out(Step& step, int client, const Request& asked, int deaf) {
  World& world = step.after;
  step.applied = true;
  Server& server = world.servers[static_cast<std::size_t>(asked.server)].change();
  const Keys before = server.keys;
  Applied applied = apply(server, asked, client, world.server_clock(trial_, asked.server));
  if (!asks_who_wrote(trial_)) {
    for (auto& [key, kept] : server.keys) kept.writer = nobody;
  }
  if (limit(Fault::failover) > 0 && server.keys != before) {
    server.past.insert(server.past.begin(), before);
    server.past.resize(std::min(server.past.size(), trial_.replica.missed_writes));
  }
  step.reads_clock = step.reads_clock || looks_at_its_clock(asked, before);
  note_change(step, trial_, client, asked, applied.answer, before, server.keys);
  if (asked.op == Op::publish) {
    applied.answer = Answer::of(std::int64_t{listeners(world, asked, deaf)});
  }
  for (const std::string& channel : applied.told) tell(world, asked.server, channel, deaf);
  return applied.answer;
}

int Answers::listeners(const World& world, const Request& asked, int deaf) const {
  int count = 0;
  for (int client = 0; client < clients(); ++client) {
    if (client == deaf) continue;
    for (const Subscription& one : process(world, client).subscriptions) {
      count += hears(one, asked.server, asked.key) ? 1 : 0;
    }
  }
  return count;
}

void Answers::tell(World& world, int server, const std::string& channel, int deaf) const {
  for (int client = 0; client < clients(); ++client) {
    if (client == deaf || process(world, client).subscriptions.empty()) continue;
    for (Subscription& one : change(world, client).subscriptions) {
      if (hears(one, server, channel)) one.pending = true;
    }
  }
}

// --- answers ---

void Answers::answer(Step step, int client, int task, const Answer& with) {
  const bool alone = process(step.after, client).waiting() <= 1;
  Step held = step;
  const Told told = answer_now(std::move(step), client, task, with);
  const bool matters = !alone || (told.reads_clock && clocks_may_change());
  if (!matters && !looks_between() && !is_missed(held.after, client, told)) return;
  hold(std::move(held), client, task, with);
}

void Answers::hold(Step held, int client, int task, const Answer& with) {
  TaskState& asking = change(held.after, client).tasks[task];
  asking.held = with;
  asking.sent = false;
  emit(std::move(held));
}

bool Answers::is_missed(const World& before, int client, Told told) const {
  const std::vector<Subscription>& all = process(before, client).subscriptions;
  const bool listens =
      std::any_of(all.begin(), all.end(), [](const Subscription& one) { return one.open; });
  return told.believes_less || (told.ends && (listens || may_begin_again(before)));
}

namespace {

// The first instant at which a belief until then is over.
std::int64_t instant_of(std::int64_t until, const Trial& trial) {
  const std::int64_t since = until - trial.first;
  return since / apart + (since % apart > 0 ? 1 : 0);
}

// That the client gives an end to a belief that had none, or one at an earlier instant.
bool believes_less(const World& before, const World& after, int client, const Trial& trial) {
  for (const auto& [lock, who] : before.inside) {
    const auto was = who.find(client);
    if (was == who.end()) continue;
    const Belief& is = after.inside.at(lock).at(client);
    if (!is.until) continue;
    if (!was->second.until || is.wall != was->second.wall ||
        instant_of(*is.until, trial) < instant_of(*was->second.until, trial)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Answers::Told Answers::answer_now(Step step, int client, int task, const Answer& with) {
  TaskState& asking = change(step.after, client).tasks[task];
  asking.sent = false;
  asking.cut = false;
  const std::vector<Ran> ways =
      machine_.tell(client, process(step.after, client), task, with, world_.clocks(trial_, client));
  Told told;
  told.reads_clock = read_clock(ways);
  for (const Ran& ran : ways) {
    Step one = step;
    one.delivered = true;
    one.reads_clock = one.reads_clock || told.reads_clock;
    change(one.after, client) = ran.after;
    note_marks(one, trial_, client, ran.marks);
    told.ends = told.ends || ran.after.finished();
    told.believes_less = told.believes_less || believes_less(step.after, one.after, client, trial_);
    emit(std::move(one));
  }
  return told;
}

}  // namespace interlock::sim::independent
