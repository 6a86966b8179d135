// The object in whose wait a coroutine is suspended.
#pragma once

namespace interlock::detail {

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

 protected:
  Pending() = default;
  ~Pending() {
    if (observer_ != nullptr) observer_->gone(*this);
  }

 private:
  Observer* observer_ = nullptr;
};

}  // namespace interlock::detail
