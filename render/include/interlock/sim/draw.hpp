// A run as a picture. Time goes downwards, each client has a lane, and a thick lane means "believes
// that it holds": two thick lanes side by side are the violation, seen without colour.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {

class TextStyle {
 public:
  bool ascii = false;      // `#`, `|` and `:` for the lanes, `->` for the arrow, `X` for a cross
  bool colour = false;     // ANSI; adds to the picture, carries nothing
  std::size_t width = 80;  // columns, at least 80; only a command to be pasted is longer
  // The run goes on: the table alone, also if there is no step yet; nothing is judged.
  bool unfinished = false;
};

// What the run itself does not know. Empty ones are left out. Commands are drawn whole, on one
// line.
class Remarks {
 public:
  std::string variant;  // beside the scenario's name
  std::string fix;      // what would repair the protocol
  std::string next;     // a command that shows the repair
  std::string replay;   // a command that shows this run again
};

// Each takes the verdict that the run comes from, if there is one: it adds bounds and figures. What
// was violated, and where, the run says itself (RunStep::violates).

// One row for each step; long quiet stretches are folded when there are more than 30.
std::string draw_text(const Run& run,
                      const Verdict* verdict = nullptr,
                      const Remarks& remarks = {},
                      const TextStyle& style = {});

// Words beside a drawing: no line is longer than the style's width, every line but the first is
// indented by so many columns, and in ASCII whatever has a plain form takes it. Line breaks of the
// text itself are blanks; ends with one.
std::string draw_words(std::string_view text, std::size_t indent, const TextStyle& style);

// A column for each client, in ASCII, without values and clocks: short enough to stand in a test.
// `(loop)` stands before the steps that repeat for ever, `(stuck)` where nothing can happen any
// more.
std::string draw_trace(const Run& run);

// A sequence diagram for Mermaid. Steps are numbered in the text, because Mermaid's own numbers
// count arrows; every `activate` is closed, because Mermaid draws no bar otherwise.
std::string draw_mermaid(const Run& run, const Verdict* verdict = nullptr);

// Text is text, and colours are CSS classes. Hatched: believed to be held, and the key says
// otherwise.
std::string draw_svg(const Run& run, const Verdict* verdict = nullptr, const Remarks& remarks = {});

// One file that needs no network: the picture, a step slider, and for each step what the store held
// and what each client was about to do. Of a verdict without a run the verdict alone.
std::string draw_html(const Run& run,
                      const Verdict* verdict = nullptr,
                      const Remarks& remarks = {});

// One JSON object a line: the run, each step, then the verdict; of a verdict without a run the
// verdict alone. `"v":1` in each; fields are only ever added.
std::string to_json(const Run& run, const Verdict* verdict = nullptr);

// A verdict as one JSON object, without a line break and without the run's steps.
std::string to_json(const Verdict& verdict);

}  // namespace interlock::sim
