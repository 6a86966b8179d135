// Which mutant is awake: INTERLOCK_MUTANT=0x1234567, the number that number_of.cmake gives its
// name; and whether its text ever ran. A test that fails without it catches something else.
#include <atomic>
#include <cstdio>
#include <cstdlib>

bool interlock_mutant_ran();

namespace {

std::atomic<bool> ran = false;

class AtExit {
 public:
  explicit AtExit(unsigned mutant) : mutant_(mutant) {}
  ~AtExit() {
    if (mutant_ != 0 && !ran) std::printf("THE MUTANT'S TEXT NEVER RAN\n");
  }

 private:
  unsigned mutant_;
};

}  // namespace

extern unsigned interlock_mutant;
unsigned interlock_mutant = [] {
  const char* const number = std::getenv("INTERLOCK_MUTANT");
  return number == nullptr ? 0U : static_cast<unsigned>(std::strtoul(number, nullptr, 16));
}();

bool interlock_mutant_ran() {
  ran.store(true, std::memory_order_relaxed);
  return true;
}

namespace {
const AtExit at_exit(interlock_mutant);
}
