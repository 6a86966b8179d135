// interlock graph: the states of a small scenario and the steps between them.
#include <fmt/format.h>

#include <array>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/state_graph.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/search_flags.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"
#include "system/output_file.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

constexpr std::uint64_t usual_states = 100'000;
constexpr std::uint64_t usual_nodes = 500;

Explanation explanation() {
  Explanation all;
  all.text = R"(SCENARIO is a name from interlock scenarios. Each state is a node, each step that
is possible there an arrow. What follows a violation is left out. Identical
clients are told apart, so there are more states than interlock explore counts.

A graph of more than some dozens of states cannot be read. --merge-by says what
matters: states that look alike then are one node, with the number of states in
it, and arrows say how many steps are one. LIST is one or more of

  keys        the store's keys and how long they stay
  values      the store's keys, but not how long they stay
  beliefs     which client believes that it holds which lock
  clients     where each client is: the request or wait that comes next
  A, B, ...   where this client is
  time, faults, resources

More than 500 nodes are refused, and a search of more than 100000 states, unless
--max-nodes or --max-states says otherwise (2).

A graph of merged states may have ways that no run takes: a step from one of the
states of a node, followed by one from another.

In the picture the first node is bold, a node without a way on has two frames, a
node with a client inside is filled, a violation is red, a fault is dashed.
)";
  all.exits = and_usual(
      {{"0", "the graph is written"}, {"2", "it is too large, or a limit was reached first"}},
      {usage, operating_system});
  all.examples = {{"All states of the best-known race, as a picture",
                   "interlock graph del-setnx-lock --instants 1 | dot -Tsvg > states.svg"},
                  {"Who holds what, and what the store has",
                   "interlock graph stamp-lock --merge-by values,beliefs"},
                  {"For a program", "interlock graph stamp-lock --merge-by beliefs -f json"}};
  all.see_also = "interlock-explore(1), interlock-play(1), dot(1)";
  return all;
}

class GraphFormat {
 public:
  std::string_view name;
  std::string (*written)(const sim::StateGraph& graph);
};
// The first one is the default.
constexpr std::array graph_formats{
    GraphFormat{"dot", sim::draw_dot},
    GraphFormat{"json", [](const sim::StateGraph& graph) { return sim::to_json(graph) + "\n"; }},
};

std::vector<std::string> graph_format_names() {
  std::vector<std::string> names;
  names.reserve(graph_formats.size());
  for (const GraphFormat& format : graph_formats) names.emplace_back(format.name);
  return names;
}

// What `--merge-by` may be; with the scenario's clients if it was typed before.
Suggestions view_names() {
  return Suggestions([](const TypedWords& typed) {
    const auto* const entry =
        typed.operands.empty() ? nullptr : sim::catalogue::find(typed.operands.front());
    const sim::Scenario scenario = entry == nullptr ? sim::Scenario("none") : entry->make({});
    std::vector<SuggestedWord> all;
    for (const std::string& word : sim::state_view_words(scenario)) all.push_back({word, {}});
    return next_of_list(typed.begun, ",", all);
  });
}

class GraphFlags {
 public:
  void add_to(Flags& flags) {
    search.add_to(flags);
    flags.value(0, "merge-by", "LIST", &merge_by, "what to look at: values, beliefs, A, ...")
        .suggested = view_names();
    flags.value(
        0, "max-nodes", "N", &max_nodes,
        fmt::format("give up if the graph has more than N nodes (default: {})", usual_nodes));
    flags
        .value('f', "format", "FORMAT", &format,
               fmt::format("{} (default: {})", fmt::join(graph_format_names(), ", "),
                           graph_formats.front().name))
        .suggested = Suggestions(graph_format_names());
    flags
        .value('o', "output", "FILE", &output,
               "write to FILE, all or nothing, instead of to standard output")
        .suggested = Suggestions::files();
  }

  Fallible<const GraphFormat*> chosen_format() const {
    for (const GraphFormat& known : graph_formats) {
      if (!format || format->text == known.name) return &known;
    }
    return Failure(usage, fmt::format("{} is no format; write one of {}", format->said(),
                                      fmt::join(graph_format_names(), ", ")));
  }

  Fallible<sim::StateGraphOptions> options(const sim::Scenario& scenario) const {
    sim::StateGraphOptions options;
    const auto limits = search.limits();
    if (!limits) return limits.error();
    options.states = search.max_states ? limits->states : usual_states;
    options.nodes = usual_nodes;
    if (max_nodes) {
      const auto number = parse_number(*max_nodes, "--max-nodes 500");
      if (!number) return number.error();
      options.nodes = static_cast<std::size_t>(*number);
    }
    if (!merge_by) return options;
    auto view = sim::state_view(scenario, merge_by->text);
    if (!view) {
      return Failure(merge_by->fault_code(),
                     fmt::format("{}: {}", merge_by->name, view.error().detail()));
    }
    options.merge_by = std::move(*view);
    return options;
  }

  SearchFlags search;
  std::optional<Given> merge_by;
  std::optional<Given> max_nodes;
  std::optional<Given> format;
  std::optional<Given> output;
};

int graph(const Invocation& given) {
  GraphFlags wanted;
  Flags flags("graph [flags] SCENARIO",
              "Writes the states of SCENARIO and the steps between them as a graph.");
  wanted.add_to(flags);
  flags.operand("SCENARIO", scenario_names());
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no scenario given: see interlock scenarios"));
  }
  const auto format = wanted.chosen_format();
  if (!format) return fail(format.error());
  const auto seconds = wanted.search.seconds();
  if (!seconds) return fail(seconds.error());
  const auto chosen = choose_scenario(arguments->operands.front(), wanted.search.options({}));
  if (!chosen) return fail(chosen.error());
  auto options = wanted.options(chosen->scenario);
  if (!options) return fail(options.error());
  ignore_broken_pipes();
  SearchWatch watch(*seconds);
  options->proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  auto graph = sim::state_graph(chosen->scenario, *options);
  watch.wipe();
  if (!graph && !watch.reason().empty()) {
    return fail(Failure(undecided, "no graph: " + watch.reason()));
  }
  if (!graph) return fail(Failure(usage, "no graph: " + graph.error().detail()));
  if (!graph->too_large.empty()) {
    return fail(Failure(undecided, fmt::format("no graph: {} (--merge-by, --max-nodes, "
                                               "--max-states)",
                                               graph->too_large)));
  }
  if (wanted.merge_by) graph->merged_by = wanted.merge_by->text;
  return write_output(wanted.output ? wanted.output->text : "-", (*format)->written(*graph));
}

}  // namespace

extern const Command graph_command;
const Command graph_command{"graph [flags] SCENARIO", "the states of a small scenario as a graph",
                            graph};

}  // namespace interlock::cli
