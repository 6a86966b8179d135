#include "audit/audit_programs.hpp"

#include "audit/audit.hpp"
#include "audit/company.hpp"

namespace interlock::sim {
namespace {

bool audit_one(Engine& engine,
               std::size_t first,
               std::uint64_t repeated_steps,
               const std::function<bool()>& proceed) {
  Audit audit(engine.process(first).automaton(), engine.clients_of(first),
              engine.merged_beside(first), repeated_steps);
  const bool goes_on = audit.run(proceed);
  AuditReport& report = engine.audited();
  report.failure = audit.failure();
  report.broken_promise = audit.broken_promise();
  report.programs[first] = {audit.twins_are_alike(), audit.rounds_compared()};
  report.runs += audit.runs();
  return goes_on;
}

bool audit_together(Engine& engine,
                    std::uint64_t repeated_steps,
                    const std::function<bool()>& proceed) {
  std::vector<Company::Member> members;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    Companion::As as;
    as.client = client;
    as.permutation = Permutation::swap(engine.class_of(client), client);
    members.push_back(Company::Member{&engine.process(client).automaton(), as});
  }
  Company company(members, repeated_steps);
  const bool goes_on = company.run(proceed);
  engine.audited().failure = company.failure();
  engine.audited().runs += company.runs();
  return goes_on;
}

}  // namespace

bool audit_programs(Engine& engine,
                    std::uint64_t repeated_steps,
                    const std::function<bool()>& proceed) {
  for (std::size_t first = 0; first < engine.clients(); ++first) {
    if (engine.class_of(first) != first || !engine.why_no_verdict().empty()) continue;
    if (!audit_one(engine, first, repeated_steps, proceed)) return false;
  }
  return engine.clients() == 1 || !engine.why_no_verdict().empty() ||
         audit_together(engine, repeated_steps, proceed);
}

}  // namespace interlock::sim
