#include "history.hpp"

#include <algorithm>

#include "interlock/local_queue.hpp"

namespace interlock::test {
namespace {

TimePoint time(std::int64_t microseconds) {
  return TimePoint(Duration(microseconds));
}

std::string ms(TimePoint at) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count());
}

std::string describe(const Section& section) {
  std::string text = section.lock + ": worker " + std::to_string(section.worker) + ", token " +
                     std::to_string(section.fencing) + ", claimed " + ms(section.sent) +
                     ", entered " + ms(section.entered) + ", certain until " +
                     ms(section.certain_until);
  text += section.left ? ", left " + ms(*section.left) : ", killed";
  if (section.loss) text += ", lost: " + std::string(interlock::to_string(*section.loss));
  return text + " (ms)";
}

}  // namespace

std::string to_string(const Findings& findings) {
  std::string text;
  const auto add = [&text](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += std::string(title) + ": " + std::to_string(lines.size()) + "\n";
    constexpr std::size_t shown = 10;
    for (std::size_t each = 0; each < std::min(lines.size(), shown); ++each) {
      text += "  " + lines[each] + "\n";
    }
  };
  add("two valid leases at a time", findings.overlaps);
  add("fencing tokens out of order", findings.disorder);
  add("lost without a reason", findings.lost_sections);
  add("never told of a loss", findings.untold);
  add("acquires that failed instead of waiting", findings.failures);
  return text;
}

// --- what happens --------------------------------------------------------------------------------

void History::begin(int worker, const std::vector<std::string>& locks) {
  for (std::size_t each = 0; each < locks.size(); ++each) {
    Contender contender;
    const auto colon = locks[each].find(':');
    contender.lock = locks[each].substr(0, colon);
    if (colon != std::string::npos) contender.mode = HoldMode(locks[each].substr(colon + 1));
    contenders_[{worker, static_cast<int>(each)}] = contender;
  }
}

void History::end(int worker) {
  std::erase_if(contenders_, [&](const auto& each) { return each.first.first == worker; });
}

void History::take(const Record& record) {
  const Who who{record.worker, record.contender};
  const auto found = contenders_.find(who);
  if (found == contenders_.end()) return;
  Contender& contender = found->second;
  contender.waits = record.kind == RecordKind::waits;
  Section* const section = contender.section ? &sections_[*contender.section] : nullptr;
  switch (record.kind) {
    case RecordKind::waits:
      contender.waits_since = time(record.at);
      break;
    case RecordKind::failed:
      failed_.push_back(
          {who, time(record.at), static_cast<Errc>(record.detail), record.why.data()});
      break;
    case RecordKind::entered: {
      Section entered;
      entered.lock = contender.lock;
      entered.mode = contender.mode;
      entered.worker = record.worker;
      entered.contender = record.contender;
      entered.fencing = record.fencing;
      entered.sent = time(record.sent);
      entered.asked = contender.waits_since.value_or(entered.sent);
      entered.entered = time(record.at);
      entered.certain_until = time(record.certain_until);
      entered.begins_with = entered.certain_until - entered.entered;
      contender.section = contender.last_section = sections_.size();
      contender.last_entered = entered.entered;
      sections_.push_back(std::move(entered));
      break;
    }
    case RecordKind::beats:
      section->was_renewed =
          section->was_renewed || time(record.certain_until) > section->certain_until;
      section->certain_until = time(record.certain_until);
      break;
    case RecordKind::untold:
      untold_.insert(who);
      break;
    case RecordKind::left:
      section->certain_until = time(record.certain_until);
      section->left = time(record.at);
      section->overslept = Duration(record.overslept);
      if (record.detail != not_lost) section->loss = static_cast<LossReason>(record.detail);
      contender.section.reset();
      break;
    case RecordKind::released:
      if (record.certain_until != 0) {
        sections_[*contender.last_section].stays_until = time(record.certain_until);
      }
      break;
  }
}

// A lease that was lost is noticed when it would have been renewed, or when it ends.
void History::allow_losses(Window window, std::optional<int> worker) {
  constexpr Duration an_answer = std::chrono::seconds{2};
  losses_.emplace_back(Window(window.from, window.to + ttl_.duration() + an_answer), worker);
}

// --- what is going on ----------------------------------------------------------------------------

std::optional<int> History::inside(const std::string& lock) const {
  for (const auto& [who, contender] : contenders_) {
    if (contender.lock == lock && contender.section) return who.first;
  }
  return std::nullopt;
}

bool History::is_inside(int worker) const {
  return std::any_of(contenders_.begin(), contenders_.end(), [&](const auto& each) {
    return each.first.first == worker && each.second.section;
  });
}

bool History::is_waiting(int worker) const {
  return std::any_of(contenders_.begin(), contenders_.end(), [&](const auto& each) {
    return each.first.first == worker && each.second.waits;
  });
}

bool History::entered_since(const std::string& lock, TimePoint since) const {
  return std::any_of(contenders_.begin(), contenders_.end(), [&](const auto& each) {
    return each.second.lock == lock && each.second.last_entered >= since;
  });
}

bool History::everybody_entered_since(const std::string& lock, TimePoint since) const {
  return late(lock, since).empty();
}

std::set<int> History::late(const std::string& lock, TimePoint since) const {
  std::set<int> late;
  for (const auto& [who, contender] : contenders_) {
    if (contender.lock == lock && contender.last_entered < since) late.insert(who.first);
  }
  return late;
}

std::size_t History::losses() const {
  return static_cast<std::size_t>(std::count_if(sections_.begin(), sections_.end(),
                                                [](const Section& each) { return each.loss; }));
}

// --- what it comes to ----------------------------------------------------------------------------

bool History::forfeited(const Section& section) const {
  return std::any_of(forfeits_.begin(), forfeits_.end(), [&](const Window& window) {
    return window.meets(section.sent, section.valid_until());
  });
}

// What is left of any other lease is more: it is handed over within the first quarter.
bool History::is_by_offer(const Section& section) const {
  return !section.was_renewed && section.begins_with < ttl_.duration() / 2;
}

// A machine that did not let the worker run for so long may have kept it from renewing.
bool History::loss_allowed(const Section& section) const {
  if (is_by_offer(section)) {
    // Its renewal is due at the latest when the grant may no longer be handed over. The rest is for
    // a busy machine.
    constexpr Duration renewed_within = HandOverPolicy().within + milliseconds{100};
    if (section.overslept > section.begins_with / 4) return true;
    const auto met = [&](const Window& window) {
      return window.meets(section.entered, section.entered + renewed_within);
    };
    if (std::any_of(outages_.begin(), outages_.end(), met)) return true;
    if (std::any_of(stalls_.begin(), stalls_.end(), met)) return true;
  }
  if (section.overslept > ttl_.duration() / 4) return true;
  return std::any_of(losses_.begin(), losses_.end(), [&](const auto& each) {
    const auto& [window, worker] = each;
    return window.meets(section.sent, *section.left) && (!worker || *worker == section.worker);
  });
}

std::map<std::string, std::vector<const Section*>> History::by_lock() const {
  std::map<std::string, std::vector<const Section*>> found;
  for (const Section& section : sections_) found[section.lock].push_back(&section);
  for (auto& [lock, sections] : found) {
    std::sort(sections.begin(), sections.end(),
              [](const Section* one, const Section* two) { return one->entered < two->entered; });
  }
  return found;
}

// Leases that the store may have forgotten are left out here.
void History::check_exclusion(const std::vector<const Section*>& entered,
                              Findings& findings) const {
  std::vector<const Section*> inside;
  for (const Section* section : entered) {
    if (!section->was_valid() || forfeited(*section)) continue;
    std::erase_if(inside,
                  [&](const Section* before) { return before->valid_until() <= section->entered; });
    int taken = section->mode.takes;
    for (const Section* before : inside) taken += before->mode.takes;
    if (taken > HoldMode::all) {
      findings.overlaps.push_back(describe(*inside.back()) + " | " + describe(*section));
    }
    inside.push_back(section);
  }
  // A section has a greater token than those before it that excluded it.
  const Section* alone = nullptr;
  const Section* greatest = nullptr;
  for (const Section* section : entered) {
    if (!section->was_valid() || forfeited(*section)) continue;
    const bool is_alone = section->mode.is_alone();
    const Section* const before = is_alone ? greatest : alone;
    if (before != nullptr && section->fencing <= before->fencing) {
      findings.disorder.push_back(describe(*before) + " | " + describe(*section));
    }
    if (greatest == nullptr || section->fencing > greatest->fencing) greatest = section;
    if (is_alone) alone = section;
  }
}

// For all leases: a claim that was sent after another section had begun has the greater token. If
// the store may have forgotten grants, two servers answer for a while, and a token may be older:
// - A waiter repeats a claim that one of the servers did not answer, and enters with the token of
//   the first. So its acquire counts from its beginning.
// - A lease is handed over, within its process, to an acquire that began after the lease was
//   claimed; meanwhile another process may have been granted the lock. So it counts from its claim.
// - A reader has the token of the group it joins, and a writer may have been granted the lock by
//   the other server since that group began. So all readers count from the group's first acquire.
void History::check_order(const std::vector<const Section*>& entered, Findings& findings) const {
  std::map<std::uint64_t, const Section*> groups;  // the first reader with each token
  std::vector<std::pair<TimePoint, const Section*>> begun;
  for (const Section* section : entered) {
    const Section* first = section;
    if (section->mode.reads) first = groups.emplace(section->fencing, section).first->second;
    const TimePoint began = forfeited(*first) ? std::min(first->asked, first->sent) : section->sent;
    begun.emplace_back(began, section);
  }
  std::sort(begun.begin(), begun.end());
  const Section* greatest = nullptr;
  auto next = entered.begin();
  for (const auto& [began, section] : begun) {
    for (; next != entered.end() && (*next)->entered < began; ++next) {
      if (greatest == nullptr || (*next)->fencing > greatest->fencing) greatest = *next;
    }
    if (greatest == nullptr) continue;
    // All readers of a group have one token.
    const bool may_be_the_same = section->mode.reads && greatest->mode.reads;
    if (section->fencing < greatest->fencing ||
        (section->fencing == greatest->fencing && !may_be_the_same)) {
      findings.disorder.push_back(describe(*greatest) + " | " + describe(*section));
    }
  }
}

void History::check_losses(Findings& findings) const {
  for (const Section& section : sections_) {
    if (section.loss && !loss_allowed(section)) findings.lost_sections.push_back(describe(section));
  }
  for (const Who& who : untold_) {
    findings.untold.push_back("worker " + std::to_string(who.first));
  }
}

void History::check_failures(Findings& findings) const {
  for (const Failed& failed : failed_) {
    const bool allowed = std::any_of(failures_.begin(), failures_.end(), [&](const auto& each) {
      return each.second == failed.code && each.first.meets(failed.at, failed.at);
    });
    if (allowed) continue;
    findings.failures.push_back(
        "worker " + std::to_string(failed.who.first) + " at " + ms(failed.at) +
        " ms: " + std::string(interlock::to_string(failed.code)) + ": " + failed.why);
  }
}

Findings History::check() const {
  Findings findings;
  for (const auto& [lock, sections] : by_lock()) {
    check_exclusion(sections, findings);
    check_order(sections, findings);
  }
  check_losses(findings);
  check_failures(findings);
  return findings;
}

Gap History::longest_gap() const {
  Gap longest;
  for (const auto& [lock, sections] : by_lock()) {
    std::optional<TimePoint> empty_since;
    for (const Section* section : sections) {
      if (empty_since && section->entered - *empty_since > longest.length) {
        longest.length = section->entered - *empty_since;
        longest.began = *empty_since;
        longest.lock = lock;
      }
      const TimePoint left = section->left.value_or(section->entered);
      empty_since = empty_since ? std::max(*empty_since, left) : left;
    }
  }
  return longest;
}

}  // namespace interlock::test
