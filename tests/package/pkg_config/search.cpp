// A program that is built with pkg-config alone, and with the simulator.
#include <cstdio>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"

int main() {
  const auto scenarios = interlock::sim::catalogue::entries().size();
  std::printf("%zu scenarios\n", scenarios);
  return scenarios > 50 ? 0 : 1;
}
