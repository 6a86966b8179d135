#include "recorded_runs.hpp"

#include <string>
#include <utility>

namespace interlock::sim::testing {
namespace {

constexpr const char* lock = "lock.foo";

// Carries out what the steps say, so that a run can be written as a list of commands.
class Recorder {
 public:
  explicit Recorder(std::vector<std::string> clients) {
    run_.scenario = "setnx-race";
    run_.clients = std::move(clients);
    run_.clocks_start_at = std::chrono::seconds{100};
    for (const std::string& name : run_.clients) {
      ClientView view;
      view.name = name;
      view.status = ClientView::Status::running;
      world_.clients.push_back(view);
    }
    world_.clients[0].status = ClientView::Status::crashed;
    put("50");
    run_.before = world_;
  }

  Recorder& at(int second) {
    world_.time = std::chrono::seconds{second - 100};
    return *this;
  }
  Recorder& setnx(std::size_t client, const std::string& stamp) {
    Operation operation(OperationKind::set_if_absent, Key(lock));
    operation.value = stamp;
    const bool stored = world_.keys.empty();
    if (stored) {
      put(stamp);
      world_.clients[client].inside = {lock};
    }
    return record(client, operation, Value(std::int64_t{stored ? 1 : 0}));
  }
  Recorder& get(std::size_t client) {
    return record(client, Operation(OperationKind::get, Key(lock)), Value(world_.keys[0].value));
  }
  Recorder& del(std::size_t client) {
    world_.keys.clear();
    return record(client, Operation(OperationKind::erase, Key(lock)), Value(std::int64_t{1}));
  }
  Recorder& getset(std::size_t client, const std::string& stamp, bool wins) {
    Operation operation(OperationKind::exchange, Key(lock));
    operation.value = stamp;
    const Value before(world_.keys[0].value);
    put(stamp);
    if (wins) world_.clients[client].inside = {lock};
    return record(client, operation, before);
  }
  Recorder& breaks(const std::string& property) {
    run_.steps.back().violates = property;
    return *this;
  }
  Run take() { return std::move(run_); }

 private:
  void put(const std::string& value) {
    KeyView view;
    view.key = lock;
    view.value = value;
    world_.keys = {view};
  }
  Recorder& record(std::size_t client, const Operation& operation, Value answer) {
    RunStep step;
    step.kind = StepKind::operation;
    step.client = client;
    step.what = describe(operation);
    step.reply = to_string(answer);
    step.applied = true;
    step.delivered = true;
    step.operation = operation;
    step.answer = Reply(std::move(answer));
    step.after = world_;
    run_.steps.push_back(std::move(step));
    return *this;
  }

  Run run_;
  Snapshot world_;
};

}  // namespace

Run setnx_race() {
  Recorder record({"C0", "C1", "C2", "C3"});
  record.at(100).setnx(1, "111").get(1).setnx(2, "111").get(2);
  record.at(101).del(1).setnx(1, "112");
  record.at(102).del(2).setnx(2, "113").breaks("mutual exclusion of lock.foo");
  record.at(103).setnx(3, "114");
  return record.take();
}

Run getset_race() {
  Recorder record({"C0", "C3", "C4"});
  record.at(100).setnx(1, "111").get(1).setnx(2, "111").get(2);
  record.at(101).getset(1, "112", true);
  record.at(102).getset(2, "113", false);
  return record.take();
}

}  // namespace interlock::sim::testing
