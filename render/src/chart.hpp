// A run as rows and lanes: everything that the drawings share. This decides what a row means; each
// drawing decides how the row looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim::draw {

enum class Lane : std::uint8_t {
  alive,
  holds,     // believes that it holds, and nothing speaks against it
  outlived,  // believes that it holds, but the key is gone or another's
  dead,
  done,
};
constexpr bool believes(Lane lane) {
  return lane == Lane::holds || lane == Lane::outlived;
}

class ChartRow {
 public:
  std::size_t number = 0;   // of the step, counted from 1; 0 is the world before
  Duration clock{0};        // what a true clock shows
  std::vector<Lane> lanes;  // after the step
  std::optional<std::size_t> mover;
  std::string word;      // `SETNX`, `starts`, `✗ crashed`
  std::string target;    // the key that it is about, if it is an operation
  std::string argument;  // what was stored
  std::string reply;     // `1`, `held`; empty: none, or not yet
  std::string value;     // of the chart's key afterwards
  std::string note;      // `C1 holds`; at most 9 columns unless names are long
  // The ghost variables that the mover sets: `done=1`; and its operations on objects: `pop→3`.
  std::string ghosts;
  bool pending = false;  // the answer is still on its way
  bool arrival = false;  // the answer of an earlier step
  bool fault = false;
  bool time = false;
  bool violation = false;
  bool notable = false;  // holders, faults, the key's owner: not to be folded away
};

class Chart {
 public:
  std::string title;  // scenario
  std::vector<std::string> clients;
  std::string key;            // what the value column shows
  bool several_keys = false;  // operations are about more than one key
  bool milliseconds = false;  // clocks are not whole seconds
  std::size_t steps = 0;
  std::vector<ChartRow> rows;            // the first is the world before
  std::optional<std::size_t> violation;  // the row
  // The row from which the rows repeat for ever. The number of rows: nothing can happen any more,
  // or if fairness was chosen, nothing need happen.
  std::optional<std::size_t> loop;
  std::vector<std::string> fairness;  // Run::fairness
  std::string broken;                 // `C1 and C2 both hold lock.foo`
  std::string property;               // `mutual exclusion`
  std::string why;                    // `C2 acted on its GET of step 4; by step 7 the key was C1's`
};

Chart make_chart(const Run& run, const Verdict* verdict);

// `SETNX→1`, with the key or the stored value in it if asked for.
std::string sentence(const ChartRow& row, bool with_target, bool with_argument);

// The note, then the ghost variables.
std::string beside(const ChartRow& row);

// `steps 4 to 8, again and again`, `nothing can happen any more`; empty: the run ends.
std::string loop_text(const Chart& chart);
bool is_stuck(const Chart& chart);

// `100` or `1500`: the clock in the chart's unit.
std::string clock_text(const Chart& chart, Duration clock);

// The indices of the rows to show; a gap in them is a fold. Nothing is folded up to `most` rows.
std::vector<std::size_t> visible_rows(const Chart& chart, std::size_t most);

// `not_started`, `running`, `done`, `crashed`.
std::string_view status_word(ClientView::Status status);

}  // namespace interlock::sim::draw
