// SARIF 2.1.0: docs.oasis-open.org/sarif/sarif/v2.1.0. The numbers in comments are its sections.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "interlock/sim/report.hpp"

namespace interlock::sim {
namespace {

using Json = nlohmann::ordered_json;

// A file's name as a URI (3.4.3): all but what every URI may have is escaped.
std::string uri_of(std::string_view file) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "-._~/";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char byte : file) {
    const auto code = static_cast<unsigned char>(byte);
    const bool letter = (code | 0x20U) >= 'a' && (code | 0x20U) <= 'z';
    const bool digit = code >= '0' && code <= '9';
    if (letter || digit || plain.find(byte) != std::string_view::npos) {
      uri += byte;
    } else {
      uri += '%';
      uri += digits[code >> 4U];
      uri += digits[code & 15U];
    }
  }
  return uri;
}

class SarifWriter {
 public:
  explicit SarifWriter(std::string_view root) : root_(root) {
    if (!root_.empty() && !root_.ends_with('/')) root_ += '/';
  }

  void add(const ReportedSearch& search) {
    if (search.verdict.outcome == Outcome::invalid) {
      notifications_.push_back(
          {{"level", "error"}, {"message", {{"text", search.name + ": " + search.summary()}}}});
      return;
    }
    results_.push_back(result(search));
  }

  // What another log has found, under the rules of this one.
  void add(const Json& log) {
    const Json& run = log["runs"][0];
    for (const Json& known : run["tool"]["driver"]["rules"]) rule(known);
    for (Json result : run["results"]) {
      result["ruleIndex"] = index_of(result["ruleId"]);
      results_.push_back(std::move(result));
    }
    for (const Json& one : run["invocations"][0]["toolExecutionNotifications"]) {
      notifications_.push_back(one);
    }
  }

  Json log(std::string_view version) const {
    Json driver = {{"name", "interlock"}};
    if (!version.empty()) driver["semanticVersion"] = version;
    driver["rules"] = rules_;
    Json run = {{"tool", {{"driver", std::move(driver)}}},
                {"invocations", Json::array({{{"executionSuccessful", notifications_.empty()},
                                              {"toolExecutionNotifications", notifications_}}})},
                {"columnKind", "utf16CodeUnits"},
                {"results", results_}};
    return {{"$schema",
             "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
             "sarif-schema-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  Json result(const ReportedSearch& search) {
    const Verdict& verdict = search.verdict;
    const bool fails = verdict.outcome == Outcome::violated;
    Json json = rule_named(fails && !search.rule.empty() ? search.rule : "verdict");
    json["kind"] = fails ? "fail" : verdict.outcome == Outcome::proved ? "pass" : "open";
    json["level"] = fails ? "error" : "none";  // 3.27.10: `none` unless it fails
    json["message"] = {{"text", message(search)}};
    json["locations"] = Json::array({place_of(search)});
    // A CI recognizes the same finding by it, whatever the lines are now.
    json["partialFingerprints"] = {{"scenarioAndProperty/v1", search.name + "/" + search.rule}};
    if (fails && !verdict.run.empty()) json["codeFlows"] = Json::array({code_flow(search)});
    json["properties"] = properties(search);
    return json;
  }

  // Where the rule is in the list; its size if it is not there.
  std::size_t index_of(const Json& id) const {
    const auto at = std::find_if(rules_.begin(), rules_.end(),
                                 [&id](const Json& known) { return known["id"] == id; });
    return static_cast<std::size_t>(at - rules_.begin());
  }

  void rule(const Json& described) {
    if (index_of(described["id"]) == rules_.size()) rules_.push_back(described);
  }

  Json rule_named(const std::string& id) {
    std::string words = id == "verdict" ? "the scenario's properties hold" : id + " holds";
    std::replace(words.begin(), words.end(), '-', ' ');
    words += " in every run within the bounds";
    rule({{"id", id}, {"shortDescription", {{"text", words}}}});
    return {{"ruleId", id}, {"ruleIndex", index_of(id)}};
  }

  static std::string message(const ReportedSearch& search) {
    std::string text = search.name + ": " + search.summary() + ". " + search.verdict.bounds + ".";
    if (!search.replay.empty()) text += " The run again: " + search.replay;
    return text;
  }

  static Json properties(const ReportedSearch& search) {
    Json json = {{"states", search.verdict.states},
                 {"steps", search.verdict.transitions},
                 {"seconds", search.seconds}};
    if (search.peak_memory > 0) json["peakMemory"] = search.peak_memory;
    if (!search.again.empty()) json["again"] = search.again;
    return json;
  }

  // Without a file only the scenario's name: a place that is no place in a source (3.33).
  Json place(const ReportedSearch& search, const std::optional<TaskLine>& line) const {
    Json json = Json::object();
    const std::string& file = line ? line->file : search.file;
    if (!file.empty()) {
      json["physicalLocation"] = {{"artifactLocation", artifact(file)},
                                  {"region", {{"startLine", line ? line->number : 1}}}};
    }
    json["logicalLocations"] = Json::array({{{"fullyQualifiedName", search.name}}});
    return json;
  }

  // That of the step which violates the property: the last one that has a line.
  Json place_of(const ReportedSearch& search) const {
    std::optional<TaskLine> last;
    for (const auto& line : search.lines) {
      if (line && !line->file.empty()) last = line;
    }
    return place(search, last);
  }

  Json artifact(const std::string& file) const {
    if (!root_.empty() && file.starts_with(root_)) {
      return {{"uri", uri_of(std::string_view(file).substr(root_.size()))},
              {"uriBaseId", "%SRCROOT%"}};
    }
    return {{"uri", uri_of(file)}};
  }

  // The steps of all clients in their order: 3.37 calls a thread flow what is one after another.
  Json code_flow(const ReportedSearch& search) const {
    const Run& run = search.verdict.run;
    Json locations = Json::array();
    for (std::size_t at = 0; at < run.steps.size(); ++at) {
      const RunStep& step = run.steps[at];
      std::string words = step.client ? run.clients[*step.client] + ": " : std::string();
      words += step.what;
      if (!step.reply.empty()) words += " -> " + step.reply;
      if (!step.note.empty()) words += " (" + step.note + ")";
      if (!step.violates.empty()) words += ": violates " + step.violates;
      Json where =
          place(search, at < search.lines.size() ? search.lines[at] : std::optional<TaskLine>());
      where["message"] = {{"text", words}};
      const bool matters = !step.violates.empty() || !step.note.empty() || step.fault;
      locations.push_back({{"location", std::move(where)},
                           {"executionOrder", at + 1},
                           {"importance", !step.violates.empty() ? "essential"
                                          : matters              ? "important"
                                                                 : "unimportant"}});
    }
    return {{"threadFlows", Json::array({{{"locations", std::move(locations)}}})}};
  }

  std::string root_;
  Json rules_ = Json::array();
  Json results_ = Json::array();
  Json notifications_ = Json::array();
};

}  // namespace

namespace {

// Bytes that are no UTF-8 become U+FFFD.
std::string text_of(const Json& log) {
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_sarif(const std::vector<ReportedSearch>& searches,
                     std::string_view version,
                     std::string_view root) {
  SarifWriter writer(root);
  for (const ReportedSearch& search : searches) writer.add(search);
  return text_of(writer.log(version));
}

std::string merge_sarif(const std::vector<std::string>& logs) {
  SarifWriter writer("");
  for (const std::string& text : logs) {
    const Json log = Json::parse(text, nullptr, false);
    if (!log.is_discarded()) writer.add(log);
  }
  return text_of(writer.log(""));
}

}  // namespace interlock::sim
