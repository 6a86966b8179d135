// The object in whose wait a coroutine is suspended.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace interlock::detail {

// A line of a source. As the default argument of a function, here() is the line of its call, and in
// an await_suspend() that of the co_await. (A library of Clang 14 has no std::source_location.) Of
// an expression over several lines, compilers take the first or the last.
class SourceLine {
 public:
  SourceLine() = default;
  static constexpr SourceLine here(const char* in = __builtin_FILE(),
                                   std::uint32_t at = __builtin_LINE()) noexcept {
    SourceLine line;
    line.file = in;
    line.number = at;
    return line;
  }

  const char* file = nullptr;  // as the compiler was given it; null: not known
  std::uint32_t number = 0;    // counted from 1
};

// A part of the coroutine's frame, to which a store or a clock keeps a pointer until it has an
// answer: the base of operations, sleeps and steps. A store or clock that must not keep the pointer
// when a waiting task is destroyed can set an observer.
class Pending {
 public:
  class Observer {
   public:
    // Called by the destructor: only the address of `pending` may be used.
    virtual void gone(const Pending& pending) noexcept = 0;

   protected:
    ~Observer() = default;
  };

  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  // Sets the observer; null, as at first: none. The observer must outlive this object, or be unset
  // before.
  void observed_by(Observer* observer) noexcept { observer_ = observer; }

  // Where the coroutine waits. Known from when the wait begins.
  SourceLine line() const noexcept { return line_; }

 protected:
  Pending() = default;
  ~Pending() {
    if (observer_ != nullptr) observer_->gone(*this);
  }
  void begun_at(SourceLine line) noexcept { line_ = line; }

 private:
  Observer* observer_ = nullptr;
  SourceLine line_;
};

}  // namespace interlock::detail

#pragma GCC visibility pop
