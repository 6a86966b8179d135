#include "interlock/posix/fork.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "interlock/posix/descriptor.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock::posix {
namespace {

// The value of the number while a thread is giving this process one. All numbers of processes are
// greater.
constexpr unsigned being_numbered = 1;

// The greatest number that was given, here or in an ancestor of this process.
std::atomic<unsigned> last_number = being_numbered;
// How many calls of fork() lie between the first process and this one; _Fork() is not counted.
std::atomic<unsigned> told_forks = 0;
// The thread that is in fork(). In the child its copy, until the child's handler has run.
std::atomic<pthread_t> forking = pthread_t();
// Points to the number of this process, which the kernel makes zero in each copy of the memory.
// Null: this_process() was not called yet, or the system has no such page.
std::atomic<std::atomic<unsigned>*> number_here = nullptr;

class Registry {
 public:
  // Never destroyed: a fork may come while the process ends.
  static Registry& instance() {
    static Registry* const registry = new Registry();
    return *registry;
  }

  void add(ForkGuard* guard) {
    const std::lock_guard lock(mutex_);
    guards_.push_back(guard);
  }
  void remove(ForkGuard* guard) {
    const std::lock_guard lock(mutex_);
    std::erase(guards_, guard);
  }

  // For a child of _Fork() or clone(). Makes both anew in place, without destroying the old ones: a
  // thread of the parent may have been changing them.
  void begin_anew() noexcept {
    new (&mutex_) std::mutex();
    new (&guards_) std::vector<ForkGuard*>();
  }

 private:
  // If the system has no memory for the handlers, a fork() is like a _Fork() to us.
  Registry() {
    static_cast<void>(pthread_atfork([] { instance().before_fork(); },
                                     [] { instance().after_fork_in_parent(); },
                                     [] { instance().after_fork_in_child(); }));
  }

  // The descriptors' lock last: guards open and close descriptors under their own.
  void before_fork() {
    static_cast<void>(this_process());  // may begin the list anew
    mutex_.lock();
    forking = pthread_self();
    for (ForkGuard* guard : guards_) guard->before_fork();
    detail::hold_descriptors();
  }
  void after_fork_in_parent() {
    detail::let_go_descriptors();
    for (ForkGuard* guard : guards_) guard->after_fork_in_parent();
    forking = pthread_t();
    mutex_.unlock();
  }
  void after_fork_in_child() {
    ++told_forks;
    detail::close_descriptors_of_parent();
    for (ForkGuard* guard : guards_) {
      guard->after_fork_in_child();
      guard->arrived_in_child();
    }
    forking = pthread_t();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<ForkGuard*> guards_;
};

std::atomic<detail::Abandoned*> left_behind = nullptr;

// A page of zeroes that the kernel wipes in each copy of the memory. Null: the system has none.
std::atomic<unsigned>* page_that_forks_wipe() {
  constexpr std::size_t size = sizeof(std::atomic<unsigned>);  // the system rounds it up to a page
  void* const page =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, size, MADV_WIPEONFORK) == 0) return new (page) std::atomic<unsigned>(0);
  munmap(page, size);
  return nullptr;
}

// No two living processes have the same pid, unless they are in different namespaces of pids.
unsigned number_by_pid() noexcept {
  constexpr unsigned bits_of_a_pid = 22;  // PID_MAX_LIMIT in linux/threads.h
  return static_cast<unsigned>(getpid()) + (told_forks.load() << bits_of_a_pid);
}

// Called by the first thread that needs the number; other threads wait. It must not allocate
// memory: a thread of the parent may have been in the middle of an allocation at the fork.
void give_number(std::atomic<unsigned>& number) noexcept {
  // Inside fork(), whose handlers need the lists.
  const bool is_told = forking.load() == pthread_self();
  if (!is_told) {
    Registry::instance().begin_anew();
    detail::forget_descriptors();
  }
  // Counted before it is stored: a child may begin in between, and must not take the same number.
  const unsigned next = ++last_number;
  number.store(next, std::memory_order_release);
}

unsigned look_closer() noexcept {
  static std::atomic<unsigned>* const page = [] {
    Registry::instance();
    std::atomic<unsigned>* const wiped = page_that_forks_wipe();
    if (wiped != nullptr) wiped->store(++last_number);
    return wiped;
  }();
  if (page == nullptr) return number_by_pid();
  number_here.store(page, std::memory_order_release);
  for (;;) {
    unsigned seen = 0;
    if (page->compare_exchange_strong(seen, being_numbered)) give_number(*page);
    if (seen > being_numbered) return seen;
    if (seen == being_numbered) sched_yield();
  }
}

}  // namespace

unsigned this_process() noexcept {
  if (const auto* const here = number_here.load(std::memory_order_acquire)) {
    const unsigned number = here->load(std::memory_order_acquire);
    if (number > being_numbered) return number;
  }
  return look_closer();
}

namespace {

// Before main() begins: a fork() in the midst of the first call would leave a child that waits for
// ever for a thread which it does not have.
[[maybe_unused]] const unsigned numbered_early = this_process();

}  // namespace

Error used_in_child(const std::string& what, const std::string& object) {
  return {Errc::forked, what + ": " + object +
                            " was made before fork(), by the parent of this process: make a new "
                            "one here"};
}

bool refuses_in_child(const ForkMark& made_in, PendingOperation& pending) {
  if (!made_in.in_child()) return false;
  const std::string what(to_string(pending.operation().kind));
  pending.complete(used_in_child("cannot carry out '" + what + "'", "the store"));
  return true;
}

void ForkGuard::enter() {
  Registry::instance().add(this);
}

void ForkGuard::leave() {
  // A carried guard is not on this process's list, which is a new one.
  if (!carried()) Registry::instance().remove(this);
}

void detail::keep_for_ever(Abandoned* object) noexcept {
  object->next = left_behind.load(std::memory_order_relaxed);
  while (!left_behind.compare_exchange_weak(object->next, object)) {
  }
}

}  // namespace interlock::posix
