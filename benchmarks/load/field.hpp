// One run: many client processes, one lock, and what the server had to do for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contenders.hpp"

namespace interlock::load {

class Setting {
 public:
  int clients = 100;
  int sections = 1000;  // in all, as `ab -n`
  Duration section{milliseconds{5}};
  Duration most{std::chrono::seconds{20}};  // a run ends then, whatever is left to do
};

class Times {
 public:
  double p50 = 0;  // milliseconds
  double p99 = 0;
  double max = 0;
};

class Figures {
 public:
  std::string lock;
  std::string waits;
  std::string who;
  double seconds = 0;
  std::uint64_t sections = 0;
  std::uint64_t given_up = 0;    // clients that were still waiting when the run ended
  std::uint64_t collisions = 0;  // sections that began while another client was inside
  double rate = 0;               // sections a second
  double share = 0;              // of what one client alone could do without any lock
  double section_ms = 0;         // how long sections really took
  Times acquire;
  Times release;
  double jain = 0;                  // 1: every client had as many sections; 1/clients: one had all
  double commands_per_section = 0;  // that the server ran, those inside scripts included
  double server_ms_per_section = 0;
  double server_share = 0;   // of one core
  double clients_share = 0;  // of one core, all clients together
};

// Starts the clients as processes, after all of them are connected lets them go at once. Call it
// where no other thread runs.
Figures compete(const ContenderKind& kind, const Target& target, const Setting& setting);

}  // namespace interlock::load
