#include "interlock/task.hpp"

#include <array>
#include <new>
#include <utility>

#include "interlock/detail/assert.hpp"

namespace interlock::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keep_frames = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool keep_frames = false;
#else
constexpr bool keep_frames = true;
#endif
#else
constexpr bool keep_frames = true;
#endif

// Whether the reserve of this thread is destroyed: a guard that is a thread_local object may be
// destroyed, and release its lock, after it.
constinit thread_local bool reserve_is_gone = false;

// Keeps the memory of finished frames, one list for each size. Not under the address sanitizer,
// which must see each of them freed.
class FrameReserve {
 public:
  static constexpr std::size_t step = 256;
  static constexpr std::size_t largest = 4096;
  // In all: the frames of some hundred locks that one thread acquires at once.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  FrameReserve() = default;
  FrameReserve(const FrameReserve&) = delete;
  FrameReserve& operator=(const FrameReserve&) = delete;
  ~FrameReserve() {
    reserve_is_gone = true;
    for (FreeFrame*& first : free_) {
      while (first != nullptr) ::operator delete(std::exchange(first, first->next));
    }
  }

  static std::size_t rounded(std::size_t size) { return (size + step - 1) / step * step; }

  // Null: none of this size is kept.
  void* take(std::size_t size) {
    FreeFrame*& first = free_[rounded(size) / step - 1];
    if (first == nullptr) return nullptr;
    bytes_ -= rounded(size);
    return std::exchange(first, first->next);
  }
  bool give(void* frame, std::size_t size) {
    if (bytes_ + rounded(size) > most_bytes) return false;
    bytes_ += rounded(size);
    FreeFrame*& first = free_[rounded(size) / step - 1];
    first = new (frame) FreeFrame{first};
    return true;
  }

 private:
  struct FreeFrame {
    FreeFrame* next;
  };
  std::array<FreeFrame*, largest / step> free_{};
  std::size_t bytes_ = 0;
};

// Null: frames of this size are not kept, or the reserve is destroyed.
FrameReserve* reserve_for(std::size_t size) {
  if (!keep_frames || size > FrameReserve::largest || reserve_is_gone) return nullptr;
  static thread_local FrameReserve reserve;
  return &reserve;
}

}  // namespace

void taken_again() noexcept {
  misused("a task is awaited again after it threw: it has no result: await it once");
}

void* allocate_frame(std::size_t size) {
  FrameReserve* const reserve = reserve_for(size);
  void* const kept = reserve != nullptr ? reserve->take(size) : nullptr;
  return kept != nullptr ? kept : ::operator new(FrameReserve::rounded(size));
}

void free_frame(void* frame, std::size_t size) noexcept {
  FrameReserve* const reserve = reserve_for(size);
  if (reserve == nullptr || !reserve->give(frame, size)) ::operator delete(frame);
}

}  // namespace interlock::detail
