// One page that needs nothing else: what happened, the drawing, a player, and the world at each
// step.
#include <algorithm>

#include "assets.hpp"
#include "captions.hpp"
#include "chart.hpp"
#include "interlock/sim/draw.hpp"
#include "page_frame.hpp"
#include "run/token_names.hpp"
#include "svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

std::string cell(std::string_view text) {
  return "<td>" + xml(text) + "</td>";
}

std::string status_text(ClientView::Status status) {
  std::string text(status_word(status));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string command(const char* what, const std::string& text) {
  if (text.empty()) return {};
  return "<p>" + std::string(what) + " <code>" + xml(text) + "</code></p>\n";
}

// --- the world at a step -------------------------------------------------------------------------

class WorldTables {
 public:
  WorldTables(const Run& run, const Chart& chart) : run_(run), chart_(chart), names_(run) {
    for (const RunStep& step : run.steps) {
      for (const ClientView& client : step.after.clients) {
        has_ghosts_ = has_ghosts_ || !client.ghosts.empty();
      }
    }
  }

  std::string at(std::size_t moment) const {
    const std::string number = std::to_string(moment);
    const Snapshot& now = world(moment);
    const std::string faults = now.faults == 0 ? ""
                               : now.faults == 1
                                   ? ", 1 fault so far"
                                   : ", " + std::to_string(now.faults) + " faults so far";
    return "<section class=\"at\" id=\"at-" + number + "\" aria-label=\"The world after step " +
           number + "\">\n" +
           page_paragraph("small", "After step " + number + ": " +
                                       clock_words(chart_, chart_.rows[moment].clock) + faults) +
           "<div class=\"world\">" + store(moment) + clients(now) + resources(now) +
           "</div></section>\n";
  }

 private:
  const Snapshot& world(std::size_t moment) const {
    return moment == 0 ? run_.before : run_.steps[moment - 1].after;
  }

  std::string store(std::size_t moment) const {
    const Snapshot& now = world(moment);
    std::string text =
        "<table><caption>Store</caption><tr><th scope=\"col\">key</th><th scope=\"col\">value</th>"
        "<th scope=\"col\">expires in</th></tr>\n";
    for (const KeyView& key : now.keys) {
      const std::string server = key.server > 0 ? " @" + std::to_string(key.server) : "";
      const std::string left =
          key.remaining ? std::to_string(key.remaining->count()) + " ms" : "never";
      const KeyView* const was = world(moment == 0 ? 0 : moment - 1).find(key.key, key.server);
      const bool changed = was == nullptr || was->value != key.value;
      text += std::string(changed ? "<tr class=\"changed\">" : "<tr>") + cell(key.key + server) +
              cell(names_.in(key.value)) + cell(left) + "</tr>\n";
    }
    if (now.keys.empty()) text += "<tr><td colspan=\"3\">no keys</td></tr>\n";
    return text + "</table>\n";
  }

  std::string clients(const Snapshot& now) const {
    std::string text =
        "<table><caption>Clients</caption><tr><th scope=\"col\">client</th>"
        "<th scope=\"col\">is</th><th scope=\"col\">believes</th><th scope=\"col\">will ask</th>" +
        std::string(has_ghosts_ ? "<th scope=\"col\">ghost variables</th>" : "") + "</tr>\n";
    for (std::size_t at = 0; at < now.clients.size(); ++at) {
      const ClientView& client = now.clients[at];
      std::string inside;
      for (const std::string& lock : client.inside) inside += (inside.empty() ? "" : ", ") + lock;
      const std::string belief =
          inside.empty() ? cell("") : "<td class=\"inside\">holds " + xml(inside) + "</td>";
      text += "<tr><td class=\"client client-" + std::to_string(at % 8) + "\">" + xml(client.name) +
              "</td>" + cell(status_text(client.status)) + belief + cell(names_.in(client.next)) +
              (has_ghosts_ ? cell(ghosts(client)) : "") + "</tr>\n";
    }
    return text + "</table>\n";
  }

  static std::string ghosts(const ClientView& client) {
    std::string text;
    for (const GhostView& ghost : client.ghosts) {
      text += (text.empty() ? "" : ", ") + ghost.name + " = " + std::to_string(ghost.value);
    }
    return text;
  }

  std::string resources(const Snapshot& now) const {
    if (now.resources.empty()) return {};
    std::string text =
        "<table><caption>Resources</caption><tr><th scope=\"col\">resource</th>"
        "<th scope=\"col\">greatest token</th><th scope=\"col\">last writer</th></tr>\n";
    for (const ResourceView& one : now.resources) {
      text += "<tr>" + cell(one.name) + cell(std::to_string(one.greatest_fencing)) +
              cell(one.last_writer) + "</tr>\n";
    }
    return text + "</table>\n";
  }

  const Run& run_;
  const Chart& chart_;
  TokenNames names_;
  bool has_ghosts_ = false;
};

// --- the page ------------------------------------------------------------------------------------

// What the run or the verdict comes to: a verdict without a run is about no steps.
std::string standing(const Run& run, const Verdict* verdict) {
  if (run.empty() && verdict != nullptr) return std::string(to_string(verdict->outcome));
  return length_and_standing(run, verdict);
}

std::string summary(const Run& run,
                    const Verdict* verdict,
                    const Chart& chart,
                    const Remarks& remarks) {
  const std::string where = chart.loop || !chart.violation
                                ? std::string()
                                : "Step " + std::to_string(*chart.violation) + ": ";
  std::string text = "<header>\n<h1>" + xml(chart.title.empty() ? "A run" : chart.title) +
                     "</h1>\n" + page_paragraph("small", standing(run, verdict));
  if (chart.violation) text += page_paragraph("outcome", "✗ " + where + chart.broken + ".");
  if (!chart.why.empty()) text += page_paragraph("why", "Why: " + chart.why + ".");
  if (!remarks.fix.empty()) text += page_paragraph("fix", "Fix: " + remarks.fix);
  if (verdict != nullptr) text += verdict_paragraph(*verdict);
  return text + "</header>\n";
}

std::string player(std::size_t steps) {
  const auto button = [](const char* name, const char* words) {
    return "<button id=\"" + std::string(name) + "\" type=\"button\">" + words + "</button>\n";
  };
  return "<div class=\"controls panel\" hidden>\n<div class=\"buttons\">\n" +
         button("play", "Play") + button("back", "Back") + button("next", "Next") +
         "<span id=\"count\"></span>\n</div>\n"
         "<input id=\"slider\" type=\"range\" min=\"0\" max=\"" +
         std::to_string(steps) +
         "\" value=\"0\" aria-label=\"Step\">\n"
         "<p id=\"said\" role=\"status\"></p>\n"
         "<p class=\"small keys\">Keys: <kbd>←</kbd> <kbd>→</kbd> a step, <kbd>P</kbd> play and "
         "pause.</p>\n</div>\n";
}

// The same run for a wide and for a narrow screen: the style shows one of them.
std::string picture(const Run& run, const Chart& chart, Room room) {
  const std::string name = room == Room::wide ? "wide" : "narrow";
  const Scene scene(run, chart, room);
  return "<svg class=\"run " + name + "\" role=\"img\" aria-label=\"The run\" viewBox=\"0 0 " +
         std::to_string(scene.width()) + " " + std::to_string(scene.height()) + "\">\n" +
         svg_definitions(name) + svg_rows(chart, scene, name) + "</svg>\n";
}

std::string legend(const std::string& pictures) {
  std::string text = "<ul class=\"legend\">\n";
  for (const LegendEntry& entry : legend_of(pictures)) {
    text += "<li><svg class=\"run\" aria-hidden=\"true\" width=\"26\" height=\"16\">" +
            (std::string_view(entry.sign) == "outlived" ? svg_definitions("legend") : "") +
            legend_sign(entry, 0, 12, "legend") + "</svg> " + entry.words + "</li>\n";
  }
  return text + "</ul>\n";
}

std::string body_of(const Run& run, const Chart& chart, const Remarks& remarks) {
  const std::string pictures = picture(run, chart, Room::wide) + picture(run, chart, Room::narrow);
  const WorldTables tables(run, chart);
  std::string text = "<div class=\"run-view\">\n<div class=\"side\">\n" + player(chart.steps) +
                     "<div class=\"worlds panel\">\n";
  for (std::size_t moment = 0; moment < chart.rows.size(); ++moment) text += tables.at(moment);
  return text + "</div>\n</div>\n<div class=\"picture panel\">\n" + pictures + legend(pictures) +
         "</div>\n</div>\n<footer>\n" + command("Once more:", remarks.replay) +
         command("Next:", remarks.next) + "</footer>\n";
}

}  // namespace
}  // namespace draw

std::string draw_html(const Run& run, const Verdict* verdict, const Remarks& remarks) {
  const draw::Chart chart = draw::make_chart(run, verdict);
  const bool repeats = chart.loop && !draw::is_stuck(chart);
  const std::string loop =
      repeats ? " data-loop=\"" + std::to_string(*chart.loop) + "\"" : std::string();
  std::string page = draw::page_beginning(chart.title + ": " + draw::standing(run, verdict),
                                          draw::run_style, loop) +
                     draw::summary(run, verdict, chart, remarks);
  const std::string end(draw::page_end);
  if (run.empty() && verdict != nullptr) return page + "</main>\n" + end;
  return page + draw::body_of(run, chart, remarks) + "</main>\n<script>\n" +
         std::string(draw::page_script) + "</script>\n" + end;
}

}  // namespace interlock::sim
