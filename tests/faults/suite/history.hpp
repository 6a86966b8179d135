// What happened to all contenders, and whether it is what was promised.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/lease.hpp"
#include "interlock/vocabulary.hpp"
#include "record.hpp"

namespace interlock::test {

// From before until after something was done.
class Window {
 public:
  Window(TimePoint begins, TimePoint ends) : from(begins), to(ends) {}
  bool meets(TimePoint begins, TimePoint ends) const { return begins <= to && from <= ends; }

  TimePoint from;
  TimePoint to;
};

// How a contender holds its lock: `lease` and `fair` alone, `set` alone and another lock with it,
// `leads` alone, `shared` with other readers, `1of2` with other holders of permits.
class HoldMode {
 public:
  static constexpr int all = 1000;

  HoldMode() = default;
  explicit HoldMode(std::string_view word)
      : takes(word == "shared" ? 1
              : word == "1of2" ? all / 2
                               : all),
        reads(word == "shared") {}
  bool is_alone() const { return takes == all; }

  int takes = all;  // so much of the lock
  bool reads = false;
};

class Section {
 public:
  std::string lock;
  HoldMode mode;
  int worker = 0;
  int contender = 0;
  std::uint64_t fencing = 0;
  TimePoint asked{};  // when its acquire began
  TimePoint sent{};   // the claim that was confirmed
  TimePoint entered{};
  TimePoint certain_until{};  // as far as is known
  Duration begins_with{0};    // what was left of its lease
  bool was_renewed = false;
  std::optional<TimePoint> left{};  // none: it never did; its process was killed
  std::optional<LossReason> loss{};
  Duration overslept{0};

  TimePoint stays_until = TimePoint::min();  // its release has left the lock held

  // Nobody else may be in: until it was left or its lease has ended, and while the lock stays held.
  // Empty if it entered too late.
  TimePoint valid_until() const {
    return std::max(stays_until, left ? std::min(*left, certain_until) : certain_until);
  }
  bool was_valid() const { return entered < valid_until(); }
};

// A sentence for each broken promise.
class Findings {
 public:
  std::vector<std::string> overlaps;       // two valid leases at a time
  std::vector<std::string> disorder;       // fencing tokens that did not grow
  std::vector<std::string> lost_sections;  // although nothing was done that may cost a lease
  std::vector<std::string> untold;         // a lease ended, and its holder never knew
  std::vector<std::string> failures;       // acquires that should have waited
  bool none() const {
    return overlaps.empty() && disorder.empty() && lost_sections.empty() && untold.empty() &&
           failures.empty();
  }
};
std::string to_string(const Findings& findings);

class Gap {
 public:
  Duration length{0};
  TimePoint began{};
  std::string lock;
};

class History {
 public:
  explicit History(Ttl ttl) : ttl_(ttl) {}

  // --- what happens ---------------------------------------------------------------------------
  void begin(int worker, const std::vector<std::string>& locks);
  void take(const Record& record);
  // Its process is no more.
  void end(int worker);

  // --- what may happen ------------------------------------------------------------------------
  // The store may have forgotten what it granted before or in this window.
  void forfeit(Window window) { forfeits_.push_back(window); }
  // Holders may lose their leases; only those of one worker, if it is given.
  void allow_losses(Window window, std::optional<int> worker = {});
  // The store may be away: an offer by whose message a holder entered may not be renewed.
  void allow_losses_of_offers(Window window) { outages_.push_back(window); }
  bool store_was_away() const { return !outages_.empty(); }
  // This machine or its disk kept the store from answering for as long. Offers may be lost by that,
  // too.
  void stalled(Window window) { stalls_.push_back(window); }
  // Acquires may end with an error of this code.
  void allow_failures(Window window, Errc code) { failures_.emplace_back(window, code); }

  // --- what is going on -----------------------------------------------------------------------
  // The worker whose section it is.
  std::optional<int> inside(const std::string& lock) const;
  bool is_inside(int worker) const;
  bool is_waiting(int worker) const;
  bool entered_since(const std::string& lock, TimePoint since) const;
  // Counts the workers that are there now.
  bool everybody_entered_since(const std::string& lock, TimePoint since) const;
  // The workers with a contender that has not.
  std::set<int> late(const std::string& lock, TimePoint since) const;
  const std::vector<Section>& sections() const { return sections_; }
  std::size_t losses() const;
  std::size_t failed_acquires() const { return failed_.size(); }

  // --- what it comes to -----------------------------------------------------------------------
  Findings check() const;
  Gap longest_gap() const;

 private:
  using Who = std::pair<int, int>;  // worker and contender
  class Contender {
   public:
    std::string lock;
    HoldMode mode;
    std::optional<std::size_t> section;
    std::optional<std::size_t> last_section;
    bool waits = false;
    std::optional<TimePoint> waits_since{};
    TimePoint last_entered{};
  };
  class Failed {
   public:
    Who who;
    TimePoint at;
    Errc code;
    std::string why;
  };
  bool forfeited(const Section& section) const;
  bool is_by_offer(const Section& section) const;
  bool loss_allowed(const Section& section) const;
  std::map<std::string, std::vector<const Section*>> by_lock() const;
  void check_exclusion(const std::vector<const Section*>& entered, Findings& findings) const;
  void check_order(const std::vector<const Section*>& sections, Findings& findings) const;
  void check_losses(Findings& findings) const;
  void check_failures(Findings& findings) const;

  Ttl ttl_;
  std::map<Who, Contender> contenders_;
  std::vector<Section> sections_;
  std::vector<Failed> failed_;
  std::set<Who> untold_;
  std::vector<Window> forfeits_;
  std::vector<std::pair<Window, std::optional<int>>> losses_;
  std::vector<Window> outages_;
  std::vector<Window> stalls_;
  std::vector<std::pair<Window, Errc>> failures_;
};

}  // namespace interlock::test
