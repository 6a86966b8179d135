#include "interlock/task.hpp"

namespace {

interlock::Task<int> one() {
  co_return 1;
}
interlock::Task<int> two() {
  co_return co_await one() + co_await one();
}

}  // namespace

int main() {
  return interlock::run(two()) == 2 ? 0 : 1;
}
