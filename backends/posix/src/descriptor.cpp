#include "interlock/posix/descriptor.hpp"

#include <unistd.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace interlock::posix {
namespace {

// The numbers of our descriptors.
class Open {
 public:
  // Never destroyed: a fork may come while the process ends.
  static Open& instance() {
    static Open* const open = new Open();
    return *open;
  }

  void add(int descriptor) {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::size_t>(descriptor);
    if (is_open_.size() <= number) is_open_.resize(number + 1);
    is_open_[number] = true;
  }

  // Removed from the list first: another thread may get the same number as soon as it is closed.
  void close(int descriptor) noexcept {
    const std::lock_guard lock(mutex_);
    is_open_[static_cast<std::size_t>(descriptor)] = false;
    ::close(descriptor);
  }

  void close_all() noexcept {
    for (std::size_t number = 0; number < is_open_.size(); ++number) {
      if (is_open_[number]) ::close(static_cast<int>(number));
      is_open_[number] = false;
    }
  }

  std::mutex& mutex() noexcept { return mutex_; }

  // Makes both anew in place, without destroying the old ones: a thread of the parent may have been
  // changing them at the fork.
  void begin_anew() noexcept {
    new (&mutex_) std::mutex();
    new (&is_open_) std::vector<bool>();
  }

 private:
  std::mutex mutex_;
  std::vector<bool> is_open_;
};

}  // namespace

Descriptor::Descriptor(int descriptor) : descriptor_(descriptor) {
  if (descriptor_ < 0) return;
  try {
    Open::instance().add(descriptor_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void Descriptor::reset() noexcept {
  if (descriptor_ >= 0 && !fork_.in_child()) Open::instance().close(descriptor_);
  descriptor_ = -1;
}

void detail::hold_descriptors() noexcept {
  Open::instance().mutex().lock();
}
void detail::let_go_descriptors() noexcept {
  Open::instance().mutex().unlock();
}
void detail::close_descriptors_of_parent() noexcept {
  Open::instance().close_all();
  Open::instance().mutex().unlock();
}
void detail::forget_descriptors() noexcept {
  Open::instance().begin_anew();
}

}  // namespace interlock::posix
