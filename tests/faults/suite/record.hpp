// What a worker writes into its pipe: one record for each thing that happens to a contender.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <type_traits>

namespace interlock::test {

enum class RecordKind : std::uint8_t {
  waits,     // about to acquire
  failed,    // the acquire ended with an error: `detail` is its Errc
  entered,   // in its section
  beats,     // still in it
  left,      // out of it, not yet released. `detail`: the LossReason, or `not_lost`
  untold,    // the lease has ended, and nobody has told the holder
  released,  // the release has ended. `certain_until`: until when it leaves the lock held, or 0
};

inline constexpr std::int32_t not_lost = -1;

// Small enough that a write is never torn, even if its process is killed meanwhile. Times are
// microseconds of the local clock, which is the same for all processes of a machine.
class Record {
 public:
  RecordKind kind = RecordKind::waits;
  std::uint8_t contender = 0;  // of that worker
  std::uint16_t worker = 0;
  std::int32_t detail = 0;
  std::int64_t at = 0;
  std::int64_t certain_until = 0;  // as the guard said just after `at`
  std::int64_t sent = 0;           // `entered`: when the claim that was confirmed was sent
  std::int64_t overslept = 0;      // `left`: the longest that this machine kept it from running
  std::uint64_t fencing = 0;
  std::array<char, 160> why{};  // `failed`: what the error said, as much as fits; ends with a 0
};
static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= PIPE_BUF);

}  // namespace interlock::test
