// Memory for objects that live as long as an acquire or a lease: the thread keeps it for the next
// one, as it keeps the frames of coroutines.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "interlock/task.hpp"

#pragma GCC visibility push(default)

namespace interlock::detail {

template <class T>
class FrameAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  FrameAllocator() = default;
  template <class Other>
  FrameAllocator(const FrameAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_frame(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_frame(memory, count * sizeof(T)); }

  friend bool operator==(FrameAllocator, FrameAllocator) noexcept { return true; }
};

// As std::make_shared.
template <class T, class... Arguments>
std::shared_ptr<T> make_shared_from_frames(Arguments&&... arguments) {
  return std::allocate_shared<T>(FrameAllocator<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace interlock::detail

#pragma GCC visibility pop
