// The smallest honest quorum lock, after Redlock: SET NX PX at each of three servers; two of three
// grant.
#pragma once

#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

class QuorumOptions {
 public:
  QuorumOptions() = default;
  bool checks_validity = true;  // a grant that took longer than the ttl is none
  bool cleans_up = true;        // what was got in vain is given back
  bool to_all = true;           // releases at every server, not only where it knows of a grant
  Duration ttl{std::chrono::seconds{2}};
};

// Asks one server after the other, each time from the first; enters, leaves, releases everywhere.
Program quorum_client(QuorumOptions options);

// Three servers and two such clients.
Scenario quorum_world(QuorumOptions options, std::size_t instants = 1);

}  // namespace interlock::sim::catalogue
