// What the rules of a trial see: property.hpp's comments, once more.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "machine.hpp"
#include "server.hpp"
#include "steps.hpp"
#include "trial.hpp"
#include "world.hpp"

namespace interlock::sim::independent {

// The rules that a world breaks, by the names of their properties.
std::set<std::string> broken_in(const World& world, const Trial& trial);

// What some world must be like, or a rule proves nothing.
std::set<std::string> reached_in(const World& world);
// Adds the goals that take different clients, each in some world.
void add_goals_of_two(std::set<std::string>& reached);

// Whether some rule is about who wrote what is in a key.
bool asks_who_wrote(const Trial& trial);
// Whether some rule is a predicate of a user's.
bool asks_predicates(const Trial& trial);

// These take note of something that a client does in a step: what it breaks, and what it reaches.
void note_marks(Step& step, const Trial& trial, int client, const std::vector<Mark>& marks);
// Somebody has begun to believe: the step may go on, so that no world shows it.
void note_believers(Step& step, const Trial& trial);
void note_change(Step& step,
                 const Trial& trial,
                 int client,
                 const Request& asked,
                 const Answer& answer,
                 const Keys& before,
                 const Keys& after);
// A fault has put other keys in the place of these.
void note_replacement(World& world, const Trial& trial, const Keys& before, const Keys& after);
// Whether the resource accepts the write.
bool note_write(Step& step, const Trial& trial, int client, int resource, std::uint64_t fencing);

}  // namespace interlock::sim::independent
