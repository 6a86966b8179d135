// What has happened in some run, and what must happen in one so that a verdict is not vacuous: a
// property about a lock that no client takes holds in every run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/names.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

enum class HappeningKind : std::uint8_t {
  enters,         // a lock
  all_enter,      // a lock: different clients, each in some run
  holds_until,    // a lock, with a belief that has an end, which is to come
  all_hold,       // so do different clients, each in some run
  wants,          // a lock
  grants,         // a fencing token for a key
  grants_differ,  // to different clients, each in some run, or a second one in one run
  accepts,        // a resource takes a write
  writes,         // to a resource, whatever it says
  writes_differ,  // different clients, each in some run, or with different tokens in one run
  puts,           // a client's operation writes a key
  changes,        // a client's operation would change a key, if it is as the operation asks
  all_change,     // so would those of different clients, each in some run
  is_there,       // a key
  removes,        // an operation takes a key away
  releases,       // an operation gives up an owner's claim on a key
  listens,        // a client waits for a message
  hears,          // so does one whose token is in the key
  one_ends,       // a client has ended, and has not crashed
  ends,           // every client has ended
  queues,         // a client takes its place in a lock's queue
  serves,         // a client that queues is granted the lock, and another one queues
  applies,        // a step is one that a property, which it is named by, is about
  comes,          // a step that satisfies the predicate of fairness that was chosen
  is_owed,        // a state satisfies what a property leads from, and not what it leads to
  returns,        // an operation on an object
  overlaps,       // operations of different clients on an object are pending at one time
  event,          // one that a program reports by Client::reach
  looks,          // a program reports that an event has happened, or that it has not
};

class Happening {
 public:
  static constexpr std::size_t kinds = static_cast<std::size_t>(HappeningKind::looks) + 1;

  HappeningKind kind;
  std::string subject;
  friend auto operator<=>(const Happening&, const Happening&) = default;
};

// `some client enters lock.foo`; of an event, its name.
std::string describe(const Happening& happening);

class Happenings {
 public:
  explicit Happenings(const Scenario& scenario);

  void note(HappeningKind kind, const std::string& subject = {});
  // The same of each of these clients, one bit for each. If different ones have done it, that is
  // noted, too. What one of several identical clients does, each of them can do.
  void note_of(HappeningKind kind, const std::string& subject, std::uint32_t clients);
  // A program has reported an event. If the event happens, and neither never() nor sometimes()
  // names it, that is a mistake: see failure().
  void note_event(const std::string& event, bool happened);

  // All that was noted until now, in order.
  const std::set<Happening>& seen() const { return seen_; }

  // Leaves out the goals that only a search of all states looks for: leads_to() and fairness have
  // them.
  void leave_out_liveness();
  std::vector<Goal> goals() const;
  // Says what the author of the scenario must correct: a program has reported an event which the
  // scenario does not name. Empty: none has.
  std::string failure() const;
  // Says which goal was missed, and which name may be meant. Empty: none was.
  std::string why_nothing_is_proved() const;
  // The properties whose goals were missed.
  std::vector<Vacuous> vacuous() const;
  // What a proof takes on trust: that some program would report an event if it happened.
  std::vector<std::string> trusts() const;

 private:
  class Wanted {
   public:
    Happening what;
    std::vector<const Property*> by;  // none: the scenario asks for it by itself
  };
  void want(HappeningKind kind, const std::string& subject = {});
  void want_for(const Property& property);
  void want_by(const Property& property, HappeningKind kind, const std::string& subject = {});
  const Wanted* first_missed() const;
  bool wants(const Happening& what) const;
  bool has(HappeningKind kind, const std::string& subject) const;
  std::vector<std::string> subjects_of(HappeningKind kind) const;
  std::vector<std::string> left_over() const;
  std::string meant_by(const Happening& missed) const;
  std::string no_event(const std::string& name) const;

  const Scenario& scenario_;
  std::array<std::uint32_t, Permutation::count> alike_{};  // the clients that are as this one is
  std::map<Happening, std::uint32_t> by_clients_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> nevers_;
  std::set<std::string> announced_;
  std::set<Happening> seen_;
  // The last happening that was noted, for each kind: some are noted in every state, and are known
  // already.
  std::array<std::optional<std::string>, Happening::kinds> last_;
  std::string unannounced_;
};

}  // namespace interlock::sim
