// What a fork() means for objects that have threads, locks and descriptors. A child has a copy of
// each object, but the threads run in the parent only, one of them may hold a lock, and both
// processes would send on the same descriptor. So in a child the objects of its parent do nothing.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock {
class PendingOperation;
}

namespace interlock::posix {

// A number that neither the parent nor the children of this process have, whether these were made
// by fork(), _Fork() or the system's clone(). It is kept in a page that the kernel wipes in each
// copy of the memory (MADV_WIPEONFORK, madvise(2)), so that this call costs two loads; where there
// is no such page (Linux before 4.14) it costs a getpid().
//
// A child that shares its parent's memory (vfork(), clone() with CLONE_VM) has its parent's number.
// Such a child may call exec or _exit() and nothing else (POSIX, vfork): if it changed an object,
// the object would be changed in its parent, too.
unsigned this_process() noexcept;

// Remembers in which process an object was made.
class ForkMark {
 public:
  ForkMark() noexcept : made_in_(this_process()) {}
  // This process is a child of that one.
  bool in_child() const noexcept { return made_in_ != this_process(); }

 private:
  unsigned made_in_;
};

// `forked`, as "WHAT: OBJECT was made before fork(), by the parent of this process: make a new one
// here".
Error used_in_child(const std::string& what, const std::string& object);

// For a store that was made in `made_in`. True: this process is a child of that one, and `pending`
// has been completed with `forked`.
bool refuses_in_child(const ForkMark& made_in, PendingOperation& pending);

// An object that is notified around every fork() of this process. Between enter() and leave() its
// functions are called on the thread that forks. before_fork() takes the locks that the object
// needs, so that no other thread is in the middle of something; the other two give them back, on
// their side.
//
// At _Fork() and clone() these functions are not called (the system runs no pthread_atfork(3)
// handlers there). In such a child the object is `carried`: a thread of the parent may have held
// its locks, which no thread gives back here, or have been changing it. The child must not touch
// the object: calls are refused, and its destructor leaves everything behind.
class ForkGuard {
 public:
  ForkGuard() = default;
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  // The process in which the object may be used: the one that made it, or a child of its fork().
  const ForkMark& process() const noexcept { return process_; }
  bool carried() const noexcept { return process_.in_child(); }
  // Called by the registry, after after_fork_in_child().
  void arrived_in_child() noexcept { process_ = ForkMark(); }

  virtual void before_fork() = 0;
  virtual void after_fork_in_parent() = 0;
  virtual void after_fork_in_child() = 0;

 protected:
  // Call enter() last in a derived constructor, and leave() first in its destructor: else the
  // functions above could be called on half an object.
  void enter();
  void leave();
  ~ForkGuard() = default;

 private:
  ForkMark process_;
};

namespace detail {

class Abandoned {
 public:
  virtual ~Abandoned() = default;
  Abandoned* next = nullptr;
};
void keep_for_ever(Abandoned* object) noexcept;

}  // namespace detail

// For destructors in a child: keeps an object for ever without destroying it, where a leak checker
// finds it. Its threads cannot be joined here, and a condition variable would wait for its waiters.
template <class T>
void leave_behind(T object) {
  class AbandonedObject final : public detail::Abandoned {
   public:
    explicit AbandonedObject(T kept) : kept_(std::move(kept)) {}

   private:
    T kept_;
  };
  detail::keep_for_ever(new AbandonedObject(std::move(object)));
}

}  // namespace interlock::posix

#pragma GCC visibility pop
