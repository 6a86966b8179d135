// What has happened in some run, and what must happen in one so that a verdict says something: a
// property about a lock that nobody takes holds in every run.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Happening {
 public:
  enum class Kind : std::uint8_t {
    enters,       // a lock
    holds_until,  // a lock, with a belief that has an end, which is to come
    wants,        // a lock
    grants,       // a fencing token for a key
    accepts,      // a resource takes a write
    writes,       // to a resource, whatever it says
    puts,         // a client's operation writes a key
    is_there,     // a key
    removes,      // an operation takes a key away
    listens,      // a client waits for a message
    ends,         // every client has ended
    queues,       // a client takes its place in a lock's queue
    serves,       // a client that queues is granted the lock
    event,        // one that a program reports by Client::reach
    looks,        // a program reports that an event has happened, or that it has not
  };
  Kind kind;
  std::string subject;
  friend auto operator<=>(const Happening&, const Happening&) = default;
};

// `some client enters lock.foo`; of an event, its name.
std::string describe(const Happening& happening);

class Happenings {
 public:
  explicit Happenings(const Scenario& scenario);

  void note(Happening::Kind kind, const std::string& subject = {});
  // A program has reported an event. If the event happens, and neither never() nor sometimes()
  // names it, that is a mistake: see failure().
  void note_event(const std::string& event, bool happened);

  std::vector<Goal> goals() const;
  // Says what the author of the scenario has to mend: a program has reported an event which the
  // scenario does not name. Empty: none has.
  std::string failure() const;
  // Says which goal was missed, and which name may be meant. Empty: none was.
  std::string why_nothing_is_proved() const;
  // What a proof takes on trust: that some program would report an event if it happened.
  std::vector<std::string> trusts() const;

 private:
  class Wanted {
   public:
    Happening what;
    bool required;
  };
  void want(Happening::Kind kind, const std::string& subject = {}, bool required = true);
  void want_for(const Property& property);
  bool wants(const Happening& what) const;
  bool has(Happening::Kind kind, const std::string& subject) const;
  std::vector<std::string> subjects_of(Happening::Kind kind) const;
  std::vector<std::string> left_over() const;
  std::string meant_by(const Happening& missed) const;
  std::string no_event(const std::string& name) const;

  std::vector<Wanted> wanted_;
  std::vector<std::string> nevers_;
  std::set<std::string> announced_;
  std::set<Happening> seen_;
  std::string unannounced_;
};

}  // namespace interlock::sim
