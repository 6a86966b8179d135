#include "mishaps.hpp"

#include <algorithm>
#include <utility>

#include "answers.hpp"
#include "rules.hpp"

namespace interlock::sim::independent {
namespace {

class Mishaps : private Answers {
 public:
  using Answers::Answers;

  std::vector<Step> all() {
    for (int client = 0; client < clients(); ++client) {
      if (!process(client).finished()) of_client(client);
    }
    // What is there when all have ended can still change: the last write may be lost.
    if (!world_.over() || limit(Fault::failover) > 0) {
      for (int server = 0; server < trial_.servers; ++server) of_server(server);
    }
    return take();
  }

 private:
  // --- of clients ---

  void of_client(int client) {
    if (process(client).status == Process::Status::not_started) {
      of_first_request(client);
    } else {
      if (allows(Fault::crash)) crash(client);
      if (allows(Fault::client_restart)) begin_again(client);
      for (int task = 0; task < 2; ++task) of_task(client, task);
    }
    of_clocks(client);
  }

  void of_first_request(int client) {
    of_request(client, 0, [&](Fault fault) {
      std::vector<Step> all = begun_by(client, fault);
      std::erase_if(all, [&](Step& step) { return !asks_first(process(step.after, client)); });
      for (Step& step : all) step.kind = StepKind::operation;
      return all;
    });
  }

  void of_task(int client, int task) {
    const TaskState& asking = process(client).tasks[task];
    const bool hears =
        asking.waiting.what == Waiting::For::message && heard_by(client, task) != nullptr;
    const bool asks = asking.waiting.what == Waiting::For::server;
    const bool writes = asking.waiting.what == Waiting::For::write;
    if (writes && !asking.held) return of_write(client, task);
    if (asking.held || asking.cut || (!asks && !hears)) return;
    of_request(client, task, [&](Fault fault) {
      Step step = draft(asks ? StepKind::operation : StepKind::wake, client, fault);
      step.task = task;
      return std::vector<Step>{std::move(step)};
    });
  }

  void crash(int client) {
    Step step = draft(StepKind::fault, client, Fault::crash);
    Process corpse;
    corpse.late = process(client).late;
    corpse.status = Process::Status::crashed;
    corpse.life = process(client).life;
    is_replaced(std::move(step), client, corpse);
  }

  // Whichever of its requests are lost.
  void begin_again(int client) {
    std::vector<Request> on_way = process(client).late;
    for (const TaskState& task : process(client).tasks) {
      const Waiting& waiting = task.waiting;
      const bool asks = waiting.what == Waiting::For::server && !task.held && !task.cut;
      if (asks && !waiting.subscribes() && !waiting.unsubscribes()) {
        on_way.push_back(waiting.request);
      }
    }
    std::vector<std::vector<Request>> left{{}};
    for (const Request& one : on_way) {
      for (std::size_t at = left.size(); at-- > 0;) {
        left.push_back(left[at]);
        left.back().push_back(one);
      }
    }
    for (const std::vector<Request>& late : left) {
      Process another;
      another.late = late;
      another.life = process(client).life + 1;
      is_replaced(draft(StepKind::fault, client, Fault::client_restart), client, another);
    }
  }

  void is_replaced(Step step, int client, const Process& by) {
    change(step.after, client) = by;
    for (auto& [lock, who] : step.after.inside) who.erase(client);
    for (auto& [lock, who] : step.after.waiting) who.erase(client);
    emit(std::move(step));
  }

  // `on_its_way`: the world in which the request is sent, and goes wrong.
  template <class OnItsWay>
  void of_request(int client, int task, OnItsWay on_its_way) {
    for (const Fault fault :
         {Fault::unreachable, Fault::lost_request, Fault::rejected, Fault::lost_reply,
          Fault::late_execution, Fault::duplicate, Fault::lost_message}) {
      if (!allows(fault)) continue;
      for (Step& step : on_its_way(fault)) go_wrong(std::move(step), client, task, fault);
    }
  }

  void go_wrong(Step step, int client, int task, Fault fault) {
    const Waiting waiting = process(step.after, client).tasks[task].waiting;
    const bool hears = waiting.what == Waiting::For::message;
    // A wait for a message that fails is the end of its subscription.
    if (hears) end_subscription(step.after, client, waiting.subscription);
    switch (fault) {
      case Fault::unreachable:
        return answer(std::move(step), client, task, Answer::error(unreachable));
      case Fault::lost_request:
        return answer(std::move(step), client, task, Answer::error(in_doubt));
      case Fault::rejected:
        return answer(std::move(step), client, task, Answer::error(refused));
      default:
        break;
    }
    if (hears || waiting.subscribes() || waiting.unsubscribes()) return;
    switch (fault) {
      case Fault::late_execution:
        leave_behind(step, client, waiting.request);
        return answer(std::move(step), client, task, Answer::error(in_doubt));
      case Fault::lost_reply:
        carry_out(step, client, waiting.request);
        return answer(std::move(step), client, task, Answer::error(in_doubt));
      case Fault::duplicate: {
        const Answer told = carry_out(step, client, waiting.request);
        leave_behind(step, client, waiting.request);
        may_lose_answer(step, client, task);
        return answer(std::move(step), client, task, told);
      }
      default:
        return lose_message(step, client, task, waiting.request);
    }
  }

  // A write is on its way to a resource, which no connection to a server leads to.
  void of_write(int client, int task) {
    const Waiting waiting = process(client).tasks[task].waiting;
    Request copy;
    copy.op = Op::write;
    copy.server = nobody;
    copy.key = std::to_string(waiting.name);
    copy.value = std::to_string(waiting.fencing);
    copy.task = task;
    for (const Fault fault : {Fault::lost_write, Fault::late_write, Fault::duplicate_write}) {
      if (!allows(fault)) continue;
      Step step = draft(StepKind::write, client, fault);
      step.task = task;
      Answer told = Answer::error(in_doubt);
      if (fault == Fault::duplicate_write) {
        step.applied = true;
        const bool accepted = note_write(step, trial_, client, waiting.name, waiting.fencing);
        told = Answer::of(std::int64_t{accepted ? 1 : 0});
      }
      if (fault != Fault::lost_write) leave_behind(step, client, copy);
      answer(std::move(step), client, task, told);
    }
  }

  static void leave_behind(Step& step, int client, const Request& request) {
    change(step.after, client).late.push_back(request);
  }

  // To each client that may have heard it.
  void lose_message(const Step& step, int client, int task, const Request& asked) {
    Server server = *step.after.servers[static_cast<std::size_t>(asked.server)];
    const std::int64_t now = step.after.server_clock(trial_, asked.server);
    if (apply(server, asked, client, now).told.empty()) return;
    for (int deaf = 0; deaf < clients(); ++deaf) {
      if (process(deaf).subscriptions.empty()) continue;
      Step one = step;
      const Answer told = carry_out(one, client, asked, deaf);
      may_lose_answer(one, client, task);
      answer(std::move(one), client, task, told);
    }
  }

  void of_clocks(int client) {
    const auto at = static_cast<std::size_t>(client);
    for (const auto& [fault, by] : {std::pair(Fault::clock_jump, 1), {Fault::clock_back, -1}}) {
      if (!allows(fault)) continue;
      Step set = draft(StepKind::fault, client, fault);
      set.after.wall[at] += by;
      emit(std::move(set));
    }
    if (!allows(Fault::drift)) return;
    Step slow = draft(StepKind::fault, client, Fault::drift);
    --slow.after.wall[at];
    --slow.after.monotonic[at];
    emit(std::move(slow));
  }

  // --- of servers ---

  void of_server(int number) {
    const auto at = static_cast<std::size_t>(number);
    const Server& server = *world_.servers[at];
    const auto breaks = [&](Fault fault) { return allows_break(fault, number); };
    if (breaks(Fault::restart)) becomes(number, Fault::restart, server);
    if (breaks(Fault::restart_empty)) becomes(number, Fault::restart_empty, Server());
    if (breaks(Fault::failover)) {
      for (const Server& replica : replicas_of(server)) {
        becomes(number, Fault::failover, replica);
      }
    }
    if (allows(Fault::eviction)) {
      for (const auto& [key, kept] : server.keys) {
        Server without = server;
        without.keys.erase(key);
        becomes(number, Fault::eviction, without);
      }
    }
    for (const auto& [fault, by] : {std::pair(Fault::clock_jump, 1), {Fault::clock_back, -1}}) {
      if (!allows(fault)) continue;
      Step set = draft(StepKind::fault, nobody, fault);
      set.after.server_clocks[at] += by;
      set.after.forget_expired(trial_);
      emit(std::move(set));
    }
  }

  static std::vector<Server> replicas_of(const Server& server) {
    if (server.past.empty()) return {server};
    std::vector<Server> replicas;
    for (const Keys& keys : server.past) replicas.emplace_back().keys = keys;
    return replicas;
  }

  void becomes(int number, Fault fault, const Server& other) {
    const auto at = static_cast<std::size_t>(number);
    Step step = draft(StepKind::fault, nobody, fault);
    World& world = step.after;
    const Keys before = world.servers[at]->keys;
    const std::optional<int> incarnation = world.servers[at]->incarnation;
    world.servers[at] = other;
    const bool is_reborn = fault != Fault::eviction;
    if (is_reborn && incarnation) world.servers[at].change().incarnation = *incarnation + 1;
    if (fault == Fault::failover) world.server_clocks[at] += trial_.replica.instants_ahead;
    note_replacement(world, trial_, before, other.keys);
    world.forget_expired(trial_);
    if (fault != Fault::eviction) break_connections(world, number);
    emit(std::move(step));
  }

  // What was on its way is lost; so may be a message, and a subscription.
  void break_connections(World& world, int server) const {
    world.breaks_to_come.erase(server);
    for (Shared<Process>& shared : world.processes) {
      Process& process = shared.change();
      std::erase_if(process.late, [&](const Request& one) { return one.server == server; });
      for (TaskState& task : process.tasks) cut(task, server);
      for (Subscription& one : process.subscriptions) {
        if (one.server != server) continue;
        one.pending = one.open;
        one.broken = one.open;
      }
    }
  }

  // An answer may be read before its client is told so: it may be lost, or not. Not that of a
  // subscription, of which messages tell; and no refusal, for which no server is asked.
  void cut(TaskState& task, int server) const {
    const Waiting& waiting = task.waiting;
    if (waiting.what != Waiting::For::server || waiting.request.server != server) return;
    task.awaits_break = false;
    // Otherwise that was decided when it was sent.
    if (grain_ != Grain::fine || trial_.requests_survive) return;
    const bool ear = waiting.subscribes() || waiting.unsubscribes();
    if (task.sent || (task.held && !task.held->failed() && !ear)) task.cut = true;
  }
};

}  // namespace

std::vector<Step> mishaps_in(const World& world, const Trial& trial, Grain grain) {
  return Mishaps(world, trial, grain).all();
}

}  // namespace interlock::sim::independent
