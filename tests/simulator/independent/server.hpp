// A server of the explorer: what Redis does for the few commands that trials use, written from the
// comments of key_value_store.hpp, keyspace.hpp and owner_scripts.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

class Kept {
 public:
  std::string value;
  std::optional<std::int64_t> expiry;  // ms by the server's clock
  int writer = -1;                     // the client that put it there; -1: nobody
  friend bool operator==(const Kept&, const Kept&) = default;
};
using Keys = std::map<std::string, Kept>;

class Server {
 public:
  Keys keys;
  std::vector<Keys> past;  // before the last change, before that, ...: for a replica behind
  // How often it has restarted or failed over since somebody first saw which incarnation it was in;
  // none: nobody has seen it yet.
  std::optional<int> incarnation;

  bool has_expired(std::int64_t now) const;
  void forget_expired(std::int64_t now);
  std::string written(bool by_history) const;
};

class Applied {
 public:
  Answer answer;
  std::vector<std::string> told;  // channels
};

// Carries out a request of `client` when the server's clock shows `now`, in ms.
Applied apply(Server& server, const Request& request, int client, std::int64_t now);

std::string counter_of(const std::string& key);

}  // namespace interlock::sim::independent
