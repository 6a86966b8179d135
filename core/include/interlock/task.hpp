// Task<T>: a lazy coroutine with one owner. Calling the coroutine runs nothing; awaiting its Task,
// or start(), runs it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "interlock/detail/assert.hpp"

#pragma GCC visibility push(default)

namespace interlock {

template <class T>
class Task;

namespace detail {

// Memory for frames, which each thread keeps for its next frame: a lock makes half a dozen of them,
// and many are just larger than what malloc serves fast.
void* allocate_frame(std::size_t size);
void free_frame(void* frame, std::size_t size) noexcept;

// Throws what `thrown` holds, and forgets it.
[[noreturn]] void throw_again(std::exception_ptr& thrown);
// These end the process with a message. They do so in a simulation, too, which has no verdict for
// these three mistakes.
[[noreturn]] void taken_again() noexcept;  // the result of a task, after it had thrown
[[noreturn]] void begun_twice() noexcept;  // a task that still waits was asked for its result
[[noreturn]] void moved_task_used() noexcept;

class TaskPromiseBase {
 public:
  static void* operator new(std::size_t size) { return allocate_frame(size); }  // NOLINT(misc-*)
  static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

  std::suspend_always initial_suspend() const noexcept { return {}; }

  // Resumes the task that awaits this one, unless this finished before it ever suspended: then
  // await_suspend() saw done() and goes on by itself. Not symmetric transfer: GCC 12 does not turn
  // that into a jump at -O0 or under the address sanitizer, and long loops overflow the stack.
  class FinalAwaiter {
   public:
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      if (const auto waiting = finished.promise().continuation) waiting.resume();
    }
    void await_resume() const noexcept {}
  };
  FinalAwaiter final_suspend() const noexcept { return {}; }

  // Kept for the caller that takes the result. Errors of this library are Results; only users
  // throw.
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }
  const std::exception_ptr& thrown() const noexcept { return thrown_; }

  std::coroutine_handle<> continuation;

 protected:
  void throw_if_thrown() {
    if (was_thrown_) taken_again();
    if (!thrown_) return;
    was_thrown_ = true;
    throw_again(thrown_);
  }

 private:
  std::exception_ptr thrown_;
  bool was_thrown_ = false;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    result_.emplace(std::forward<U>(value));
  }
  T take() {
    throw_if_thrown();
    if (!result_) begun_twice();
    return std::move(*result_);
  }

 private:
  std::optional<T> result_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  // Does not refuse a task that was begun twice: the simulator reports it, with the wait that the
  // task gives up.
  void take() { throw_if_thrown(); }
};

// A coroutine outlives the expression that called it, so its arguments must be values; and they
// must not be aggregates with destructors, which GCC 12 destroys twice.
template <class Arg>
inline constexpr bool safe_coroutine_argument =
    !std::is_reference_v<Arg> && !std::is_same_v<Arg, std::string_view> &&
    (std::is_trivially_destructible_v<Arg> || !std::is_aggregate_v<Arg>);

template <class... Args>
struct CheckArguments {
  static_assert((safe_coroutine_argument<Args> && ...),
                "pass coroutine arguments by value, as types with constructors");
};

// The first argument may be the object of a member coroutine, which is always a reference. A free
// coroutine cannot be distinguished from a member here, so its first argument escapes the check
// only if it is a reference to a class type.
template <class First>
struct CheckFirstArgument {
  using Bare = std::remove_reference_t<First>;
  static_assert(safe_coroutine_argument<First> ||
                    (std::is_lvalue_reference_v<First> && std::is_class_v<Bare>),
                "pass coroutine arguments by value, as types with constructors");
};

}  // namespace detail

// Runs on the thread that resumes it, and never moves to another thread by itself. Start it once:
// by co_await or by start(). A task that is done may be awaited, and gives its result; one that was
// started and still waits may not.
//
// Destroying a Task destroys its frame and, by that, every frame that it awaits. Do so only when it
// has not started, when it is done, or when the store or clock for which those frames wait has
// forgotten them (as at a crash in the simulator): else that store resumes a frame that is gone.
// Over a blocking store a task never suspends, so that it is done when start() returns.
//
// A moved-from Task holds nothing: it may be destroyed, assigned to, or asked whether it holds a
// coroutine, and nothing else. To await it, or to give it to a client or a loop, ends the process
// with a message.
//
// An exception ends its coroutine, and is thrown again where the result is taken: by `co_await`,
// take() or run(), once; to take the result once more ends the process with a message. Errors of
// this library are Results; only users' code throws, and whatever needs memory when there is none
// left: std::bad_alloc. No exception may pass through a coroutine that was built without
// exceptions: it would be destroyed as if it still rested where it rested last.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (frame_) frame_.destroy();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  // Whether this holds a coroutine; false: it was moved from.
  explicit operator bool() const noexcept { return static_cast<bool>(frame_); }

  // Runs up to the first suspension or to the end. Call it once, and only for a task that no other
  // task awaits.
  void start() { frame_.resume(); }
  bool done() const noexcept { return frame_.done(); }  // it has a result, or has thrown

  // The exception that ended a task which is done(); null: it has a result. For code that is built
  // without exceptions, and must check before take().
  std::exception_ptr thrown() const noexcept { return frame_.promise().thrown(); }

  // The result of a task that is done(), or what it threw. Once only.
  T take() {
    INTERLOCK_ASSERT(frame_.done());
    return frame_.promise().take();
  }

  class Awaiter {
   public:
    explicit Awaiter(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    bool await_ready() const noexcept { return frame_.done(); }
    bool await_suspend(std::coroutine_handle<> waiting) {
      frame_.resume();
      if (frame_.done()) return false;
      frame_.promise().continuation = waiting;
      return true;
    }
    T await_resume() { return frame_.promise().take(); }

   private:
    std::coroutine_handle<promise_type> frame_;
  };
  Awaiter operator co_await() const noexcept {
    if (!frame_) detail::moved_task_used();
    return Awaiter(frame_);
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> detail::TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

// Runs a task over a blocking store, which answers each wait at once.
template <class T>
T run(Task<T> task) {
  task.start();
  return task.take();
}

}  // namespace interlock

template <class T, class First, class... Rest>
struct std::coroutine_traits<interlock::Task<T>, First, Rest...> {
  static_assert(sizeof(interlock::detail::CheckFirstArgument<First>) > 0);
  static_assert(sizeof(interlock::detail::CheckArguments<Rest...>) > 0);
  using promise_type = interlock::detail::TaskPromise<T>;
};

#pragma GCC visibility pop
