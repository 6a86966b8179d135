// What a request changes in a world, and an answer in a client, for all kinds of steps.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "steps.hpp"

namespace interlock::sim::independent {

class Answers {
 public:
  Answers(const World& world, const Trial& trial, Grain grain)
      : world_(world), trial_(trial), machine_(trial), grain_(grain) {}

  std::vector<Step> take() { return std::move(steps_); }

 protected:
  static constexpr int nobody = -1;

  int clients() const { return static_cast<int>(world_.processes.size()); }
  const Process& process(int client) const { return process(world_, client); }
  static const Process& process(const World& world, int client) {
    return *world.processes[static_cast<std::size_t>(client)];
  }
  static Process& change(World& world, int client) {
    return world.processes[static_cast<std::size_t>(client)].change();
  }
  int limit(Fault fault) const { return trial_.faults[static_cast<std::size_t>(fault)]; }
  // A fault that breaks no connection.
  bool allows(Fault fault) const;
  // One that breaks those to a server.
  bool allows_break(Fault fault, int server) const;
  // Whether something can be lost because they break, now or later.
  bool may_lose(const World& world, int server) const;
  // Whether they can break, now or later.
  bool may_break(const World& world, int server) const;
  bool last_instant() const { return world_.time + 1 >= trial_.instants; }

  // A step that has not been taken yet, but for the fault that it spends.
  Step draft(StepKind kind, int client = nobody, std::optional<Fault> fault = std::nullopt) const;
  void emit(Step step);

  // One for each way in which a client can begin. Whether a clock is read is said of all of them.
  std::vector<Step> begun_by(int client, std::optional<Fault> fault = std::nullopt);
  // Its start and its first request are one step.
  static bool asks_first(const Process& process);
  bool clocks_may_change() const;
  // Whether a client may crash and begin again, now or later.
  bool may_begin_again(const World& world) const {
    return left(world, Fault::client_restart) > 0 && left(world) > 0;
  }
  // Whether there is a world of its own between the execution of a request and its answer.
  bool looks_between() const;

  // Null: none that is open.
  const Subscription* heard_by(int client, int task) const;
  static void end_subscription(World& world, int client, int id);

  // Executes a task's request and answers it.
  void request(Step step, int client, int task);
  // Carried out by the server; `deaf` does not get the messages.
  Answer carry_out(Step& step, int client, const Request& asked, int deaf = nobody);
  // The request, or the answer of a server, may be on its way when the connection breaks. In the
  // coarse grain that is decided here; in the fine one, when it breaks.
  void may_lose_request(const Step& step, int client, int task);
  void may_lose_answer(const Step& step, int client, int task);
  // The answer reaches the task, now or later.
  void answer(Step step, int client, int task, const Answer& with);
  void hold(Step step, int client, int task, const Answer& with);
  // What others could tell by, if the answer came later.
  class Told {
   public:
    bool reads_clock = false;
    bool ends = false;           // the client, and with it its subscriptions
    bool believes_less = false;  // to be inside
  };
  // Whether somebody can tell that the answer has not come yet: by who listens, or who is inside.
  bool is_missed(const World& before, int client, Told told) const;
  Told answer_now(Step step, int client, int task, const Answer& with);

  const World& world_;
  const Trial& trial_;
  Machine machine_;
  Grain grain_;

 private:
  int left(const World& world, Fault fault) const;
  int left(const World& world) const;
  void await_break(Step step, int client, int task);
  int listeners(const World& world, const Request& asked, int deaf) const;
  void tell(World& world, int server, const std::string& channel, int deaf) const;

  std::vector<Step> steps_;
};

}  // namespace interlock::sim::independent
