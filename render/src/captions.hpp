// What each row of a picture says, and how far its request and its answer come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chart.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim::draw {

// How far a message comes: lost on the way, or still on its way when the row ends.
enum class Passage : std::uint8_t { none, arrives, lost, pending };

enum class RowKind : std::uint8_t { beginning, exchange, arrival, event, time };

class StoreNews {
 public:
  std::size_t server = 0;
  std::string text;  // `A#1 · 10 s`, `gone`; with the key if the run has several
  bool gone = false;
};

class Caption {
 public:
  RowKind kind = RowKind::event;
  Passage request = Passage::none;
  Passage answer = Passage::none;
  std::string asks;        // `SETNX lock.foo 112`
  std::string hears;       // `1`; empty: nothing
  std::string event;       // `starts`, `+1 s · t = 101 s`
  bool at_server = false;  // where the event happens
  bool fault = false;
  std::size_t server = 0;
  std::vector<StoreNews> news;
  std::string note;    // `A holds`, `expired`; empty: what is drawn says it already
  std::string spoken;  // the whole row in sentences
};

// One for each row of the chart.
std::vector<Caption> captions_of(const Run& run, const Chart& chart);

// How many servers the run knows of.
std::size_t servers_of(const Run& run);

// `t = 101 s`
std::string clock_words(const Chart& chart, Duration clock);

// How the run ends: `violation`, `no violation`, or `unfinished` while a client can still go on.
std::string standing_of(const Run& run, const Verdict* verdict);

// `8 steps, violation`
std::string length_and_standing(const Run& run, const Verdict* verdict);

}  // namespace interlock::sim::draw
