// The picture: two rows of bars side by side, one line a lock.
#include <algorithm>

#include "../chart.hpp"
#include "report.hpp"

namespace interlock::load {

using benchmark::Bar;
using benchmark::BarChart;
using benchmark::brief;
using benchmark::Panel;

std::string as_svg(const std::vector<Figures>& all, const Setting& setting) {
  double dearest = 1;
  for (const Figures& one : all) dearest = std::max(dearest, one.commands_per_section);
  BarChart chart(
      "Locks under load",
      std::to_string(setting.clients) + " clients, one lock, sections of " +
          std::to_string(setting.section / milliseconds{1}) + " ms",
      {Panel("rate, share of the ideal", Panel::Scale::linear, 1, " %", 100),
       Panel("server commands for one section (log scale)", Panel::Scale::logarithmic, dearest)});
  for (const Figures& one : all) {
    chart.row(one.lock + ", " + one.waits, one.who,
              {Bar(one.share, brief(one.rate) + "/s"),
               Bar(one.commands_per_section, brief(one.commands_per_section))});
  }
  return chart.svg();
}

}  // namespace interlock::load
