// One page that needs nothing else: the drawing, a slider, and the world at each step.
#include <utility>

#include "interlock/sim/draw.hpp"
#include "render/columns.hpp"
#include "render/svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

constexpr std::string_view page_style = R"css(
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 76rem; padding: 0 1rem;
  color: #1b1f24; background: #fff; }
h1 { font-size: 1.2rem; margin: 0 0 .5rem; }
.picture { overflow-x: auto; border: 1px solid #d0d7de; border-radius: 6px; }
.controls { position: sticky; top: 0; background: #fff; display: flex; gap: .5rem;
  align-items: center; padding: .5rem 0; flex-wrap: wrap; }
.controls input { flex: 1; min-width: 10rem; }
button { font: inherit; padding: .15rem .8rem; }
#said { font-weight: 600; margin: .2rem 0 .6rem; min-height: 1.5em; }
.world { display: flex; flex-wrap: wrap; gap: 2rem; align-items: flex-start; margin: 1rem 0; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding-bottom: .2rem; }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid #d0d7de;
  font-variant-numeric: tabular-nums; }
td { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; }
.run .step { cursor: pointer; }
.run .later { opacity: .25; }
.run .now .row { stroke: #0550ae; stroke-width: 1.5; }
section.at[hidden] { display: none; }
.inside { font-weight: bold; }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
)css";

constexpr std::string_view page_script = R"js(
(function () {
  "use strict";
  var sections = document.querySelectorAll("section.at");
  var rows = document.querySelectorAll(".run g.step");
  var slider = document.getElementById("slider");
  var said = document.getElementById("said");
  var last = rows.length - 1;
  // After the last step of a run that goes round for ever comes the first of its loop.
  var loop = Number(document.querySelector("main").dataset.loop) || 0;
  function show(step) {
    step = Math.max(0, Math.min(last, step));
    slider.value = step;
    rows.forEach(function (row, at) {
      row.classList.toggle("later", at > step);
      row.classList.toggle("now", at === step);
    });
    sections.forEach(function (section, at) { section.hidden = at !== step; });
    said.textContent = rows[step].querySelector("title").textContent;
    slider.setAttribute("aria-valuetext", said.textContent);
    document.getElementById("back").disabled = step === 0;
    document.getElementById("next").disabled = step === last && !loop;
    try { history.replaceState(null, "", "#" + step); } catch (ignored) { /* a file: address */ }
  }
  function now() { return Number(slider.value); }
  function forward() { show(now() === last && loop ? loop : now() + 1); }
  slider.addEventListener("input", function () { show(now()); });
  document.getElementById("back").addEventListener("click", function () { show(now() - 1); });
  document.getElementById("next").addEventListener("click", forward);
  rows.forEach(function (row, at) { row.addEventListener("click", function () { show(at); }); });
  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider) return;
    var by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Home") by = -last;
    if (event.key === "End") by = last;
    if (by === 1) { forward(); event.preventDefault(); }
    else if (by) { show(now() + by); event.preventDefault(); }
  });
  document.querySelector(".controls").hidden = false;
  var wanted = parseInt(location.hash.slice(1), 10);
  show(isNaN(wanted) ? last : wanted);
})();
)js";

std::string cell(std::string_view text) {
  return "<td>" + xml(text) + "</td>";
}

std::string status_text(ClientView::Status status) {
  switch (status) {
    case ClientView::Status::not_started:
      return "not started";
    case ClientView::Status::running:
      return "running";
    case ClientView::Status::done:
      return "done";
    case ClientView::Status::crashed:
      return "crashed";
  }
  return {};
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
         xml(title) + "</title>\n<style>" + std::string(page_style) + std::string(svg_style()) +
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
  return page + draw::steps_of(run, chart, remarks) + "</main>\n<script>" +
         std::string(draw::page_script) + "</script>\n" + end;
}

}  // namespace interlock::sim
