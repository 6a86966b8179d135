// What a reader may want to see of a state.
#include <algorithm>
#include <array>

#include "interlock/sim/state_graph.hpp"

namespace interlock::sim {
namespace {

using Lines = std::vector<std::string>;

std::string on_server(const Snapshot& world, std::size_t server) {
  const bool several = std::any_of(world.keys.begin(), world.keys.end(),
                                   [](const KeyView& key) { return key.server > 0; });
  return several ? " on server " + std::to_string(server + 1) : std::string();
}

Lines keys(const Snapshot& world, bool with_ttl) {
  Lines lines;
  for (const KeyView& key : world.keys) {
    std::string line = key.key + " = " + key.value + on_server(world, key.server);
    if (with_ttl && key.remaining) line += ", " + std::to_string(key.remaining->count()) + " ms";
    lines.push_back(std::move(line));
  }
  if (lines.empty()) lines.emplace_back("no key");
  return lines;
}

Lines beliefs(const Snapshot& world) {
  Lines lines;
  for (const ClientView& client : world.clients) {
    for (const std::string& lock : client.inside) lines.push_back(client.name + " holds " + lock);
  }
  if (lines.empty()) lines.emplace_back("nobody is inside");
  return lines;
}

std::string place_of(const ClientView& client) {
  switch (client.status) {
    case ClientView::Status::not_started:
      return client.name +
             (client.restarts > 0 ? " has crashed and not begun again" : " has not begun");
    case ClientView::Status::done:
      return client.name + " is done";
    case ClientView::Status::crashed:
      return client.name + " has crashed";
    case ClientView::Status::running:
      break;
  }
  return client.name + (client.next.empty() ? " waits" : ": " + client.next);
}

Lines clients(const Snapshot& world) {
  Lines lines;
  for (const ClientView& client : world.clients) lines.push_back(place_of(client));
  return lines;
}

Lines time(const Snapshot& world) {
  return {std::to_string(std::chrono::duration_cast<milliseconds>(world.time).count()) + " ms"};
}

Lines faults(const Snapshot& world) {
  return {std::to_string(world.faults) + (world.faults == 1 ? " fault" : " faults")};
}

Lines resources(const Snapshot& world) {
  Lines lines;
  for (const ResourceView& resource : world.resources) {
    lines.push_back(resource.name + ": token " + std::to_string(resource.greatest_fencing) +
                    (resource.last_writer.empty() ? "" : " of " + resource.last_writer));
  }
  return lines;
}

class NamedView {
 public:
  std::string_view name;
  Lines (*lines)(const Snapshot& world);
};
constexpr std::array named_views{
    NamedView{"keys", [](const Snapshot& world) { return keys(world, true); }},
    NamedView{"values", [](const Snapshot& world) { return keys(world, false); }},
    NamedView{"beliefs", beliefs},
    NamedView{"clients", clients},
    NamedView{"time", time},
    NamedView{"faults", faults},
    NamedView{"resources", resources},
};

// Null: there is none of this name.
StateView view_named(const Scenario& scenario, std::string_view word) {
  for (const NamedView& view : named_views) {
    if (view.name == word) return view.lines;
  }
  for (std::size_t client = 0; client < scenario.processes().size(); ++client) {
    if (scenario.processes()[client].name != word) continue;
    return [client](const Snapshot& world) { return Lines{place_of(world.clients[client])}; };
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> state_view_words(const Scenario& scenario) {
  std::vector<std::string> words;
  words.reserve(named_views.size() + scenario.processes().size());
  for (const NamedView& view : named_views) words.emplace_back(view.name);
  for (const Scenario::ClientProgram& process : scenario.processes()) words.push_back(process.name);
  return words;
}

Result<StateView> state_view(const Scenario& scenario, std::string_view list) {
  std::vector<StateView> views;
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
    StateView view = view_named(scenario, word);
    if (view == nullptr) {
      std::string known;
      for (const std::string& name : state_view_words(scenario)) {
        known += (known.empty() ? "" : ", ") + name;
      }
      return Error(Errc::invalid_argument, "'" + std::string(word.substr(0, 60)) +
                                               "' is no view of a state: there are " + known);
    }
    views.push_back(std::move(view));
  }
  return StateView([views](const Snapshot& world) {
    Lines lines;
    for (const StateView& view : views) {
      for (std::string& line : view(world)) lines.push_back(std::move(line));
    }
    return lines;
  });
}

}  // namespace interlock::sim
