// A grant that a caller keeps between its sections, so that it can begin the next one without
// asking the store. docs/adr/0009 says under which bounds.
#pragma once

#include <atomic>
#include <cstdint>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

class LocalQueues;

// Each state change is one atomic step. The caller's threads change it from section to kept and
// back. Only the queues (LocalQueues) open it, for the first section of a grant, and close it. The
// caller that closes it while it is kept has the grant. One object serves all grants of one caller
// and one lock name, one after the other.
class KeptGrant {
 public:
  KeptGrant() = default;
  virtual ~KeptGrant() = default;
  KeptGrant(const KeptGrant&) = delete;
  KeptGrant& operator=(const KeptGrant&) = delete;

  // --- the caller's threads ----------------------------------------------------------------------
  // For the thread whose section is over. True: the grant is kept, and belongs to the next thread
  // for which begin_section() answers so. False: hand it over or release it, as any other grant.
  bool keep() noexcept;
  enum class Begins : std::uint8_t {
    no,        // nothing is kept: acquire the lock
    in_time,   // the section has begun, with the token of section()
    too_late,  // none has begun, because the grant is too old; it is the caller's: release it
  };
  bool is_kept() const noexcept;
  // `now` is read before the call; TimePoint::max() takes the grant to release it.
  Begins begin_section(TimePoint now) noexcept;
  // For the thread whose section goes on: how many sections of the grant were before it.
  std::int64_t section() const noexcept;
  // A section goes on, and keep() would keep its grant unless it is the last.
  bool is_open() const noexcept;
  // It was closed while it was kept: another caller has the grant, or has released it.
  bool was_taken() const noexcept;

  // --- for the one that closed it while it was kept ----------------------------------------------
  // Called outside of the queues' mutex, before anything else is done with the grant. `goes_on`:
  // another caller has its next section; else it is released next.
  enum class Fate : bool { goes_on, is_released };
  virtual void on_taken(Fate) {}

 private:
  friend class LocalQueues;
  class ClosedGrant {
   public:
    bool was_kept;
    std::int64_t section;
  };
  // Opens it for the section that begins now. At most `sections` more sections may follow, and the
  // last of them must begin before `until`.
  void open(std::int64_t sections, TimePoint until) noexcept;
  // This grant is not to be kept.
  void leave_closed() noexcept;
  ClosedGrant close() noexcept;

  // The state, and above it the number of the section.
  std::atomic<std::uint64_t> word_{0};
  // open() writes both, before the word. The thread that has the section reads sections_. Any
  // thread may read until_, and may find that of the grant before; then a section may begin a
  // little late, and its lease says whether it is still certain.
  std::int64_t sections_ = 0;
  std::atomic<Duration::rep> until_{0};
};

}  // namespace interlock

#pragma GCC visibility pop
