#include "lab/scenario_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "console/lines.hpp"

namespace interlock::cli {

using sim::catalogue::CatalogueEntry;
using sim::catalogue::Family;

namespace {

bool is_broken(const CatalogueEntry& entry) {
  return entry.expected.outcome == sim::Outcome::violated;
}

}  // namespace

std::string_view title_of(Family family) {
  switch (family) {
    case Family::locks:
      return "Whole locks";
    case Family::setnx:
      return "The end of the lease is the key's value";
    case Family::ttl:
      return "One server that lets keys expire";
    case Family::waiting:
      return "Waiting, fairness, several keys";
    case Family::replication:
      return "Several servers, and what a resource must check";
  }
  return "";
}

std::string scenario_lines(const std::vector<const CatalogueEntry*>& entries) {
  std::size_t widest = 0;
  for (const CatalogueEntry* entry : entries) widest = std::max(widest, entry->name.size());
  std::string text;
  for (const CatalogueEntry* entry : entries) {
    const std::string found = is_broken(*entry) ? counted(entry->expected.steps, "step") : "proved";
    text += fmt::format("{:<{}}  {:>8}  {}\n", entry->name, widest, found, entry->summary);
  }
  return text;
}

std::string scenario_list(const std::vector<const CatalogueEntry*>& entries, std::size_t columns) {
  constexpr std::size_t name_indent = 2;
  constexpr std::size_t summary_indent = 4;
  columns = std::min<std::size_t>(columns, 80);
  std::string text;
  std::optional<Family> family;
  for (const CatalogueEntry* entry : entries) {
    if (family != entry->family) {
      text += text.empty() ? "" : "\n";
      text += wrapped(fmt::format("{}: {}", to_string(entry->family), title_of(entry->family)), 0,
                      columns) +
              "\n";
      family = entry->family;
    }
    const std::string found = is_broken(*entry) ? counted(entry->expected.steps, "step") : "proved";
    text += std::string(name_indent, ' ') +
            wrapped(fmt::format("{} ({})", entry->name, found), name_indent, columns) + "\n";
    text +=
        std::string(summary_indent, ' ') + wrapped(entry->summary, summary_indent, columns) + "\n";
  }
  return text;
}

}  // namespace interlock::cli
