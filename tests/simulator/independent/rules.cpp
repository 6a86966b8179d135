#include "rules.hpp"

#include <algorithm>
#include <iterator>

namespace interlock::sim::independent {
namespace {

// Whether some task of the client waits for a message that is not there, and will for longer than
// `within` ms.
bool waits_in_vain(const World& world, const Trial& trial, int client, int within) {
  const Process& process = *world.processes[static_cast<std::size_t>(client)];
  if (process.finished()) return false;
  const std::int64_t now = world.clocks(trial, client).monotonic;
  const auto rounded_up = [](std::int64_t ms) { return (ms + apart - 1) / apart; };
  for (const TaskState& task : process.tasks) {
    if (task.waiting.what != Waiting::For::message || task.held) continue;
    const auto id = static_cast<std::size_t>(task.waiting.subscription);
    if (id >= process.subscriptions.size() || !process.subscriptions[id].open) continue;
    if (process.subscriptions[id].pending) continue;
    if (rounded_up(task.waiting.until - now) > rounded_up(within)) return true;
  }
  return false;
}

bool has(const World& world, const std::string& key) {
  return world.servers[0]->keys.count(key) > 0;
}

bool some_wait_in_vain(const World& world, const Trial& trial, int within) {
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    if (waits_in_vain(world, trial, static_cast<int>(client), within)) return true;
  }
  return false;
}

// Whether a text names the client as what it is now, and not as what it was before it crashed.
bool names_present(const std::string& text, const World& world, std::size_t client) {
  const int life = world.processes[client]->life;
  for (int drawn = 1; drawn < 10; ++drawn) {
    const std::string mine = token(static_cast<int>(client), drawn, life);
    for (auto at = text.find(mine); at != std::string::npos; at = text.find(mine, at + 1)) {
      const std::size_t end = at + mine.size();
      const char next = end < text.size() ? text[end] : ' ';
      if (next != 'r' && (next < '0' || next > '9')) return true;
    }
  }
  return false;
}

bool unheard_grant(const World& world, const Trial& trial, const Rule& rule) {
  const auto at = world.servers[0]->keys.find(key_name(rule.name));
  if (at == world.servers[0]->keys.end()) return false;
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    if (!names_present(at->second.value, world, client)) continue;
    if (waits_in_vain(world, trial, static_cast<int>(client), rule.within)) return true;
  }
  return false;
}

bool orphaned(const World& world, const std::string& key) {
  return world.over() &&
         std::any_of(world.servers.begin(), world.servers.end(), [&](const Shared<Server>& server) {
           const auto at = server->keys.find(key);
           return at != server->keys.end() && !at->second.expiry;
         });
}

int believers(const World& world, const Trial& trial, const std::string& lock) {
  int count = 0;
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    count += world.believes(trial, lock, static_cast<int>(client)) ? 1 : 0;
  }
  return count;
}

// Be the message there or not.
bool listens(const Process& process) {
  if (process.finished()) return false;
  return std::any_of(std::begin(process.tasks), std::end(process.tasks),
                     [&](const TaskState& task) {
                       const auto id = static_cast<std::size_t>(task.waiting.subscription);
                       return task.waiting.what == Waiting::For::message && !task.held &&
                              id < process.subscriptions.size() && process.subscriptions[id].open;
                     });
}

// Somebody who listens is granted something.
void add_goals_of_listeners(const World& world, std::set<std::string>& reached) {
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    if (!listens(*world.processes[client])) continue;
    for (const auto& [key, kept] : world.servers[0]->keys) {
      if (!names_present(kept.value, world, client)) continue;
      reached.insert(key + " is granted to a client that waits for a message");
    }
  }
}

// What one client does, of a goal that takes two.
std::string done_by(int client, const std::string& goal) {
  return std::string(1, static_cast<char>('A' + client)) + ": " + goal;
}

bool some_are_shown_inside(const World& world, const Trial& trial, const std::string& lock) {
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    if (world.is_shown_inside(trial, lock, static_cast<int>(client))) return true;
  }
  return false;
}

// Those that have ended want nothing.
std::size_t how_many_want(const World& world, const std::string& lock) {
  const auto at = world.waiting.find(lock);
  if (at == world.waiting.end()) return 0;
  return static_cast<std::size_t>(
      std::count_if(at->second.begin(), at->second.end(), [&world](int client) {
        return !world.processes[static_cast<std::size_t>(client)]->finished();
      }));
}

bool names_the_last(const World& world) {
  const auto last = static_cast<char>('A' + world.processes.size() - 1);
  const std::string mark = "il1:" + std::string(1, last);
  for (const Shared<Server>& server : world.servers) {
    for (const auto& [key, stored] : server->keys) {
      if (key.find(mark) != std::string::npos) return true;
      if (stored.value.find(mark) != std::string::npos) return true;
    }
  }
  return false;
}

bool breaks(const World& world, const Trial& trial, const Rule& rule) {
  const std::string key = key_name(rule.name);
  switch (rule.kind) {
    case Rule::Kind::lease_exclusion:
      return believers(world, trial, lock_name(rule.name)) > 1;
    case Rule::Kind::no_orphan:
      return orphaned(world, key);
    case Rule::Kind::no_lost_wake_up:
      return world.released.count(key) > 0 && !has(world, key) &&
             some_wait_in_vain(world, trial, rule.within);
    case Rule::Kind::no_unheard_grant:
      return unheard_grant(world, trial, rule);
    case Rule::Kind::together:
      return has(world, key_name(0)) && has(world, key_name(1));
    case Rule::Kind::guarded:
      return some_are_shown_inside(world, trial, lock_name(rule.name)) && !has(world, key);
    case Rule::Kind::ordered:
      return world.processes.front()->status == Process::Status::done &&
             world.is_shown_inside(trial, lock_name(rule.name),
                                   static_cast<int>(world.processes.size()) - 1);
    case Rule::Kind::unwritten: {
      const auto at = world.resources.find(resource_name(rule.name));
      return at != world.resources.end() &&
             at->second.writer == static_cast<int>(world.processes.size()) - 1;
    }
    case Rule::Kind::alone:
      return how_many_want(world, lock_name(rule.name)) > 1;
    case Rule::Kind::recognised:
      return world.processes.front()->status == Process::Status::done && names_the_last(world);
    default:
      return false;  // about steps, not about worlds
  }
}

const Rule* rule_on(const Trial& trial, Rule::Kind kind, int name) {
  for (const Rule& rule : trial.rules) {
    if (rule.kind == kind && rule.name == name) return &rule;
  }
  return nullptr;
}

void break_rule(Step& step, const Rule* rule) {
  if (rule != nullptr) step.broken.insert(property_of(*rule).name);
}

void note_entry(Step& step, const Trial& trial, int client, const Mark& mark) {
  const std::string lock = lock_name(mark.name);
  Belief belief;
  if (rule_on(trial, Rule::Kind::lease_exclusion, mark.name) != nullptr) {
    belief.until = mark.until;
    belief.wall = mark.wall && mark.until;
  }
  std::map<int, Belief>& who = step.after.inside[lock];
  who[client] = belief;
  if (who.size() > 1) break_rule(step, rule_on(trial, Rule::Kind::mutual_exclusion, mark.name));
  step.after.waiting[lock].erase(client);
  step.reached.insert("some client enters " + lock);
  step.reached.insert(done_by(client, "different clients enter " + lock));
}

// What a client believes when the step is over: it may enter twice in one.
void note_believer(Step& step, const Trial& trial, const std::string& lock, int client) {
  const bool has_an_end = step.after.inside[lock].at(client).until.has_value();
  if (!has_an_end || !step.after.believes(trial, lock, client)) return;
  const std::string holds = " hold " + lock + " until an instant to come";
  step.reached.insert("some client holds " + lock + " until an instant to come");
  step.reached.insert(done_by(client, "different clients" + holds));
}

const Kept* kept_in(const Keys& keys, const std::string& key) {
  const auto at = keys.find(key);
  return at == keys.end() ? nullptr : &at->second;
}

bool puts_a_value(const Request& asked, const Answer& answer) {
  switch (asked.op) {
    case Op::set:
    case Op::exchange:
      return true;
    case Op::increment:
      return !answer.failed();
    default:
      return false;
  }
}
// Were it to the same.
bool sets_how_long(const Request& asked, const Answer& answer) {
  switch (asked.op) {
    case Op::expire:
    case Op::renew:
      return answer.number == 1;
    default:
      return asked.op == Op::claim && answer.kind == Answer::Kind::granted;
  }
}

bool may_change(const Request& asked) {
  switch (asked.op) {
    case Op::set:
    case Op::set_if_absent:
    case Op::exchange:
    case Op::erase:
    case Op::expire:
    case Op::increment:
    case Op::claim:
    case Op::renew:
    case Op::release:
    case Op::recognise:
      return true;
    default:
      return false;
  }
}

// `was` is there, and another client's.
bool meddles(
    const Rule& rule, const Request& asked, const Answer& answer, const Kept& was, const Kept* is) {
  const bool removed = is == nullptr;
  const bool mine = asked.key == key_name(rule.name);
  const bool another =
      !removed && (is->value != was.value || (mine && puts_a_value(asked, answer)));
  if (rule.kind == Rule::Kind::no_overwrite) return another;
  return removed || (!another && mine && sets_how_long(asked, answer));
}

// A grant to somebody who did not hold the key already.
void note_grant(Step& step,
                const Rule& rule,
                int client,
                const Request& asked,
                const Kept* was,
                const Answer& answer) {
  if (asked.op != Op::claim || asked.key != key_name(rule.name)) return;
  if (answer.kind != Answer::Kind::granted) return;
  if (was != nullptr && was->value == asked.value) return;
  const auto fencing = static_cast<std::uint64_t>(answer.number);
  std::uint64_t& last = step.after.granted[asked.key];
  const std::string goal =
      "fencing tokens for " + asked.key + " are granted to different clients, or twice";
  step.reached.insert(done_by(client, goal));
  if (last != 0) step.reached.insert(goal);
  if (fencing <= last) break_rule(step, &rule);
  last = fencing;
  step.reached.insert("a fencing token for " + asked.key + " is granted");
}

}  // namespace

std::set<std::string> broken_in(const World& world, const Trial& trial) {
  std::set<std::string> broken;
  for (const Rule& rule : trial.rules) {
    if (breaks(world, trial, rule)) broken.insert(property_of(rule).name);
  }
  return broken;
}

std::set<std::string> reached_in(const World& world) {
  std::set<std::string> reached;
  if (world.over()) reached.insert("every client ends");
  for (const Shared<Server>& server : world.servers) {
    for (const auto& [key, kept] : server->keys) reached.insert(key + " is there");
  }
  for (const Shared<Process>& process : world.processes) {
    if (process->finished()) continue;
    for (const TaskState& task : process->tasks) {
      const auto id = static_cast<std::size_t>(task.waiting.subscription);
      const bool listens = task.waiting.what == Waiting::For::message && !task.held &&
                           id < process->subscriptions.size() && process->subscriptions[id].open;
      if (listens && !process->subscriptions[id].pending) {
        reached.insert("some client waits for a message");
      }
    }
  }
  add_goals_of_listeners(world, reached);
  return reached;
}

void add_goals_of_two(std::set<std::string>& reached) {
  const std::size_t name = done_by(0, "").size();
  std::set<std::string> by_one;
  std::set<std::string> by_two;
  for (const std::string& done : reached) {
    if (done.size() <= name || done[1] != ':') continue;
    const std::string goal = done.substr(name);
    if (!by_one.insert(goal).second) by_two.insert(goal);
  }
  reached.insert(by_two.begin(), by_two.end());
}

void note_believers(Step& step, const Trial& trial) {
  for (const Rule& rule : trial.rules) {
    if (rule.kind != Rule::Kind::lease_exclusion) continue;
    if (breaks(step.after, trial, rule)) break_rule(step, &rule);
    const std::string lock = lock_name(rule.name);
    for (int client = 0; client < static_cast<int>(step.after.processes.size()); ++client) {
      if (step.after.inside[lock].count(client) > 0) note_believer(step, trial, lock, client);
    }
  }
}

bool asks_predicates(const Trial& trial) {
  return std::any_of(trial.rules.begin(), trial.rules.end(), [](const Rule& rule) {
    return rule.kind == Rule::Kind::together || rule.kind == Rule::Kind::guarded ||
           rule.kind == Rule::Kind::ordered || rule.kind == Rule::Kind::unwritten ||
           rule.kind == Rule::Kind::alone || rule.kind == Rule::Kind::recognised;
  });
}

bool asks_who_wrote(const Trial& trial) {
  return std::any_of(trial.rules.begin(), trial.rules.end(), [](const Rule& rule) {
    return rule.kind == Rule::Kind::owner_only || rule.kind == Rule::Kind::no_overwrite;
  });
}

void note_marks(Step& step, const Trial& trial, int client, const std::vector<Mark>& marks) {
  World& world = step.after;
  for (const Mark& mark : marks) {
    const std::string lock = lock_name(mark.name);
    switch (mark.kind) {
      case Mark::Kind::enter:
        note_entry(step, trial, client, mark);
        break;
      case Mark::Kind::wants:
        if (!asks_predicates(trial) &&
            rule_on(trial, Rule::Kind::every_waiter_acquires, mark.name) == nullptr) {
          break;
        }
        world.waiting[lock].insert(client);
        step.reached.insert("some client wants " + lock);
        break;
      case Mark::Kind::gives_up:
        world.waiting[lock].erase(client);
        break;
      case Mark::Kind::reach: {
        const Rule* const forbidden = rule_on(trial, Rule::Kind::never, mark.name);
        break_rule(step, forbidden);
        if (forbidden == nullptr) step.reached.insert(event_name(mark.name));
        break;
      }
    }
  }
}

void note_change(Step& step,
                 const Trial& trial,
                 int client,
                 const Request& asked,
                 const Answer& answer,
                 const Keys& before,
                 const Keys& after) {
  const bool put = puts_a_value(asked, answer) || sets_how_long(asked, answer) ||
                   (asked.op == Op::set_if_absent && answer.number == 1);
  if (put) step.reached.insert("some client writes " + asked.key);
  for (const Rule& rule : trial.rules) {
    const std::string key = key_name(rule.name);
    const Kept* const was = kept_in(before, key);
    const Kept* const is = kept_in(after, key);
    switch (rule.kind) {
      case Rule::Kind::owner_only:
      case Rule::Kind::no_overwrite:
        if (asked.key == key && may_change(asked)) {
          step.reached.insert(done_by(client, "different clients ask to change " + key));
        }
        if (was == nullptr || was->writer == -1 || was->writer == client) break;
        if (meddles(rule, asked, answer, *was, is)) break_rule(step, &rule);
        break;
      case Rule::Kind::fencing_grows:
        note_grant(step, rule, client, asked, was, answer);
        break;
      case Rule::Kind::no_lost_wake_up:
        if (was != nullptr && is == nullptr) {
          step.after.released.insert(key);
          step.reached.insert("an operation removes " + key);
        }
        if (was == nullptr && is != nullptr) step.after.released.erase(key);
        break;
      default:
        break;
    }
  }
}

void note_replacement(World& world, const Trial& trial, const Keys& before, const Keys& after) {
  for (const Rule& rule : trial.rules) {
    const std::string key = key_name(rule.name);
    const bool back = kept_in(before, key) == nullptr && kept_in(after, key) != nullptr;
    if (rule.kind == Rule::Kind::no_lost_wake_up && back) world.released.erase(key);
  }
}

bool note_write(Step& step, const Trial& trial, int client, int resource, std::uint64_t fencing) {
  const std::string goal =
      "writes to " + resource_name(resource) + " differ in client or fencing token";
  step.reached.insert(done_by(client, goal));
  step.reached.insert("some client writes to " + resource_name(resource));
  const bool checks = trial.checks_fencing && resource == 0;
  const Rule* const rule = rule_on(trial, Rule::Kind::fenced_writes, resource);
  if (!checks && rule == nullptr && !asks_predicates(trial)) return true;
  Resource& known = step.after.resources[resource_name(resource)];
  const bool anothers = known.writer != -1 && known.writer != client;
  if (known.writer != -1 && fencing != known.greatest) step.reached.insert(goal);
  const bool stale = fencing < known.greatest;
  if (stale && checks) return false;
  if (stale || (anothers && fencing == known.greatest)) break_rule(step, rule);
  known.greatest = std::max(known.greatest, fencing);
  known.writer = client;
  step.reached.insert("a write to " + resource_name(resource) + " is accepted");
  return true;
}

}  // namespace interlock::sim::independent
