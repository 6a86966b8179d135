#include "interlock/task.hpp"

#include <array>
#include <new>

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

// Keeps the memory of finished frames, by size. Not under the address sanitizer, which must see
// each of them freed.
class FrameReserve {
 public:
  static constexpr std::size_t step = 256;
  static constexpr std::size_t largest = 4096;

  FrameReserve() = default;
  FrameReserve(const FrameReserve&) = delete;
  FrameReserve& operator=(const FrameReserve&) = delete;
  ~FrameReserve() {
    for (Class& kept : classes_) {
      while (kept.count > 0) ::operator delete(kept.frames[--kept.count]);
    }
  }

  static std::size_t rounded(std::size_t size) { return (size + step - 1) / step * step; }

  void* take(std::size_t size) {
    Class& kept = classes_[rounded(size) / step - 1];
    return kept.count > 0 ? kept.frames[--kept.count] : nullptr;
  }
  bool give(void* frame, std::size_t size) {
    Class& kept = classes_[rounded(size) / step - 1];
    if (kept.count == kept.frames.size()) return false;
    kept.frames[kept.count++] = frame;
    return true;
  }

 private:
  struct Class {
    std::size_t count = 0;
    std::array<void*, 64> frames{};
  };
  std::array<Class, largest / step> classes_;
};

FrameReserve& reserve() {
  static thread_local FrameReserve reserve;
  return reserve;
}

}  // namespace

void* allocate_frame(std::size_t size) {
  if (!keep_frames || size > FrameReserve::largest) return ::operator new(size);
  if (void* const kept = reserve().take(size)) return kept;
  return ::operator new(FrameReserve::rounded(size));
}

void free_frame(void* frame, std::size_t size) noexcept {
  const bool kept = keep_frames && size <= FrameReserve::largest && reserve().give(frame, size);
  if (!kept) ::operator delete(frame);
}

}  // namespace interlock::detail
