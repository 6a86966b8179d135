// `interlock play`, after the lock is broken: which change repairs the lock. A wrong change gets
// the shortest run that breaks it, the right one its proof.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interactive/console.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::cli {

enum class Repaired {
  proved,  // the right change was chosen, and the search has proved it
  back,    // to the game
  left,    // quit, or the end of the input
};

class RepairTable {
 public:
  using Explore = std::function<sim::Verdict(const sim::Scenario&)>;

  // `best` is the shortest run that breaks the lock.
  RepairTable(const sim::catalogue::CatalogueEntry& entry,
              const sim::Verdict& best,
              Console& console,
              Explore explore);

  Repaired choose();
  bool input_ended() const noexcept { return input_ended_; }

 private:
  void list();
  void explain();
  std::vector<std::string> possible_words() const;
  // True: it is proved.
  bool try_out(const sim::catalogue::Repair& repair);

  const sim::catalogue::CatalogueEntry& entry_;
  const sim::Verdict& best_;
  Console& console_;
  Explore explore_;
  // In an order that does not give away which are right.
  std::vector<const sim::catalogue::Repair*> choices_;
  bool input_ended_ = false;
};

}  // namespace interlock::cli
