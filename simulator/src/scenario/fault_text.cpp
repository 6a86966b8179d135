#include "interlock/sim/fault_text.hpp"

#include <array>
#include <optional>
#include <utility>

#include "interlock/detail/number.hpp"

namespace interlock::sim {
namespace {

constexpr std::size_t count_most = FaultBudget::count_max;
constexpr std::string_view free_pauses = "pause:free";
constexpr std::string_view survive = "requests:survive";

std::optional<std::size_t> parse_count(std::string_view text) {
  return detail::parse_number<std::size_t>(text, 0, count_most);
}

std::optional<Fault> parse_fault(std::string_view word) {
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    if (word == to_string(static_cast<Fault>(kind))) return static_cast<Fault>(kind);
  }
  return std::nullopt;
}

Error no_fault(std::string_view word) {
  const bool number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  if (number && parse_count(word)) {
    return {Errc::invalid_argument,
            "'" + std::string(word) +
                "' stands where a fault's name is needed: write how many of all "
                "in front (2/crash,restart), and how many of one behind it (crash:2)"};
  }
  if (number) {
    return {Errc::invalid_argument, "'" + std::string(word.substr(0, 40)) +
                                        "' faults are too many: write a number up to " +
                                        std::to_string(count_most)};
  }
  if (word == "none") {
    return {Errc::invalid_argument, "'none' stands beside faults: write it alone, or leave it out"};
  }
  if (word == "requests") {
    return {Errc::invalid_argument,
            "'requests' is no fault: write requests:survive if a broken connection is to lose no "
            "request and no answer, or leave it out"};
  }
  std::string text =
      "'" + std::string(word.substr(0, 40)) + "' is no fault: write none, a number or";
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    text += kind == 0 ? " " : ", ";
    text += to_string(static_cast<Fault>(kind));
  }
  return {Errc::invalid_argument, text};
}

// A budget as somebody writes it, one item after the other.
class Written {
 public:
  std::optional<Error> allow(std::string_view item);
  FaultBudget budget;
  bool names_pauses = false;

 private:
  std::array<bool, fault_kinds> named_{};
};

std::optional<Error> Written::allow(std::string_view item) {
  if (item == survive) {
    budget.let_requests_survive();
    return std::nullopt;
  }
  const std::size_t colon = item.find(':');
  const auto fault = parse_fault(item.substr(0, colon));
  if (!fault) return no_fault(item.substr(0, colon));
  if (std::exchange(named_.at(static_cast<std::size_t>(*fault)), true)) {
    return Error(Errc::invalid_argument,
                 "'" + std::string(to_string(*fault)) + "' is named twice: write it once");
  }
  if (item == free_pauses) {
    names_pauses = true;
    return std::nullopt;
  }
  std::size_t count = 1;
  if (colon != std::string_view::npos) {
    const auto given = parse_count(item.substr(colon + 1));
    if (!given) {
      return Error(Errc::invalid_argument, "'" + std::string(item.substr(0, 40)) +
                                               "': write how often as a number up to " +
                                               std::to_string(count_most));
    }
    count = *given;
  }
  if (fault == Fault::pause) {
    names_pauses = true;
    budget.pauses(count);
  } else {
    budget.allow(*fault, count);
  }
  return std::nullopt;
}

}  // namespace

Result<FaultBudget> parse_faults(std::string_view text, const FaultBudget& usual) {
  const auto as_usual = [&usual](FaultBudget budget) {
    return usual.pauses_count() ? budget.pauses(0) : budget;
  };
  if (text == "none") return as_usual(FaultBudget());
  if (const auto count = parse_count(text)) {
    return as_usual(*count == 0 ? FaultBudget() : FaultBudget::any(*count));
  }
  Written written;
  std::optional<std::size_t> most;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    most = parse_count(text.substr(0, slash));
    if (!most) return no_fault(text.substr(0, slash));
    text.remove_prefix(slash + 1);
  }
  for (;;) {
    const std::size_t comma = text.find(',');
    if (auto failure = written.allow(text.substr(0, comma))) return *failure;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (most) written.budget.at_most(*most);
  return written.names_pauses ? written.budget : as_usual(written.budget);
}

std::string to_text(const FaultBudget& budget, const FaultBudget& usual) {
  std::string list;
  if (usual.pauses_count() && !budget.pauses_count()) list = free_pauses;
  std::size_t sum = 0;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    const std::size_t limit = budget.limit(fault);
    // That pauses count matters even if there may be none: time then passes only when it must.
    const bool told = fault == Fault::pause && budget.pauses_count();
    if (limit == 0 && !told) continue;
    sum += limit;
    if (!list.empty()) list += ',';
    list += to_string(fault);
    if (limit != 1) list += ':' + std::to_string(limit);
  }
  if (budget.requests_survive()) list += (list.empty() ? "" : ",") + std::string(survive);
  if (list.empty()) return "none";
  return budget.total() < sum ? std::to_string(budget.total()) + "/" + list : list;
}

}  // namespace interlock::sim
