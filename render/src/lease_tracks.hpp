// The leases in the store as bars: how much of each is left, and whose it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"

namespace interlock::sim::draw {

class LeaseStand {
 public:
  int hundredths = 0;                // of the lease that is left, 1 to 100
  std::optional<std::size_t> owner;  // the client; none: not known
};

// One key of one server, in every moment; moment 0 is the beginning.
class LeaseTrack {
 public:
  std::size_t server = 0;
  std::string key;
  std::vector<std::optional<LeaseStand>> stands;
};

// Keys that expire at some time, at most `most` of each server; `key` comes first.
std::vector<LeaseTrack> lease_tracks(const Run& run, const std::string& key, std::size_t most);

}  // namespace interlock::sim::draw
