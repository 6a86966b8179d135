#include "supervision/run_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "console/duration_text.hpp"
#include "console/json_line.hpp"
#include "console/talk.hpp"
#include "interlock/lock_client.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

std::int64_t whole_ms(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

std::string cause(const Loss& loss) {
  if (!loss.why) return "its release found it gone: expired, erased or taken";
  switch (*loss.why) {
    case LossReason::not_renewed_in_time:
      return fmt::format(
          "no renewal confirmed for {} ({}){}", readable(loss.unconfirmed), loss.store,
          loss.renewal_refused ? ": " + printable(*loss.renewal_refused, 400) : std::string());
    case LossReason::held_by_another:
      return fmt::format("{} says that another holds it", loss.store);
    case LossReason::gone:
      return fmt::format("{} says that it is held no more: it expired, was broken or erased",
                         loss.store);
    case LossReason::client_gone:
    case LossReason::forked:
      return std::string(to_string(*loss.why));
  }
  return "for an unknown reason";
}

}  // namespace

std::string RunReport::json() const {
  nlohmann::ordered_json object{{"v", 1}, {"result", result}, {"exit", exit}, {"lock", lock}};
  if (child_exit) object["child"] = {{"exit", *child_exit}};
  if (child_signal) object["child"] = {{"signal", *child_signal}};
  if (left_behind != 0) object["left_behind"] = left_behind;
  for (const Report& each : refused) {
    object["not_ended"].push_back(
        {{"pid", each.pid}, {"name", each.name.data()}, {"user", each.user.data()}});
  }
  if (waited) object["waited_ms"] = whole_ms(*waited);
  if (held) object["held_ms"] = whole_ms(*held);
  if (token) object["token"] = std::to_string(token->value());
  if (owner) object["owner"] = *owner;
  for (const ReportedLock& each : locks) {
    object["locks"].push_back({{"lock", each.lock},
                               {"token", std::to_string(each.token.value())},
                               {"owner", each.owner}});
  }
  if (not_released) object["not_released"] = *not_released;
  if (not_noted) object["not_noted"] = *not_noted;
  if (busy) object["busy"] = nlohmann::ordered_json::parse(*busy);
  if (last_run) object["last_run"] = nlohmann::ordered_json::parse(*last_run);
  if (error) object["error"] = *error;
  return json_line(object);
}

std::optional<TimePoint> overlap_from_clock(TimePoint certain_until, TimePoint ended) {
  // The rest of the fixed margin covers timers, such as that of the KILL at the end of the lease.
  constexpr milliseconds rounding{1};
  const TimePoint admitted = certain_until + (SafetyMargin::default_fixed - rounding);
  return ended > admitted ? std::optional(admitted) : std::nullopt;
}

std::string lost_cause(const Loss& loss) {
  return fmt::format("lost '{}' after {}: {}", printable(loss.lock, 100), readable(loss.held),
                     cause(loss));
}

std::string lost_text(const Loss& loss) {
  std::string text = lost_cause(loss) + "; ";
  std::string sent;
  if (loss.first_signal && loss.first_signal != loss.signal) {
    sent = fmt::format("{} and ", signal_name(*loss.first_signal));
  }
  if (loss.signal) sent += fmt::format("{} sent, ", signal_name(*loss.signal));
  if (loss.refused) sent += fmt::format("KILL could not be sent to {}, ", *loss.refused);
  if (!sent.empty()) {
    text += fmt::format("{}command ended in {}", sent, readable(loss.ended_in));
  } else if (loss.why && loss.ended_in >= Duration::zero()) {
    text += loss.ended_by
                ? fmt::format("command was ended by {} {} later", signal_name(*loss.ended_by),
                              readable(loss.ended_in))
                : fmt::format("command ended by itself {} later", readable(loss.ended_in));
  } else {
    text += "command had ended";
  }
  if (loss.overlap_from) {
    const auto when = std::chrono::system_clock::to_time_t(*loss.overlap_from);
    text += fmt::format(": its work after {:%H:%M:%S} may overlap another holder; token was {}",
                        fmt::localtime(when), loss.token.value());
  } else {
    text += fmt::format(": before anyone else could be admitted; token was {}", loss.token.value());
  }
  return text;
}

std::string released_late_text(const std::string& lock) {
  return fmt::format(
      "'{}' was free before its release came: the store was slow, and the ttl ended meanwhile",
      printable(lock, 100));
}

std::string not_released_text(const std::string& lock,
                              const Error& why,
                              Duration ttl,
                              Stays stays) {
  const std::string_view done = stays == Stays::yes ? "kept for the rest of its time" : "released";
  std::string_view fact = why.detail();
  // The error names one lock, the sentence below all of them.
  if (fact.starts_with("releasing '")) {
    const auto named = fact.find("': ");
    if (named != std::string_view::npos) fact.remove_prefix(named + 3);
  }
  // The sentence below already says that the ttl ends the lock.
  const auto last_colon = fact.rfind(": ");
  if (last_colon != std::string_view::npos && fact.ends_with("until its ttl ends")) {
    fact = fact.substr(0, last_colon);
  }
  // After several requests, the error of the last one is in brackets.
  const auto open = fact.find('(');
  if (open < fact.find(": ") && fact.ends_with(')')) {
    fact = fact.substr(open + 1, fact.size() - open - 2);
  }
  if (!is_out_of_reach(why)) {
    return fmt::format("'{}' not {}: {}; it becomes free when its ttl ends, within {}",
                       printable(lock, 100), done, printable(fact, 400), readable(ttl));
  }
  // The client already repeats the release, so only the fact is shown and not the advice.
  const auto first_colon = fact.find(": ");
  if (first_colon != std::string_view::npos)
    fact = fact.substr(0, fact.find(": ", first_colon + 2));
  return fmt::format(
      "'{}' not {}: {}: it is tried again for up to 5 s; else it becomes free when its ttl ends, "
      "within {}",
      printable(lock, 100), done, printable(fact), readable(ttl));
}

}  // namespace interlock::cli
