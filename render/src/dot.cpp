// A graph of states for Graphviz.
#include <map>
#include <utility>

#include "columns.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/state_graph.hpp"

namespace interlock::sim {
namespace {

// Inside a quoted string of DOT, each line ending with `end`: `\l` is a line to the left, `\n` one
// in the middle.
std::string dot_lines(const std::vector<std::string>& lines, const char* end) {
  std::string text;
  for (const std::string& line : lines) {
    for (const char byte : draw::printable(line, false)) {
      if (byte == '"' || byte == '\\') text += '\\';
      text += byte;
    }
    text += end;
  }
  return text;
}

std::string dot_node(const GraphNode& node, std::size_t number) {
  std::vector<std::string> lines = node.lines;
  if (node.states > 1) lines.push_back("(" + std::to_string(node.states) + " states)");
  if (!node.violates.empty()) lines.push_back("VIOLATES " + node.violates);
  std::string style = node.inside.empty() ? "rounded" : "rounded,filled";
  if (number == 0) style += ",bold";
  std::string text = "  n" + std::to_string(number) + " [label=\"" + dot_lines(lines, "\\l") +
                     "\", style=\"" + style + "\"";
  if (!node.violates.empty()) text += ", color=\"#c00000\", fontcolor=\"#c00000\"";
  if (node.ends && node.violates.empty()) text += ", peripheries=2";
  return text + "];\n";
}

std::string words_of(const GraphEdge& edge) {
  std::string words = edge.mover == "world" ? edge.what : edge.mover + " " + edge.what;
  if (!edge.reply.empty()) words += " -> " + edge.reply;
  if (edge.steps > 1) words += " (" + std::to_string(edge.steps) + ")";
  return words;
}

// All steps between two nodes.
class Arrow {
 public:
  void add(const GraphEdge& edge) {
    constexpr std::size_t most = 4;
    if (lines_.size() < most) {
      lines_.push_back(words_of(edge));
    } else {
      ++more_;
    }
    only_faults_ = only_faults_ && edge.fault;
  }
  std::string attributes() const {
    std::vector<std::string> lines = lines_;
    if (more_ > 0) lines.push_back("and " + std::to_string(more_) + " more");
    return "[label=\"" + dot_lines(lines, "\\n") + "\"" + (only_faults_ ? ", style=dashed" : "") +
           "]";
  }

 private:
  std::vector<std::string> lines_;
  std::size_t more_ = 0;
  bool only_faults_ = true;
};

}  // namespace

std::string draw_dot(const StateGraph& graph) {
  std::string title = graph.scenario + ": " + std::to_string(graph.states) + " states, " +
                      std::to_string(graph.steps) + " steps";
  if (!graph.merged_by.empty()) title += ", merged by " + graph.merged_by;
  std::string text = "digraph states {\n  label=\"" + dot_lines({title, graph.bounds}, "\\n") +
                     "\";\n  node [shape=box, fontname=\"monospace\", fillcolor=\"#f4e3b2\"];\n"
                     "  edge [fontname=\"monospace\"];\n";
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    text += dot_node(graph.nodes[node], node);
  }
  std::map<std::pair<std::size_t, std::size_t>, Arrow> arrows;
  for (const GraphEdge& edge : graph.edges) arrows[{edge.from, edge.to}].add(edge);
  for (const auto& [ends, arrow] : arrows) {
    text += "  n" + std::to_string(ends.first) + " -> n" + std::to_string(ends.second) + " " +
            arrow.attributes() + ";\n";
  }
  return text + "}\n";
}

}  // namespace interlock::sim
