// A text that never changes, so that its copies may share it. Names, keys and tokens are made of
// it, because they travel from the caller to the store and back in a dozen values.
#pragma once

#include <compare>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)

namespace interlock::detail {

// Copying one allocates nothing: a std::string keeps a short text inside itself, and a longer one
// is shared. A plain value: different objects may be used by different threads, copies included. A
// moved-from object is empty.
class SharedText {
 public:
  SharedText() = default;
  // The conversions are implicit: a field of this type is used as a std::string would be.
  SharedText(std::string text) {  // NOLINT(google-explicit-constructor)
    if (text.size() <= std::string().capacity()) {
      short_ = std::move(text);
    } else {
      long_ = std::make_shared<const std::string>(std::move(text));
    }
  }
  SharedText(std::string_view text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string(text)) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string(text)) {}
  // A text that something else keeps as well. Not null.
  explicit SharedText(std::shared_ptr<const std::string> text) : long_(std::move(text)) {}
  operator const std::string&() const noexcept { return text(); }  // NOLINT(google-explicit-*)

  const std::string& text() const noexcept { return long_ ? *long_ : short_; }
  bool empty() const noexcept { return text().empty(); }

  friend std::strong_ordering operator<=>(const SharedText& one, const SharedText& other) {
    return one.text() <=> other.text();
  }
  friend bool operator==(const SharedText& one, const SharedText& other) {
    return (one.long_ != nullptr && one.long_ == other.long_) || one.text() == other.text();
  }
  // A template, because a literal would suit a conversion to either type.
  template <class Other>
  requires(std::convertible_to<const Other&, std::string_view>) friend bool operator==(
      const SharedText& one, const Other& other) {
    return std::string_view(one.text()) == std::string_view(other);
  }

 private:
  std::string short_;
  std::shared_ptr<const std::string> long_;  // null: the text is short
};

}  // namespace interlock::detail

#pragma GCC visibility pop
