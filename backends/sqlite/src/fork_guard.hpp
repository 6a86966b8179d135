// Told about every fork() of this process, around it.
#pragma once

namespace interlock::sqlite {

// Between enter() and leave() its functions are called on the thread that forks. before_fork()
// takes the locks that the object needs, so that no other thread is in the middle of something; the
// other two give them back, on their side. Not called for vfork() and posix_spawn(), after which
// only exec follows.
class ForkGuard {
 public:
  ForkGuard() = default;
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  virtual void before_fork() = 0;
  virtual void after_fork_in_parent() = 0;
  virtual void after_fork_in_child() = 0;

 protected:
  // The last act of a derived constructor, and the first of its destructor: outside of these two
  // the functions above would be called on half an object.
  void enter();
  void leave();
  ~ForkGuard() = default;
};

}  // namespace interlock::sqlite
