// Each CASE_ is a coroutine whose arguments would dangle, or which GCC 12 would destroy twice.
// Without any CASE_ this file compiles.
#include <string>
#include <string_view>

#include "interlock/task.hpp"

namespace {

using interlock::Task;

class Name {
 public:
  explicit Name(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Plain {
  int a;
  int b;
};

struct Aggregate {
  std::string name;
  int attempts;
};

[[maybe_unused]] Task<int> values(Name name, std::string text, int number, Plain plain) {
  co_return number + plain.a + static_cast<int>(name.text().size() + text.size());
}

class Service {
 public:
  Task<int> member(Name name) { co_return static_cast<int>(name.text().size()) + base_; }

#ifdef CASE_reference_to_member_coroutine
  Task<int> refused(const std::string& text) {
    co_return static_cast<int>(text.size()) + base_;
  }
#endif

 private:
  int base_ = 0;
};

[[maybe_unused]] Task<int> uses_member(Service* service) {
  Name name("x");
  co_return co_await service->member(std::move(name));
}

#ifdef CASE_reference_to_scalar
[[maybe_unused]] Task<int> refused(const int& number) {
  co_return number;
}
#endif
#ifdef CASE_reference_after_the_first
[[maybe_unused]] Task<int> refused(int number, const std::string& text) {
  co_return number + static_cast<int>(text.size());
}
#endif
#ifdef CASE_rvalue_reference
[[maybe_unused]] Task<int> refused(std::string&& text) {
  co_return static_cast<int>(text.size());
}
#endif
#ifdef CASE_string_view
[[maybe_unused]] Task<int> refused(std::string_view text) {
  co_return static_cast<int>(text.size());
}
#endif
#ifdef CASE_string_view_after_the_first
[[maybe_unused]] Task<int> refused(int number, std::string_view text) {
  co_return number + static_cast<int>(text.size());
}
#endif
#ifdef CASE_aggregate_with_destructor
[[maybe_unused]] Task<int> refused(Aggregate options) {
  co_return options.attempts;
}
#endif
#ifdef CASE_aggregate_after_the_first
[[maybe_unused]] Task<int> refused(int number, Aggregate options) {
  co_return number + options.attempts;
}
#endif

}  // namespace
