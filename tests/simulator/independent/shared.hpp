// A value whose copies share it until one of them is changed. Worlds are copied at every step, and
// most of their parts stay as they are.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace interlock::sim::independent {

template <class T>
class Shared {
 public:
  Shared() : part_(std::make_shared<Part>()) {}
  Shared& operator=(T value) {
    part_ = std::make_shared<Part>();
    part_->value = std::move(value);
    return *this;
  }
  const T& operator*() const { return part_->value; }
  const T* operator->() const { return &part_->value; }
  // A copy of its own. What was got before does not follow it.
  T& change() {
    *this = T(part_->value);
    return part_->value;
  }
  // What T::written(by_history) gives, which is asked for once.
  const std::string& written(bool by_history) const {
    std::string& text = part_->text[by_history ? 1 : 0];
    if (text.empty()) text = part_->value.written(by_history);
    return text;
  }

 private:
  class Part {
   public:
    T value;
    std::string text[2];
  };
  std::shared_ptr<Part> part_;
};

}  // namespace interlock::sim::independent
