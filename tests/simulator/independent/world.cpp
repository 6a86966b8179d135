#include "world.hpp"

#include <algorithm>
#include <numeric>

namespace interlock::sim::independent {

int World::faults() const {
  return std::accumulate(used.begin(), used.end(), 0);
}

bool World::over() const {
  return std::all_of(processes.begin(), processes.end(), [](const Shared<Process>& process) {
    return process->finished() && process->late.empty();
  });
}

Clocks World::clocks(const Trial& trial, int client) const {
  const auto at = static_cast<std::size_t>(client);
  Clocks clocks;
  clocks.monotonic = trial.first + std::int64_t{apart} * (time + monotonic[at]);
  clocks.wall = trial.first + std::int64_t{apart} * (time + wall[at]);
  return clocks;
}

// Ends are looked at only where a rule asks for them.
bool World::believes(const Trial& trial, const std::string& lock, int client) const {
  const auto at = inside.find(lock);
  if (at == inside.end() || at->second.count(client) == 0) return false;
  const bool ends = std::any_of(trial.rules.begin(), trial.rules.end(), [&](const Rule& rule) {
    return rule.kind == Rule::Kind::lease_exclusion && lock_name(rule.name) == lock;
  });
  const Belief& belief = at->second.at(client);
  if (!ends || !belief.until) return true;
  const Clocks now = clocks(trial, client);
  return (belief.wall ? now.wall : now.monotonic) < *belief.until;
}

// To mutual exclusion no end matters.
bool World::is_shown_inside(const Trial& trial, const std::string& lock, int client) const {
  const auto at = inside.find(lock);
  if (at == inside.end() || at->second.count(client) == 0) return false;
  const bool excludes = std::any_of(trial.rules.begin(), trial.rules.end(), [&](const Rule& rule) {
    return rule.kind == Rule::Kind::mutual_exclusion && lock_name(rule.name) == lock;
  });
  return excludes || believes(trial, lock, client);
}

// A server that loses data is away meanwhile: a millisecond passes.
std::int64_t World::server_clock(const Trial& trial, int server) const {
  int losses = 0;
  for (const Fault fault : {Fault::restart_empty, Fault::failover, Fault::eviction}) {
    losses += used[static_cast<std::size_t>(fault)];
  }
  const int instant = time + server_clocks[static_cast<std::size_t>(server)];
  return trial.first + std::int64_t{apart} * instant + losses;
}

void World::forget_expired(const Trial& trial) {
  for (std::size_t server = 0; server < servers.size(); ++server) {
    const std::int64_t now = server_clock(trial, static_cast<int>(server));
    if (servers[server]->has_expired(now)) servers[server].change().forget_expired(now);
  }
}

namespace {

std::string written(const std::set<int>& clients) {
  std::string text;
  for (const int client : clients) text += static_cast<char>('0' + client);
  return text;
}

}  // namespace

std::string World::written(bool by_history) const {
  std::string text = std::to_string(time) + "|";
  for (const int count : used) text += std::to_string(count) + ",";
  for (const int server : breaks_to_come) text += "break of " + std::to_string(server) + ",";
  for (std::size_t client = 0; client < processes.size(); ++client) {
    text += "\n" + std::to_string(monotonic[client]) + "," + std::to_string(wall[client]) + "," +
            processes[client].written(by_history);
  }
  for (std::size_t server = 0; server < servers.size(); ++server) {
    text +=
        "\n" + std::to_string(server_clocks[server]) + "," + servers[server].written(by_history);
  }
  // An empty fact is as good as none.
  for (const auto& [lock, who] : inside) {
    for (const auto& [client, belief] : who) {
      text += "\n" + lock + " inside " + std::to_string(client);
      if (belief.until) text += (belief.wall ? " wall " : " ") + std::to_string(*belief.until);
    }
  }
  for (const auto& [lock, who] : waiting) {
    if (!who.empty()) text += "\n" + lock + " waiting " + independent::written(who);
  }
  for (const auto& [key, fencing] : granted) text += "\n" + key + "#" + std::to_string(fencing);
  for (const std::string& key : released) text += "\n" + key + " released";
  for (const auto& [name, resource] : resources) {
    text += "\n" + name + " " + std::to_string(resource.greatest) + " " +
            std::to_string(resource.writer);
  }
  return text;
}

namespace {

std::set<int> renamed(const std::set<int>& clients, const std::vector<int>& names) {
  std::set<int> result;
  for (const int client : clients) result.insert(names[static_cast<std::size_t>(client)]);
  return result;
}

// Every owner token in it.
std::string renamed_tokens(std::string text, const std::vector<int>& names) {
  for (auto at = text.find("il1:"); at != std::string::npos; at = text.find("il1:", at + 4)) {
    const auto client = static_cast<std::size_t>(text[at + 4] - 'A');
    text[at + 4] = static_cast<char>('A' + names[client]);
  }
  return text;
}

std::map<int, Belief> renamed(const std::map<int, Belief>& beliefs, const std::vector<int>& names) {
  std::map<int, Belief> result;
  for (const auto& [client, belief] : beliefs) {
    result[names[static_cast<std::size_t>(client)]] = belief;
  }
  return result;
}

std::string with_mark(std::string text, const std::string& before, const std::string& after) {
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    text.replace(at, before.size(), after);
  }
  return text;
}

// Texts that others are put in order by get their new names at once, under another mark.
std::string renamed_and_marked(std::string text, const std::vector<int>& names) {
  return with_mark(renamed_tokens(std::move(text), names), "il1:", "IL1:");
}

void rename(Keys& keys, const std::vector<int>& names) {
  Keys renamed;
  for (auto& [key, kept] : keys) {
    if (kept.writer >= 0) kept.writer = names[static_cast<std::size_t>(kept.writer)];
    renamed[renamed_and_marked(key, names)] = kept;
  }
  keys = std::move(renamed);
}

}  // namespace

std::string World::written_as(const std::vector<int>& names) const {
  World other = *this;
  for (std::size_t client = 0; client < processes.size(); ++client) {
    const auto to = static_cast<std::size_t>(names[client]);
    other.processes[to] = processes[client];
    other.monotonic[to] = monotonic[client];
    other.wall[to] = wall[client];
  }
  for (Shared<Server>& shared : other.servers) {
    Server& server = shared.change();
    rename(server.keys, names);
    for (Keys& keys : server.past) rename(keys, names);
  }
  for (auto& [lock, who] : other.inside) who = renamed(who, names);
  for (auto& [lock, who] : other.waiting) who = renamed(who, names);
  for (auto& [name, resource] : other.resources) {
    if (resource.writer >= 0) resource.writer = names[static_cast<std::size_t>(resource.writer)];
  }
  for (Shared<Process>& process : other.processes) {
    if (process->late.empty()) continue;
    for (Request& request : process.change().late) {
      for (std::string* const text : {&request.key, &request.value}) {
        *text = renamed_and_marked(*text, names);
      }
    }
  }
  return with_mark(renamed_tokens(other.written(true), names), "IL1:", "il1:");
}

namespace {

ClientView::Status status_of(const Process& process) {
  switch (process.status) {
    case Process::Status::not_started:
      return ClientView::Status::not_started;
    case Process::Status::running:
      return ClientView::Status::running;
    case Process::Status::done:
      return ClientView::Status::done;
    case Process::Status::crashed:
      break;
  }
  return ClientView::Status::crashed;
}

}  // namespace

Snapshot World::snapshot(const Trial& trial) const {
  Snapshot view;
  view.time = milliseconds(apart) * time;
  view.faults = static_cast<std::size_t>(faults());
  for (std::size_t server = 0; server < servers.size(); ++server) {
    const std::int64_t now = server_clock(trial, static_cast<int>(server));
    for (const auto& [name, kept] : servers[server]->keys) {
      KeyView key;
      key.server = server;
      key.key = name;
      key.value = kept.value;
      if (kept.expiry) key.remaining = milliseconds(*kept.expiry - now);
      view.keys.push_back(key);
    }
  }
  for (std::size_t client = 0; client < processes.size(); ++client) {
    ClientView one;
    one.name = std::string(1, static_cast<char>('A' + client));
    one.status = status_of(*processes[client]);
    one.restarts = static_cast<std::size_t>(processes[client]->life);
    for (const auto& [lock, who] : inside) {
      if (is_shown_inside(trial, lock, static_cast<int>(client))) one.inside.push_back(lock);
    }
    for (const auto& [lock, who] : waiting) {
      const bool waits = who.count(static_cast<int>(client)) > 0;
      if (waits && !processes[client]->finished()) one.wants.push_back(lock);
    }
    view.clients.push_back(one);
  }
  for (const auto& [name, resource] : resources) {
    ResourceView one;
    one.name = name;
    one.greatest_fencing = resource.greatest;
    if (resource.writer >= 0)
      one.last_writer = view.clients[static_cast<std::size_t>(resource.writer)].name;
    view.resources.push_back(one);
  }
  return view;
}

World beginning_of(const Trial& trial) {
  World world;
  world.processes.resize(trial.clients.size());
  world.monotonic.resize(trial.clients.size());
  world.wall.resize(trial.clients.size());
  world.servers.resize(static_cast<std::size_t>(trial.servers));
  world.server_clocks.resize(static_cast<std::size_t>(trial.servers));
  for (const InitialKey& key : trial.keys) {
    Kept kept;
    kept.value = key.value;
    if (key.ttl > 0) kept.expiry = trial.first + key.ttl;
    world.servers[static_cast<std::size_t>(key.server)].change().keys[key_name(key.name)] = kept;
  }
  return world;
}

}  // namespace interlock::sim::independent
