#include "as_scenario.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "interlock/store/script.hpp"

namespace interlock::sim::independent {
namespace {

using SharedCode = std::shared_ptr<const Code>;

// What one task knows.
class Registers {
 public:
  bool yes = false;
  bool failed = false;
  bool in_doubt = false;
  std::string text;
  std::optional<TimePoint> reading;
  std::uint64_t picked = 0;
  int rounds = 0;
  SubscriptionId subscription = -1;
  std::size_t at = 0;

  void forget() {
    yes = failed = in_doubt = false;
    text.clear();
    reading.reset();
    picked = 0;
  }
};

// What the tasks of a process share. Lives in the frame of the main one.
class Process {
 public:
  Registers tasks[2];
  bool shared = false;
  bool spawned = false;
  bool entered[2] = {false, false};  // by lock, and not left since
  std::string mine = "none";
};

TimePoint beginning(int first) {
  return TimePoint(milliseconds(first));
}

std::vector<std::int64_t> memory_of(const Process& process) {
  std::vector<std::int64_t> all{process.shared ? 1 : 0, process.spawned ? 1 : 0,
                                process.entered[0] ? 1 : 0, process.entered[1] ? 1 : 0};
  const auto add_text = [&all](const std::string& text) {
    all.push_back(static_cast<std::int64_t>(text.size()));
    for (const char byte : text) all.push_back(byte);
  };
  add_text(process.mine);
  for (const Registers& task : process.tasks) {
    all.push_back((task.yes ? 1 : 0) + (task.failed ? 2 : 0) + (task.in_doubt ? 4 : 0));
    add_text(task.text);
    all.push_back(task.reading ? 1 : 0);
    all.push_back(task.reading ? task.reading->time_since_epoch().count() : 0);
    all.push_back(static_cast<std::int64_t>(task.picked));
    all.push_back(task.rounds);
    all.push_back(task.subscription);
    all.push_back(static_cast<std::int64_t>(task.at));
  }
  return all;
}

std::string stored(const Process& process, const Registers& my, Stored what) {
  switch (what) {
    case Stored::constant:
      return "v";
    case Stored::read:
      return my.text.empty() ? "nothing" : my.text;
    case Stored::mine:
      return process.mine;
    case Stored::clock:
      break;
  }
  return my.reading ? std::to_string(my.reading->time_since_epoch().count()) : "never";
}

std::optional<milliseconds> ttl_of(const Instruction& in) {
  if (in.amount == 0) return std::nullopt;
  return milliseconds(in.amount);
}

std::uint64_t fencing_from(const Registers& my, const Instruction& in) {
  std::uint64_t value = 0;
  const char* const end = my.text.data() + my.text.size();
  const auto [stop, error] = std::from_chars(my.text.data(), end, value);
  if (error == std::errc() && stop == end && !my.text.empty()) return value;
  return static_cast<std::uint64_t>(in.amount);
}

// Notes an error; false: there is none.
template <class T>
bool note_error(Registers& my, const Result<T>& result) {
  my.failed = !result;
  my.in_doubt = failed_with(result, Errc::indeterminate);
  my.yes = false;
  my.text.clear();
  return my.failed;
}

void note(Registers& my, const Result<std::optional<std::string>>& result) {
  if (note_error(my, result)) return;
  my.yes = result->has_value();
  my.text = result->value_or("");
}
void note(Registers& my, const Result<bool>& result) {
  if (!note_error(my, result)) my.yes = *result;
}
void note(Registers& my, const Result<std::monostate>& result) {
  if (!note_error(my, result)) my.yes = true;
}
void note(Registers& my, const Result<Remaining>& result) {
  if (note_error(my, result)) return;
  my.yes = result->state == Remaining::Expiry::expires;
  if (my.yes) my.text = std::to_string(result->time.count());
}
void note(Registers& my, const Result<std::int64_t>& result) {
  if (note_error(my, result)) return;
  my.yes = *result > 0;
  my.text = std::to_string(*result);
}
void note(Registers& my, const Result<ClaimReply>& result) {
  if (note_error(my, result)) return;
  if (const auto* claimed = std::get_if<Claimed>(&*result)) {
    my.yes = true;
    my.text = std::to_string(claimed->fencing.value());
  } else {
    my.text = std::get<Busy>(*result).holder.text();
  }
}
void note(Registers& my, const Result<OwnerCheck>& result) {
  if (!note_error(my, result)) my.yes = *result == OwnerCheck::done;
}

void note(Registers& my, const Result<Value>& result) {
  if (!note_error(my, result)) my.yes = *result == Value(1);
}

Reply recognise_native(Keyspace& keyspace,
                       const std::vector<Key>& keys,
                       const std::vector<std::string>&) {
  const std::string present = keyspace.incarnation();
  const auto entry = keyspace.find(keys.front());
  if (entry && entry->value == present) return Value(1);
  keyspace.put(keys.front(), Entry(present));
  return Value(0);
}
const Script recognise_script("recognise", "", recognise_native);

Task<void> ask(Client& me, Process* process, Registers* my, Instruction in) {
  KeyValueStore& store = me.store(static_cast<std::size_t>(in.server));
  const std::string value = stored(*process, *my, in.stored);
  const Key key(key_name(in.name, value));
  const std::optional<milliseconds> ttl = ttl_of(in);
  const OwnerToken owner(process->mine);
  switch (in.op) {
    case Op::get:
      note(*my, co_await store.get(key));
      break;
    case Op::set:
      note(*my, co_await store.set(key, value, ttl));
      break;
    case Op::set_if_absent:
      note(*my, co_await store.set_if_absent(key, value, ttl));
      break;
    case Op::exchange:
      note(*my, co_await store.exchange(key, value));
      my->yes = !my->failed && my->text.empty();
      break;
    case Op::erase:
      note(*my, co_await store.erase(key));
      break;
    case Op::expire:
      note(*my, co_await store.expire(key, *ttl));
      break;
    case Op::remaining:
      note(*my, co_await store.remaining(key));
      break;
    case Op::increment:
      note(*my, co_await store.increment(key));
      break;
    case Op::claim: {
      const Ttl lasting(*ttl);
      note(*my, co_await store.claim(key, owner, lasting));
      break;
    }
    case Op::renew: {
      const Ttl lasting(*ttl);
      note(*my, co_await store.renew(key, owner, lasting));
      break;
    }
    case Op::recognise: {
      const KeyList keys{Key(seen_key)};
      const ArgumentList arguments;
      note(*my, co_await store.run(recognise_script, keys, arguments));
      break;
    }
    default:
      note(*my, co_await store.release(key, owner));
  }
}

Task<void> talk(Client& me, Process* process, Registers* my, Instruction in) {
  KeyValueStore& store = me.store(static_cast<std::size_t>(in.server));
  const Channel channel(channel_name(in.name, stored(*process, *my, in.stored)));
  const std::string message = "m";
  constexpr SubscriptionId not_there = 7;
  const SubscriptionId id = my->subscription >= 0 ? my->subscription : not_there;
  switch (in.op) {
    case Op::publish:
      note(*my, co_await store.publish(channel, message));
      break;
    case Op::subscribe: {
      const Result<SubscriptionId> made = co_await store.subscribe(channel);
      if (note_error(*my, made)) break;
      my->yes = true;
      my->subscription = *made;
      break;
    }
    case Op::await: {
      const TimePoint until = me.time().now() + milliseconds(in.amount);
      note(*my, co_await store.await_message(id, until));
      break;
    }
    default:
      note(*my, co_await store.unsubscribe(id));
  }
}

bool holds(Client& me, const Process& process, Registers& my, const Instruction& in, int first) {
  switch (in.when) {
    case When::always:
      return true;
    case When::yes:
      return my.yes;
    case When::no:
      return !my.yes;
    case When::failed:
      return my.failed;
    case When::in_doubt:
      return my.in_doubt;
    case When::picked:
      return my.picked == static_cast<std::uint64_t>(in.amount);
    case When::mine:
      return my.text == process.mine;
    case When::smaller:
      return my.text < process.mine;
    case When::nothing:
      return my.text.empty();
    case When::older:
      return my.reading && me.time().now() - *my.reading >= milliseconds(in.amount);
    case When::later_than:
      return me.time().now() >= beginning(first) + milliseconds(in.amount);
    case When::shared:
      return process.shared;
    case When::rounds_left:
      break;
  }
  return my.rounds++ < in.amount;
}

// What takes no step and is no jump.
void mark(Client& me, Process& process, Registers& my, const Instruction& in) {
  const bool enters =
      in.op == Op::enter || in.op == Op::enter_until || in.op == Op::enter_until_wall;
  if (enters) process.entered[in.name] = true;
  switch (in.op) {
    case Op::read_clock:
      my.reading = me.time().now();
      break;
    case Op::read_wall:
      my.reading = me.wall_clock().now();
      break;
    case Op::enter:
      me.enter(lock_name(in.name));
      break;
    case Op::enter_until:
      me.enter(lock_name(in.name), FencingToken(), me.time().now() + milliseconds(in.amount));
      break;
    case Op::enter_until_wall:
      me.enter(lock_name(in.name), FencingToken(), me.wall_clock().now() + milliseconds(in.amount),
               OwnClock::wall_clock);
      break;
    case Op::wants:
      me.wants(lock_name(in.name));
      break;
    case Op::gives_up:
      me.gives_up(lock_name(in.name));
      break;
    case Op::reach:
      me.reach(event_name(in.name));
      break;
    case Op::choose:
      my.picked = me.choose(static_cast<std::uint64_t>(in.amount));
      break;
    case Op::draw:
      process.mine = me.tokens().fresh().text();
      break;
    default:
      process.shared = my.yes;
  }
}

// All of a program, or its second task.
Task<void> run(
    Client& me, SharedCode code, Process* process, std::size_t task, std::size_t from, int first) {
  Registers* const my = &process->tasks[task];
  my->at = from;
  while (my->at < code->size()) {
    const Instruction in = (*code)[my->at++];
    switch (in.op) {
      case Op::stop:
        my->at = code->size();
        break;
      case Op::jump:
        if (holds(me, *process, *my, in, first)) my->at = static_cast<std::size_t>(in.target);
        break;
      case Op::loop_head:
        my->forget();
        if (task == 0) process->shared = false;
        co_await me.loop_head(my->at, my->rounds, my->subscription, process->spawned,
                              process->entered[0], process->entered[1]);
        break;
      case Op::sleep:
        co_await me.time().sleep_until(me.time().now() + milliseconds(in.amount));
        break;
      case Op::sleep_wall:
        co_await me.wall_clock().sleep_until(me.wall_clock().now() + milliseconds(in.amount));
        break;
      case Op::leave:
        if (!std::exchange(process->entered[in.name], false)) break;
        co_await me.leave(lock_name(in.name));
        break;
      case Op::write: {
        const FencingToken fencing(fencing_from(*my, in));
        const WriteAnswer accepted = co_await me.write(resource_name(in.name), fencing);
        my->yes = accepted;
        if (!accepted.is_known()) my->failed = my->in_doubt = true;
        break;
      }
      case Op::publish:
      case Op::subscribe:
      case Op::await:
      case Op::unsubscribe:
        co_await talk(me, process, my, in);
        break;
      case Op::spawn:
        if (process->spawned) break;
        process->spawned = true;
        me.spawn("second", run(me, code, process, 1, static_cast<std::size_t>(in.target), first));
        break;
      case Op::read_clock:
      case Op::read_wall:
      case Op::enter:
      case Op::enter_until:
      case Op::enter_until_wall:
      case Op::wants:
      case Op::gives_up:
      case Op::reach:
      case Op::choose:
      case Op::draw:
      case Op::share:
        mark(me, *process, *my, in);
        break;
      default:
        co_await ask(me, process, my, in);
    }
  }
}

Task<void> all_of(Client& me, SharedCode code, bool remembers, int first) {
  Process process;
  if (remembers) me.remembers([&process] { return memory_of(process); });
  co_await run(me, code, &process, 0, 0, first);
  if (process.spawned) co_await me.joined();
}

FaultBudget budget_of(const Trial& trial) {
  FaultBudget budget;
  for (std::size_t fault = 0; fault < fault_kinds; ++fault) {
    const auto count = static_cast<std::size_t>(trial.faults[fault]);
    if (count > 0) budget.allow(static_cast<Fault>(fault), count);
  }
  if (trial.pauses_count) {
    const int pauses = trial.faults[static_cast<std::size_t>(Fault::pause)];
    budget.pauses(static_cast<std::size_t>(pauses));
  }
  if (trial.requests_survive) budget.let_requests_survive();
  return budget.at_most(static_cast<std::size_t>(trial.at_most));
}

}  // namespace

Scenario as_scenario(const Trial& trial) {
  Scenario scenario("trial");
  for (std::size_t client = 0; client < trial.clients.size();) {
    const int which = trial.clients[client];
    std::size_t next = client;
    while (next < trial.clients.size() && trial.clients[next] == which) ++next;
    const auto code = std::make_shared<const Code>(trial.codes[static_cast<std::size_t>(which)]);
    const bool remembers = trial.remembers;
    const int first = trial.first;
    scenario.clients(next - client, [=](Client& me) { return all_of(me, code, remembers, first); });
    client = next;
  }
  scenario.servers(static_cast<std::size_t>(trial.servers))
      .instants(static_cast<std::size_t>(trial.instants), milliseconds(apart))
      .clocks_start_at(milliseconds(trial.first))
      .replica(trial.replica)
      .faults(budget_of(trial));
  for (const InitialKey& key : trial.keys) {
    std::optional<milliseconds> expiry;
    if (key.ttl > 0) expiry = milliseconds(trial.first + key.ttl);
    scenario.initially(Key(key_name(key.name)), Entry(key.value, expiry),
                       static_cast<std::size_t>(key.server));
  }
  if (trial.checks_fencing) scenario.resource_checks_fencing(resource_name(0));
  for (const Rule& rule : trial.rules) scenario.require(property_of(rule));
  for (const int goal : trial.goals) scenario.sometimes(event_name(goal));
  return scenario;
}

}  // namespace interlock::sim::independent
