// What a search has executed, beside the lines of the source: one page that needs nothing else.
#include <algorithm>
#include <cstdint>

#include "assets.hpp"
#include "columns.hpp"
#include "interlock/sim/draw.hpp"
#include "page_frame.hpp"
#include "svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

constexpr const char* seen_sign = "✓";
constexpr const char* never_sign = "✗";

bool has_never(const std::vector<CoveredOutcome>& outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const CoveredOutcome& one) { return !one.seen; });
}

// Those that no run had come last, each with a sign, a word and a colour.
std::string outcome_list(const std::vector<CoveredOutcome>& outcomes, bool only_never = false) {
  std::string text = "<ul class=\"outcomes\">";
  for (const bool seen : {true, false}) {
    if (seen && only_never) continue;
    for (const CoveredOutcome& outcome : outcomes) {
      if (outcome.seen != seen) continue;
      text += std::string("<li class=\"") + (seen ? "seen" : "never") + "\">" +
              (seen ? seen_sign : never_sign) + (seen ? " " : " never ") + xml(outcome.name) +
              "</li>";
    }
  }
  return text + "</ul>\n";
}

std::string clients_of(const CoveredOperation& operation) {
  std::string text;
  for (const std::string& client : operation.clients) text += (text.empty() ? "" : ", ") + client;
  if (!operation.task.empty()) text += ", task " + operation.task;
  return text;
}

std::string short_place(const CoveredOperation& operation) {
  if (operation.file.empty()) return {};
  return operation.file.substr(operation.file.rfind('/') + 1) + ":" +
         std::to_string(operation.line);
}

// Lines without their ends; tabs become blanks, as wide as a terminal shows them.
std::vector<std::string> lines_of_text(const std::string& text) {
  constexpr std::size_t tab = 8;
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    line.clear();
  };
  for (const char letter : text) {
    if (letter == '\n') {
      end_line();
    } else if (letter == '\t') {
      line.append(tab - columns(line) % tab, ' ');
    } else {
      line += letter;
    }
  }
  if (!line.empty()) end_line();
  return lines;
}

class CoveragePage {
 public:
  CoveragePage(const Verdict& verdict, const std::vector<SourceText>& sources)
      : verdict_(verdict), coverage_(verdict.coverage), sources_(sources) {
    files_ = coverage_.files();
    for (const CoveredOperation& operation : coverage_.operations) {
      tells_clients_ = tells_clients_ || clients_of(operation) != clients_of(first());
    }
  }

  std::string write() {
    std::string sections;
    for (std::size_t file = 0; file < files_.size(); ++file) sections += file_section(file);
    return page_beginning("Coverage of " + verdict_.scenario, coverage_style) + header() +
           legend() + sections + unplaced() + others("Locks", coverage_.sections) +
           others("Faults", coverage_.faults) + "</main>\n" + std::string(page_end);
  }

 private:
  using Operations = std::vector<const CoveredOperation*>;
  const CoveredOperation& first() const { return coverage_.operations.front(); }

  // --- above the source --------------------------------------------------------------------------
  std::string header() const {
    const std::size_t never = coverage_.outcomes() - coverage_.seen();
    return "<header>\n<h1>Coverage of " + xml(verdict_.scenario) + "</h1>\n" +
           page_paragraph(never == 0 && !coverage_.empty() ? "covered" : "outcome", sum(never)) +
           verdict_paragraph(verdict_) + never_list() + "</header>\n";
  }

  // How many outcomes no run had.
  std::string sum(std::size_t never) const {
    if (coverage_.empty()) return "Nothing was searched, so there is nothing to list.";
    std::string text = never == 0 ? seen_sign : never_sign;
    if (never == 0) {
      text += " Some run had each of the ";
    } else {
      text += " " + std::to_string(never) + " of ";
    }
    text += std::to_string(coverage_.outcomes()) + " outcomes";
    if (never > 0) text += never == 1 ? ": no run had it" : ": no run had them";
    if (verdict_.outcome == Outcome::violated) text += " until the violation was found";
    if (verdict_.outcome == Outcome::incomplete) text += " until the search ended";
    return text + ".";
  }

  // Each place at which an outcome never came, as a link to it.
  std::string never_list() const {
    std::string items;
    for (const CoveredOperation& operation : coverage_.operations) {
      if (!has_never(operation.outcomes)) continue;
      const std::string place = short_place(operation);
      items += "<li>" + (place.empty() ? std::string() : link(operation, place) + " ") +
               operation_words(operation) + outcome_list(operation.outcomes, true) + "</li>\n";
    }
    items += never_among("Locks", coverage_.sections) + never_among("Faults", coverage_.faults);
    if (items.empty()) return {};
    return "<nav aria-label=\"What no run had\">\n<ul class=\"missing\">\n" + items +
           "</ul>\n</nav>\n";
  }

  static std::string never_among(const char* title, const std::vector<CoveredOutcome>& outcomes) {
    if (!has_never(outcomes)) return {};
    return "<li><b>" + std::string(title) + "</b>" + outcome_list(outcomes, true) + "</li>\n";
  }

  std::string legend() const {
    if (coverage_.empty()) return {};
    return "<ul class=\"legend\">\n"
           "<li><span class=\"seen\">✓</span> some run had this outcome</li>\n"
           "<li><span class=\"never\">✗ never</span> no run had it</li>\n"
           "<li>no sign: no run met an operation at this line. The line has none, or no run "
           "came to it</li>\n</ul>\n";
  }

  std::string link(const CoveredOperation& operation, const std::string& words) const {
    return "<a href=\"#" + place_name(operation.file, operation.line) + "\">" + xml(words) + "</a>";
  }
  std::string place_name(const std::string& file, std::uint32_t line) const {
    const auto at = std::find(files_.begin(), files_.end(), file) - files_.begin();
    return "file-" + std::to_string(at + 1) + "-line-" + std::to_string(line);
  }

  std::string operation_words(const CoveredOperation& operation) const {
    std::string text;
    if (tells_clients_) text = "<span class=\"who\">" + xml(clients_of(operation)) + "</span> ";
    return text + "<b>" + xml(operation.what) + "</b>";
  }

  // --- the source --------------------------------------------------------------------------------
  Operations operations_at(const std::string& file, std::uint32_t line) const {
    Operations found;
    for (const CoveredOperation& operation : coverage_.operations) {
      if (operation.file == file && operation.line == line) found.push_back(&operation);
    }
    return found;
  }

  std::string file_section(std::size_t file) const {
    const std::string& name = files_[file];
    const auto source = std::find_if(sources_.begin(), sources_.end(),
                                     [&](const SourceText& one) { return one.file == name; });
    std::string text =
        "<section class=\"panel source\">\n<h2>" + xml(below_the_sources(name)) + "</h2>\n";
    if (source == sources_.end()) {
      return text +
             page_paragraph("small", "This file cannot be read here, so its lines are not shown.") +
             rows_without_text(name, 0) + "</section>\n";
    }
    const std::vector<std::string> lines = lines_of_text(source->text);
    text += stretches(name, lines);
    const std::string beyond = rows_without_text(name, static_cast<std::uint32_t>(lines.size()));
    if (!beyond.empty()) {
      text += page_paragraph("small",
                             "The file has changed since the program was built from it: it does "
                             "not have these lines any more.") +
              beyond;
    }
    return text + "</section>\n";
  }

  // The operations at the lines behind `line`.
  std::string rows_without_text(const std::string& file, std::uint32_t line) const {
    std::vector<std::uint32_t> numbers;
    for (const CoveredOperation& operation : coverage_.operations) {
      if (operation.file == file && operation.line > line) numbers.push_back(operation.line);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::string rows;
    for (const std::uint32_t number : numbers) rows += row(file, number, "");
    return rows;
  }

  // The lines around operations are shown, and long stretches between them are folded.
  std::string stretches(const std::string& file, const std::vector<std::string>& lines) const {
    constexpr std::size_t around = 4;
    constexpr std::size_t folded_least = 8;
    const std::size_t count = lines.size();
    std::vector<bool> near(count + 1, false);
    for (std::size_t line = 1; line <= count; ++line) {
      if (operations_at(file, static_cast<std::uint32_t>(line)).empty()) continue;
      const std::size_t from = line > around ? line - around : 1;
      for (std::size_t at = from; at <= std::min(line + around, count); ++at) near[at] = true;
    }
    std::string text;
    for (std::size_t from = 1; from <= count;) {
      std::size_t end = from;
      std::string rows;
      for (; end <= count && near[end] == near[from]; ++end) {
        rows += row(file, static_cast<std::uint32_t>(end), lines[end - 1]);
      }
      const bool folds = !near[from] && end - from >= folded_least;
      text += folds ? "<details><summary>Lines " + std::to_string(from) + " to " +
                          std::to_string(end - 1) + "</summary>\n" + rows + "</details>\n"
                    : rows;
      from = end;
    }
    return text;
  }

  std::string row(const std::string& file, std::uint32_t line, const std::string& text) const {
    const Operations here = operations_at(file, line);
    const std::string number = std::to_string(line);
    if (here.empty()) {
      return "<div class=\"line\"><span class=\"number\">" + number +
             "</span><span class=\"sign\"></span><code>" + xml(text) + "</code></div>\n";
    }
    const bool misses = std::any_of(here.begin(), here.end(),
                                    [](const auto* one) { return has_never(one->outcomes); });
    std::string answers;
    for (const CoveredOperation* operation : here) {
      answers += "<div class=\"operation\">" + operation_words(*operation) +
                 outcome_list(operation->outcomes) + "</div>";
    }
    return std::string("<div class=\"line ") + (misses ? "misses" : "met") + "\" id=\"" +
           place_name(file, line) + "\"><span class=\"number\">" + number +
           "</span><span class=\"sign\">" + (misses ? never_sign : seen_sign) + "</span><code>" +
           xml(text) + "</code><div class=\"answers\">" + answers + "</div></div>\n";
  }

  // --- what has no line --------------------------------------------------------------------------
  std::string unplaced() const {
    std::string rows;
    for (const CoveredOperation& operation : coverage_.operations) {
      if (!operation.file.empty()) continue;
      rows += "<div class=\"operation\">" + operation_words(operation) +
              outcome_list(operation.outcomes) + "</div>\n";
    }
    if (rows.empty()) return {};
    return "<section class=\"panel\">\n<h2>Operations</h2>\n" +
           page_paragraph("small",
                          "Their source lines are not known: interlock sees what a command asks "
                          "the store for, and not its source.") +
           rows + "</section>\n";
  }

  static std::string others(const char* title, const std::vector<CoveredOutcome>& outcomes) {
    if (outcomes.empty()) return {};
    return "<section class=\"panel\">\n<h2>" + std::string(title) + "</h2>\n" +
           outcome_list(outcomes) + "</section>\n";
  }

  const Verdict& verdict_;
  const Coverage& coverage_;
  const std::vector<SourceText>& sources_;
  std::vector<std::string> files_;
  bool tells_clients_ = false;  // several programs or tasks have operations
};

}  // namespace
}  // namespace draw

std::string below_the_sources(std::string_view file) {
  for (;;) {
    const std::size_t dots = file.starts_with("./") ? 2 : file.starts_with("../") ? 3 : 0;
    if (dots == 0) return std::string(file);
    file.remove_prefix(dots);
  }
}

std::string draw_coverage_page(const Verdict& verdict, const std::vector<SourceText>& sources) {
  return draw::CoveragePage(verdict, sources).write();
}

}  // namespace interlock::sim
