#include "interlock/sim/replay_on.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "interlock/store/lock_keys.hpp"
#include "model/snapshot.hpp"

namespace interlock::sim {
namespace {

class AskedOperation final : public PendingOperation {
 public:
  using PendingOperation::PendingOperation;
  Reply answer() { return take_reply(); }
};

Reply ask(KeyValueStore& store, Operation operation) {
  AskedOperation pending(std::move(operation));
  if (store.submit(pending) == Submitted::completed) return pending.answer();
  return Error(Errc::indeterminate,
               "replaying an operation: the store answers later: use one that answers at once");
}

bool uses_messages(OperationKind kind) {
  return kind == OperationKind::subscribe || kind == OperationKind::unsubscribe ||
         kind == OperationKind::await_message || kind == OperationKind::interrupt;
}

bool same_kind(const Value& one, const Value& other) {
  if (one.is_nil() || other.is_nil()) return one.is_nil() && other.is_nil();
  if ((one.number() != nullptr) != (other.number() != nullptr)) return false;
  if (one.number() != nullptr) return (*one.number() < 0) == (*other.number() < 0);
  return (one.text() != nullptr) == (other.text() != nullptr);
}

// Fencing tokens, ttls and the number of listeners depend on clocks and on who else is there.
bool same_claim(const Value& one, const Value& other) {
  const auto* a = one.list();
  const auto* b = other.list();
  if (a == nullptr || b == nullptr) return one == other;
  if (a->size() != b->size() || a->empty()) return a->size() == b->size();
  for (std::size_t at = 0; at < a->size(); ++at) {
    const bool exact = at == 0 || (*a)[at].text() != nullptr;
    if (exact ? !((*a)[at] == (*b)[at]) : !same_kind((*a)[at], (*b)[at])) return false;
  }
  return true;
}

bool same_answer(OperationKind kind, const Reply& expected, const Reply& actual) {
  if (!expected || !actual) {
    return !expected && !actual && expected.error().code() == actual.error().code();
  }
  if (kind == OperationKind::claim) return same_claim(*expected, *actual);
  if (kind == OperationKind::remaining || kind == OperationKind::publish) {
    return same_kind(*expected, *actual);
  }
  return *expected == *actual;
}

class Repeater {
 public:
  Repeater(const Run& run, const RealWorld& world) : run_(run), world_(world) {
    for (std::size_t at = 0; at <= run.clients.size(); ++at) {
      connections_.push_back(world.connect());
    }
    remember(run.before);
    for (const RunStep& step : run.steps) {
      if (step.operation && !uses_messages(step.operation->kind) &&
          step.operation->kind != OperationKind::publish) {
        if (!step.operation->key.empty()) keys_.insert(step.operation->key);
        keys_.insert(step.operation->keys.begin(), step.operation->keys.end());
      }
    }
  }
  ~Repeater() { erase_all(); }
  Repeater(const Repeater&) = delete;
  Repeater& operator=(const Repeater&) = delete;

  Result<std::vector<RealStep>> play() {
    erase_all();
    for (const KeyView& view : run_.before.keys) {
      Operation operation(OperationKind::set, prefixed(Key(view.key)));
      operation.value = view.value;
      operation.ttl = view.remaining;
      const Reply stored = ask(own(), operation);
      if (!stored) return stored.error();
    }
    std::vector<RealStep> steps;
    const Snapshot* before = &run_.before;
    for (std::size_t at = 0; at < run_.steps.size(); ++at) {
      const RunStep& step = run_.steps[at];
      RealStep real = repeat(step, *before);
      real.step = at;
      steps.push_back(std::move(real));
      before = &step.after;
    }
    return steps;
  }

 private:
  KeyValueStore& own() { return *connections_.back(); }

  void remember(const Snapshot& now) {
    for (const KeyView& view : now.keys) keys_.insert(Key(view.key));
  }

  // The other keys of a lock must follow the new name of its key.
  Key prefixed(const Key& key) const {
    for (const Key& lock : keys_) {
      if (!(lock == key) && key == fencing_key(lock)) {
        return fencing_key(Key(world_.prefix + lock.text()));
      }
    }
    return Key(world_.prefix + key.text());
  }
  Operation prefixed(Operation operation) const {
    if (operation.kind == OperationKind::publish) {
      operation.key = channel(operation.key);
      return operation;
    }
    if (!operation.key.empty()) operation.key = prefixed(operation.key);
    std::vector<Key> keys;
    for (const Key& key : operation.keys) keys.push_back(prefixed(key));
    operation.keys = std::move(keys);
    return operation;
  }
  Key channel(const Key& name) const {
    for (const Key& lock : keys_) {
      if (release_channel(lock).text() == name.text()) {
        return Key(release_channel(Key(world_.prefix + lock.text())).text());
      }
    }
    return Key(world_.prefix + name.text());
  }

  void erase_all() {
    for (const Key& key : keys_) {
      const Key mine = prefixed(key);
      static_cast<void>(ask(own(), Operation(OperationKind::erase, mine)));
      static_cast<void>(ask(own(), Operation(OperationKind::erase, fencing_key(mine))));
    }
  }

  static RealStep left_out(std::string why) {
    RealStep real;
    real.answer = std::move(why);
    return real;
  }

  RealStep repeat(const RunStep& step, const Snapshot& before) {
    if (step.kind == StepKind::time || step.fault == Fault::pause) return pass(step, before);
    if (step.kind == StepKind::fault && step.fault == Fault::eviction) return evict(step, before);
    if (step.kind == StepKind::fault && !step.client) {
      return left_out("a fault of the server: not repeated");
    }
    if (step.server > 0) return left_out("another server: not repeated");
    if (!step.operation || !step.applied || !step.client) return left_out("");
    if (uses_messages(step.operation->kind)) return left_out("messages: not repeated");
    const Reply answer = ask(*connections_[*step.client], prefixed(*step.operation));
    RealStep real;
    real.answer = answer ? to_string(*answer) : answer.error().detail();
    const bool same = !step.answer || same_answer(step.operation->kind, *step.answer, answer);
    real.outcome = same ? RealStep::Match::same : RealStep::Match::different;
    return real;
  }

  RealStep pass(const RunStep& step, const Snapshot& before) {
    if (!world_.wait) return left_out("time: not repeated");
    if (!time_matters(before)) return left_out("nothing there depends on time: not waited");
    world_.wait(step.after.time - before.time);
    return left_out("waited");
  }

  // Whether time matters to a store: the operations contain the clients' clocks already, but a
  // script may ask for the time.
  bool time_matters(const Snapshot& before) const {
    const auto expires = [](const KeyView& key) { return key.remaining.has_value(); };
    if (std::any_of(before.keys.begin(), before.keys.end(), expires)) return true;
    return std::any_of(run_.steps.begin(), run_.steps.end(), [](const RunStep& step) {
      return step.operation && step.operation->kind == OperationKind::run;
    });
  }

  RealStep evict(const RunStep& step, const Snapshot& before) {
    if (step.server > 0) return left_out("another server: not repeated");
    const std::string& key = evicted_key(before, step).key;
    const Reply gone = ask(own(), Operation(OperationKind::erase, prefixed(Key(key))));
    return left_out(gone ? "erased " + key : gone.error().detail());
  }

  const Run& run_;
  const RealWorld& world_;
  std::vector<std::unique_ptr<KeyValueStore>> connections_;
  std::set<Key> keys_;
};

}  // namespace

Result<std::vector<RealStep>> replay_on(const Run& run, const RealWorld& world) {
  return Repeater(run, world).play();
}

}  // namespace interlock::sim
