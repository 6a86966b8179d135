// usage: lab_calls <CALLS >ANSWERS
// Each line of CALLS is a call of lab/src/exports.cpp, `["open", "del-setnx-lock:"]`; each line
// of ANSWERS is the answer as a JSON string.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "lab.hpp"

namespace {

using interlock::lab::Lab;
using nlohmann::json;

std::string answer(Lab& lab, const json& call) {
  const std::string name = call.at(0);
  const auto text = [&](std::size_t n) { return call.at(n).get<std::string>(); };
  const auto number = [&](std::size_t n) { return call.at(n).get<std::uint64_t>(); };
  if (name == "scenarios") return Lab::scenarios();
  if (name == "open") return lab.open(text(1));
  if (name == "fitting") return Lab::fitting(text(1));
  if (name == "compare") return Lab::compare(text(1), text(2));
  if (name == "state") return lab.state();
  if (name == "play") return lab.play(text(1));
  if (name == "undo") return lab.undo();
  if (name == "restart") return lab.restart();
  if (name == "advice") return lab.advice(number(1));
  if (name == "explore") return lab.explore(number(1));
  if (name == "random") return lab.random(number(1), number(2));
  if (name == "draw") return lab.draw(number(1) == 0 ? Lab::Of::game : Lab::Of::found, text(2));
  return "no such call: " + name;
}

}  // namespace

int main() {
  Lab lab([](const interlock::sim::Progress&) { return true; });
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << json(answer(lab, json::parse(line))).dump() << "\n";
  }
  return std::cout.good() ? 0 : 1;
}
