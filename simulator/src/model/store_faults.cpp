// What faults do to the data of a server.
#include <optional>
#include <utility>
#include <vector>

#include "model/store_table.hpp"

namespace interlock::sim {

std::vector<StoreTable::Store> StoreTable::seen_by_replica(Store store) {
  std::vector<Store> seen;
  for (Store was = contents_[store].before; was != unknown; was = contents_[was].before) {
    seen.push_back(as_past(contents_[was], 0));
  }
  if (seen.empty()) seen.push_back(store);
  return seen;
}

// The replica that takes over has another incarnation, whichever this was.
StoreTable::Store StoreTable::as_past(StoreContent content, std::size_t steps) {
  content.incarnation.reset();
  if (steps == 0) content.before = unknown;
  if (content.before != unknown) content.before = as_past(contents_[content.before], steps - 1);
  return intern(std::move(content));
}

StoreTable::Store StoreTable::reborn(Store store, Store data) {
  const std::optional<std::uint32_t> before = contents_[store].incarnation;
  if (!before) return data;
  StoreContent content = contents_[data];
  content.incarnation = *before + 1;
  return intern(std::move(content));
}

StoreTable::Store StoreTable::evict(Store store, std::size_t key) {
  StoreContent content = contents_[store];
  content.entries.erase(content.entries.begin() + static_cast<std::ptrdiff_t>(key));
  return intern(std::move(content));
}

}  // namespace interlock::sim
