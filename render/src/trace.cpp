// A run as a table that a test can hold: a column for each client.
#include <algorithm>

#include "chart.hpp"
#include "columns.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::sim {
namespace {

std::string cell(const draw::ChartRow& row) {
  std::string text = draw::printable(draw::sentence(row, false, false), true);
  const std::size_t arrow = text.find("->");
  if (arrow != std::string::npos) text.replace(arrow, 2, " -> ");
  return text;
}

}  // namespace

std::string draw_trace(const Run& run) {
  const draw::Chart chart = draw::make_chart(run, nullptr);
  std::size_t width = 0;
  for (const draw::ChartRow& row : chart.rows) width = std::max(width, cell(row).size());
  for (const std::string& client : chart.clients) width = std::max(width, client.size());
  std::string text;
  const auto add = [&](auto&& words) {
    std::string line;
    for (std::size_t client = 0; client < chart.clients.size(); ++client) {
      line += draw::padded(words(client), width + 2);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add([&](std::size_t client) { return chart.clients[client]; });
  for (std::size_t at = 1; at < chart.rows.size(); ++at) {
    const draw::ChartRow& row = chart.rows[at];
    if (chart.loop == row.number) text += "(loop)\n";
    if (!row.mover) {
      text += "(" + draw::printable(run.steps[at - 1].what, true) + ")\n";
      continue;
    }
    add([&](std::size_t client) { return row.mover == client ? cell(row) : std::string("."); });
  }
  if (draw::is_stuck(chart)) text += "(stuck)\n";
  return text;
}

}  // namespace interlock::sim
