// The picture: bars for the rate and dots for the commands, one line a lock.
#include "../chart.hpp"
#include "report.hpp"

namespace interlock::load {

using benchmark::Bar;
using benchmark::BarChart;
using benchmark::brief;
using benchmark::Panel;

std::string as_svg(const std::vector<Figures>& all, const Setting& setting) {
  BarChart chart("Locks under load",
                 std::to_string(setting.clients) + " clients, one lock, sections of " +
                     std::to_string(setting.section / milliseconds{1}) + " ms",
                 {Panel("rate, share of the ideal", Panel::Scale::linear, " %", 100),
                  Panel("server commands for one section (log scale)", Panel::Scale::logarithmic)});
  chart.legend("interlock", "interlock");
  chart.legend("hiredis", "a loop over SET NX PX");
  chart.legend("source", "a lock of the articles");
  chart.legend("repaired", "such a lock, repaired");
  for (const Figures& one : all) {
    chart.row(one.lock + ", " + one.waits, one.who,
              {Bar(one.share, brief(one.share * 100) + " %"),
               Bar(one.commands_per_section, brief(one.commands_per_section))});
  }
  return chart.svg();
}

}  // namespace interlock::load
