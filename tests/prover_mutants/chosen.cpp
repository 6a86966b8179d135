// Which mutant is awake: INTERLOCK_MUTANT=0x1234567, the number that number_of.cmake gives its
// name.
#include <cstdlib>

extern unsigned interlock_mutant;
unsigned interlock_mutant = [] {
  const char* const number = std::getenv("INTERLOCK_MUTANT");
  return number == nullptr ? 0U : static_cast<unsigned>(std::strtoul(number, nullptr, 16));
}();
