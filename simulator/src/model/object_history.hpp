// What is left of an object's history so far, for linearizable(): the operations that have not
// returned, and every configuration to which some order of the operations leads.
//
// An operation is put into an order only when one that returns demands it: before its return, after
// any of those that have begun and have no place yet. This finds an order if there is one, since an
// operation that comes later than at the next return could as well come just before it (Lowe 2017);
// and it keeps the configurations few.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "base/widths.hpp"
#include "interlock/sim/property.hpp"
#include "model/specifications.hpp"

namespace interlock::sim {

// An operation that never returns: its client has crashed, or has left it open. It may have taken
// effect already, may still do so at any time, or never.
class OpenCall {
 public:
  std::string operation;
  std::optional<std::int64_t> argument;
  friend auto operator<=>(const OpenCall&, const OpenCall&) = default;
};

// An operation that has not returned yet. A client has at most one on an object.
class PendingCall {
 public:
  std::size_t client = 0;
  OpenCall call;
  // From the client's next step on. Until then the client could as well not have called yet: only
  // what returns after it has begun need not come before it.
  bool has_begun = false;
};

// The outcome of one order of operations.
class Configuration {
 public:
  // A pending operation that has a place in the order, and will return this.
  class Placed {
   public:
    std::size_t client = 0;
    std::optional<std::int64_t> result;
    friend auto operator<=>(const Placed&, const Placed&) = default;
  };
  std::vector<std::int64_t> state;
  std::vector<Placed> placed;  // by client
  std::vector<OpenCall> open;  // those without a place, sorted
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

class ObjectHistory {
 public:
  std::string name;
  bool has_begun = false;               // else it has no configuration yet
  std::vector<PendingCall> pending;     // by client
  std::vector<Configuration> possible;  // sorted; empty: no order fits

  void invoke(std::size_t client, OpenCall call);
  void begin(std::size_t client);
  void begin_all();
  bool has_unbegun(std::size_t client) const;
  bool has_unbegun() const;
  // Whether clients other than this one have operations that may still return.
  bool has_others(std::size_t client) const;
  const PendingCall* find(std::size_t client) const;
  // The client's operation returns: only the configurations stay in which it may return this.
  void give_back(std::size_t client,
                 std::optional<std::int64_t> result,
                 const Property& property,
                 Specifications& specifications,
                 Capacity& capacity);
  // The client's operation, if it has one, never returns.
  void leave_open(std::size_t client);
  void rename(const Permutation& permutation);
  void encode(Encoder& identity) const;
  // What it takes of memory, in parts of configurations.
  std::size_t size() const;
  // What it knows about a client, independent of its name.
  std::uint16_t role(std::size_t client) const;

 private:
  void put_in_order();
};

}  // namespace interlock::sim
