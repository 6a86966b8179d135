// Pictures of a run. Time goes downwards, and each client has a lane. A thick lane means that the
// client believes that it holds the lock: two thick lanes side by side are a violation, also
// without colour. All functions are pure; any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {

class StateGraph;

class TextStyle {
 public:
  bool ascii = false;   // `#`, `|` and `:` for the lanes, `->` for the arrow, `X` for a cross
  bool colour = false;  // ANSI; the picture is complete without it
  // Columns; less than 40 is taken for 40. Only commands to be copied are longer. A drawing takes
  // no more than it needs to show everything, but never less than 80 if there are as many.
  std::size_t width = 80;
  // The run goes on: draws only the table, also if there is no step yet, and no verdict.
  bool unfinished = false;
};

// Texts that are not in the run. Empty ones are left out. Commands are drawn whole, on one line.
class Remarks {
 public:
  std::string variant;  // printed beside the scenario's name
  std::string fix;      // what would repair the protocol
  std::string next;     // a command that shows the repair
  std::string replay;   // a command that shows this run again
};

// Each of these functions takes the verdict of the run, if there is one, for bounds and figures.
// The run itself says which property was violated, and where (RunStep::violates).

// One row for each step; if there are more than 30, long stretches without an event are folded. In
// few columns, steps leave out first what they store and then the key, but keep the reply.
std::string draw_text(const Run& run,
                      const Verdict* verdict = nullptr,
                      const Remarks& remarks = {},
                      const TextStyle& style = {});

// What a search has executed: for each task the operations, with the answers that each got in some
// run and, behind NEVER, those that it got in none; then the locks that were entered, and the
// faults.
std::string draw_coverage(const Verdict& verdict, const TextStyle& style = {});

// A file of the source of a program that was searched.
class SourceText {
 public:
  std::string file;  // as CoveredOperation::file names it
  std::string text;
};

// A file's name without the `./` and `../` at its beginning, which lead to the folder of the
// sources from the one in which the compiler was called: `flawed/src/stamp_lock.cpp`.
std::string below_the_sources(std::string_view file);

// The same as one page that needs no network: the lines of the source, and beside each of them the
// answers that the operations there got, with those that no run had marked by a sign, a word and a
// colour. Reads no file: Coverage::files() says which ones to give. Where a file is not among
// `sources`, the page has the numbers of its lines. All text is escaped.
std::string draw_coverage_page(const Verdict& verdict, const std::vector<SourceText>& sources);

// Text beside a drawing: no line is longer than the style's width or 100 columns, and every line
// but the first is indented by `indent` columns. In ASCII, characters that have a plain form take
// it. Line breaks in the text become blanks; the result ends with a line break.
std::string draw_words(std::string_view text, std::size_t indent, const TextStyle& style);

// A column for each client, in ASCII, without values and clocks: short enough for the text of a
// test. `(loop)` comes before the steps that repeat for ever, `(stuck)` when nothing can happen any
// more.
std::string draw_trace(const Run& run);

// A sequence diagram for Mermaid. Steps are numbered in the text, because Mermaid's own numbers
// count arrows; every `activate` is closed, because Mermaid draws no bar otherwise.
std::string draw_mermaid(const Run& run, const Verdict* verdict = nullptr);

// An SVG picture that fills its frame, in the reader's colour scheme: above it what happened, below
// it what its signs mean. Text is not drawn as outlines, and colours are CSS classes. What is too
// long for its place loses its middle; a `<title>` has the whole. A run that no property stops and
// in which a client can still go on is called unfinished.
std::string draw_svg(const Run& run, const Verdict* verdict = nullptr, const Remarks& remarks = {});

// One file that needs no network: what happened, the picture with a player for its steps, and for
// each step the content of the store and the next request of each client. It opens at the
// beginning; `#3` in its address is step 3. If the verdict has no run, only the verdict.
std::string draw_html(const Run& run,
                      const Verdict* verdict = nullptr,
                      const Remarks& remarks = {});

// One JSON object on each line: the run, each step, then the verdict; if the verdict has no run,
// only the verdict. Each has `"v":1`; later versions only add fields. `replay` is the run in one
// line (print_short()), by which programs repeat it; empty: left out.
std::string to_json(const Run& run, const Verdict* verdict = nullptr, std::string_view replay = {});

// A graph of states in the language of Graphviz: `dot -Tsvg`. The first node has a bold frame, a
// node in which a property is broken is red, and one in which clients hold a lock is filled. Steps
// between the same two nodes are one arrow; if they are many, it says how many more there are.
std::string draw_dot(const StateGraph& graph);

// The same graph as one JSON object, without a line break: `nodes` and `edges`, which name nodes by
// their place in `nodes`.
std::string to_json(const StateGraph& graph);

// A verdict as one JSON object, without a line break and without the run's steps. `coverage` is
// left out if the search was not exhaustive.
std::string to_json(const Verdict& verdict);

}  // namespace interlock::sim
