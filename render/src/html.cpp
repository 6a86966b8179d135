// One page that needs nothing else: the drawing, a slider, and the world at each step.
#include <algorithm>
#include <utility>

#include "assets.hpp"
#include "chart.hpp"
#include "columns.hpp"
#include "interlock/sim/draw.hpp"
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

std::string store_table(const Snapshot& world) {
  std::string text =
      "<table><caption>Store</caption><tr><th scope=\"col\">key</th><th scope=\"col\">value</th>"
      "<th scope=\"col\">expires in</th></tr>\n";
  for (const KeyView& key : world.keys) {
    const std::string server = key.server > 0 ? " @" + std::to_string(key.server) : "";
    const std::string left =
        key.remaining ? std::to_string(key.remaining->count()) + " ms" : "never";
    text += "<tr>" + cell(key.key + server) + cell(key.value) + cell(left) + "</tr>\n";
  }
  if (world.keys.empty()) text += "<tr><td colspan=\"3\">no keys</td></tr>\n";
  return text + "</table>\n";
}

std::string client_table(const Snapshot& world) {
  std::string text =
      "<table><caption>Clients</caption><tr><th scope=\"col\">client</th><th scope=\"col\">is</th>"
      "<th scope=\"col\">believes</th><th scope=\"col\">will ask</th></tr>\n";
  for (const ClientView& client : world.clients) {
    std::string inside;
    for (const std::string& lock : client.inside) inside += (inside.empty() ? "" : ", ") + lock;
    const std::string belief =
        inside.empty() ? cell("") : "<td class=\"inside\">holds " + xml(inside) + "</td>";
    text += "<tr>" + cell(client.name) + cell(status_text(client.status)) + belief +
            cell(client.next) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string resource_table(const Snapshot& world) {
  if (world.resources.empty()) return {};
  std::string text =
      "<table><caption>Resources</caption><tr><th scope=\"col\">resource</th>"
      "<th scope=\"col\">greatest token</th><th scope=\"col\">last writer</th></tr>\n";
  for (const ResourceView& one : world.resources) {
    text += "<tr>" + cell(one.name) + cell(std::to_string(one.greatest_fencing)) +
            cell(one.last_writer) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string world_at(const Snapshot& world, Duration clocks_start_at, std::size_t step) {
  const auto now = std::chrono::duration_cast<milliseconds>(clocks_start_at + world.time).count();
  return "<section class=\"at\" id=\"at-" + std::to_string(step) +
         "\" aria-label=\"The world after step " + std::to_string(step) + "\">\n<p>True time " +
         std::to_string(now) + " ms, " + std::to_string(world.faults) +
         " faults so far</p>\n<div class=\"world\">" + store_table(world) + client_table(world) +
         resource_table(world) + "</div></section>\n";
}

std::string controls(std::size_t steps) {
  return "<div class=\"controls\" hidden>\n<button id=\"back\" type=\"button\">Back</button>\n"
         "<input id=\"slider\" type=\"range\" min=\"0\" max=\"" +
         std::to_string(steps) + "\" value=\"" + std::to_string(steps) +
         "\" aria-label=\"Step\">\n<button id=\"next\" type=\"button\">Next</button>\n</div>\n"
         "<p id=\"said\" role=\"status\" aria-live=\"polite\"></p>\n";
}

// What the page is called: a verdict without a run is about no steps.
std::string title_of(const Chart& chart, const Run& run, const Verdict* verdict) {
  if (run.empty() && verdict != nullptr) {
    return chart.title + ": " + std::string(to_string(verdict->outcome));
  }
  return chart.title + ": " + std::to_string(chart.steps) +
         (chart.steps == 1 ? " step" : " steps") + (chart.violation ? ", violation" : "");
}

std::string beginning(const std::string& title, const std::string& attributes) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         xml(title) + "</title>\n<style>\n" + std::string(page_style) + std::string(run_style) +
         "</style>\n</head>\n<body>\n<main" + attributes + ">\n<h1>" + xml(title) + "</h1>\n";
}

std::string verdict_text(const Verdict& verdict) {
  std::string text = std::string(to_string(verdict.outcome)) + " for " + verdict.bounds + "; " +
                     std::to_string(verdict.states) + (verdict.states == 1 ? " state" : " states");
  for (const std::string& promise : verdict.trusts) text += "; trusts " + promise;
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  return "<p>" + xml(text) + "</p>\n";
}

// The picture, the slider, and the world at each step. The command stands below the picture, where
// it is wrapped by the window and copied whole.
std::string steps_of(const Run& run, const Chart& chart, Remarks remarks) {
  const std::string replay = std::exchange(remarks.replay, {});
  std::string text = controls(chart.steps);
  text += "<div class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"The run\">\n" +
          svg_element(chart, remarks) + "</div>\n";
  if (!replay.empty()) text += "<p>Once more: <code>" + xml(replay) + "</code></p>\n";
  text += world_at(run.before, run.clocks_start_at, 0);
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    text += world_at(run.steps[at].after, run.clocks_start_at, at + 1);
  }
  return text;
}

}  // namespace
}  // namespace draw

std::string draw_html(const Run& run, const Verdict* verdict, const Remarks& remarks) {
  const draw::Chart chart = draw::make_chart(run, verdict);
  const bool repeats = chart.loop && !draw::is_stuck(chart);
  const std::string loop =
      repeats ? " data-loop=\"" + std::to_string(*chart.loop) + "\"" : std::string();
  std::string page = draw::beginning(draw::title_of(chart, run, verdict), loop);
  if (verdict != nullptr) page += draw::verdict_text(*verdict);
  const std::string end = "</body>\n</html>\n";
  if (run.empty() && verdict != nullptr) return page + "</main>\n" + end;
  return page + draw::steps_of(run, chart, remarks) + "</main>\n<script>\n" +
         std::string(draw::page_script) + "</script>\n" + end;
}

}  // namespace interlock::sim
