#include "interlock/task.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

// Keeps the memory of finished frames, one list for each size: a few times what the frames of this
// thread have at the moment, or as much as some hundred locks have. With thousands of locks in
// flight, whose acquires have more than their releases, a smaller reserve was mostly empty or full,
// and malloc took a third of the client's time. Not under the address sanitizer, which must see
// each frame freed.
class FrameReserve {
 public:
  static constexpr std::size_t step = 128;
  static constexpr std::size_t largest = 4096;
  static constexpr std::int64_t always_kept = std::int64_t{1} << 20;
  static constexpr std::int64_t kept_for_each_in_use = 4;

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
    in_use_ += bytes(size);
    FreeFrame*& first = free_[rounded(size) / step - 1];
    if (first == nullptr) return nullptr;
    kept_ -= bytes(size);
    return std::exchange(first, first->next);
  }
  bool give(void* frame, std::size_t size) {
    in_use_ = std::max<std::int64_t>(0, in_use_ - bytes(size));
    FreeFrame*& first = free_[rounded(size) / step - 1];
    if (kept_ + bytes(size) > std::max(always_kept, kept_for_each_in_use * in_use_)) {
      // The reserve shrinks as the frames get fewer: this frame is freed, and another of its size.
      if (first != nullptr) {
        kept_ -= bytes(size);
        ::operator delete(std::exchange(first, first->next));
      }
      return false;
    }
    kept_ += bytes(size);
    first = new (frame) FreeFrame{first};
    return true;
  }

 private:
  struct FreeFrame {
    FreeFrame* next;
  };
  static std::int64_t bytes(std::size_t size) { return static_cast<std::int64_t>(rounded(size)); }

  std::array<FreeFrame*, largest / step> free_{};
  std::int64_t kept_ = 0;
  // Frames that this thread has made, less those that it has freed, and never below zero: another
  // thread may free them, or have made them. It is an estimate, and decides only how much memory is
  // kept.
  std::int64_t in_use_ = 0;
};

// Null: frames of this size are not kept, or the reserve is destroyed.
FrameReserve* reserve_for(std::size_t size) {
  if (!keep_frames || size > FrameReserve::largest || reserve_is_gone) return nullptr;
  static thread_local FrameReserve reserve;
  return &reserve;
}

}  // namespace

void throw_again(std::exception_ptr& thrown) {
  std::rethrow_exception(std::exchange(thrown, nullptr));
}

void taken_again() noexcept {
  misused("a task is awaited again after it threw: it has no result: await it once");
}

void begun_twice() noexcept {
  misused(
      "a task is awaited while it waits: it has no result yet: begin it once, by co_await or by "
      "start()");
}

void moved_task_used() noexcept {
  misused("a task that was moved from is awaited or started: use what it moved to");
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
