// The operations on objects, for linearizable().
#include <algorithm>

#include "model/monitor.hpp"
#include "model/named_facts.hpp"

namespace interlock::sim {

ObjectHistory& MonitorTable::history_of(MonitorContent& content, const Property& property) const {
  ObjectHistory& history = fact_named(content.histories, property.subject);
  // Once no order fits, there is no configuration, and nothing more to say.
  if (!history.has_begun) {
    history.has_begun = true;
    history.possible.push_back(Configuration{property.specification.initial, {}, {}});
  }
  return history;
}

void MonitorTable::call(MonitorContent& content,
                        const MonitorEvent& event,
                        std::size_t client,
                        Reaction& step) {
  const Property& property = *find(PropertyKind::linearizability, event.subject);
  ObjectHistory& history = history_of(content, property);
  if (event.kind == MonitorEventKind::invokes) {
    if (history.has_others(client)) happenings_.note(HappeningKind::overlaps, event.subject);
    if (history.find(client) == nullptr) {
      history.invoke(client, OpenCall{event.operation, event.number});
    }
    return;
  }
  // Without a call before it is a mistake of the program, which LiveProcess tells.
  if (history.find(client) == nullptr) return;
  if (event.kind == MonitorEventKind::leaves_open) return history.leave_open(client);
  // The search ends; what it would still ask may be much.
  if (!capacity_.exceeded().empty()) return;
  happenings_.note(HappeningKind::returns, event.subject);
  const bool fitted = !history.possible.empty();
  history.give_back(client, event.number, property, specifications_, capacity_);
  if (fitted && history.possible.empty()) {
    violate(step, PropertyKind::linearizability, event.subject);
  }
}

MonitorTable::Monitor MonitorTable::begin_calls(Monitor monitor, std::size_t client) {
  if (!has_unbegun_call(monitor, client)) return monitor;
  MonitorContent content = contents_[monitor];
  for (ObjectHistory& history : content.histories) history.begin(client);
  return intern(std::move(content));
}

MonitorTable::Monitor MonitorTable::begin_all_calls(Monitor monitor) {
  const std::vector<ObjectHistory>& before = contents_[monitor].histories;
  const bool changes = std::any_of(before.begin(), before.end(), [](const ObjectHistory& history) {
    return history.has_unbegun();
  });
  if (!changes) return monitor;
  MonitorContent content = contents_[monitor];
  for (ObjectHistory& history : content.histories) history.begin_all();
  return intern(std::move(content));
}

bool MonitorTable::has_unbegun_call(Monitor monitor, std::size_t client) const {
  const std::vector<ObjectHistory>& all = contents_[monitor].histories;
  return std::any_of(all.begin(), all.end(), [client](const ObjectHistory& history) {
    return history.has_unbegun(client);
  });
}

}  // namespace interlock::sim
