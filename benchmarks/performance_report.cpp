// usage: performance_report NAME RESULTS PICTURE
//
// What scripts/performance writes into docs/performance.md: reads what benchmark NAME printed with
// --json (several runs one after the other are one result each), prints its section as Markdown
// with a link to the picture, and draws it into PICTURE.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "chart.hpp"
#include "figures.hpp"

namespace {

using interlock::benchmark::Bar;
using interlock::benchmark::BarChart;
using interlock::benchmark::brief;
using interlock::benchmark::number;
using interlock::benchmark::Panel;
using interlock::benchmark::Spread;
using interlock::benchmark::spread;
using nlohmann::json;
using Runs = std::vector<json>;

Spread spread_of(const json& value) {
  Spread spread;
  spread.median = value.at("median");
  spread.lowest = value.at("min");
  spread.highest = value.at("max");
  return spread;
}

std::string text(const Spread& figures, double factor = 1) {
  return brief(figures.median * factor) + " (" + brief(figures.lowest * factor) + " to " +
         brief(figures.highest * factor) + ")";
}

Bar bar(const Spread& figures, const std::string& beside) {
  Bar bar(figures.median, beside);
  bar.lowest = figures.lowest;
  bar.highest = figures.highest;
  return bar;
}

void row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  std::printf("%s\n", line.c_str());
}

// The first column is words, the others are figures.
void head(const std::vector<std::string>& names) {
  row(names);
  std::string line = "|---|";
  for (std::size_t at = 1; at < names.size(); ++at) line += "--:|";
  std::printf("%s\n", line.c_str());
}

// --- one benchmark each --------------------------------------------------------------------------

BarChart uncontended(const Runs& runs) {
  const json& run = runs.back();
  BarChart chart("Uncontended",
                 "Acquire and release of a lock that nobody else wants, one connection",
                 {Panel("microseconds a pair", Panel::Scale::linear),
                  Panel("time as a multiple of raw hiredis", Panel::Scale::linear)});
  chart.legend("interlock", "interlock");
  chart.legend("hiredis", "raw hiredis, the same commands");
  // Not everything is measured over the slower network.
  const auto cell = [](const json& from, const std::string& field) {
    return from.contains(field) ? text(spread_of(from.at(field))) : std::string();
  };
  const std::string slower = "TCP, each message delayed by 200 us";
  head({"a pair of acquire and release, us", "TCP", "unix socket", slower});
  const auto line = [&](const char* what, const char* field) {
    row({what, cell(run.at("tcp"), field), cell(run.at("unix"), field),
         cell(run.at("delayed"), field)});
  };
  line("raw hiredis: the same two EVALSHA", "raw_us");
  line("interlock, blocking", "interlock_us");
  line("interlock, blocking, the guard is dropped", "dropped_us");
  line("raw hiredis: the two EVALSHA of an unfair lock", "raw_unfair_us");
  line("interlock, blocking, unfair", "interlock_unfair_us");
  line("bare: SET NX PX and compare-and-delete", "bare_us");
  line("interlock, 64 in flight", "in_flight_us");
  line("of that the client's processor time", "in_flight_client_cpu_us");
  line("and the server's", "in_flight_server_cpu_us");
  line("interlock, 64 in flight, unfair", "in_flight_unfair_us");
  line("of that the client's processor time", "in_flight_unfair_client_cpu_us");
  line("and the server's", "in_flight_unfair_server_cpu_us");
  line("raw hiredis, unfair, 64 in flight, 32 to a command", "raw_joined_us");
  std::printf("\n");
  head({"ratio", "TCP", "unix socket", slower});
  const auto ratio = [&](const char* what, const std::string& field) {
    const json& ratios = run.at("ratios");
    row({what, cell(ratios, "tcp_" + field), cell(ratios, "unix_" + field),
         cell(ratios, "delayed_" + field)});
  };
  ratio("time of interlock, blocking : raw", "acquire_release_over_raw");
  ratio("time of interlock, blocking : bare", "acquire_release_over_set_nx");
  ratio("time of interlock, the guard is dropped : bare", "dropped_over_set_nx");
  ratio("rate with dropped guards : released", "released_over_dropped");
  ratio("time of interlock, blocking, unfair : bare", "unfair_over_set_nx");
  ratio("rate of 64 in flight : blocking", "in_flight_64_over_blocking");
  ratio("the same, unfair", "unfair_in_flight_64_over_blocking");
  for (const char* transport : {"tcp", "unix"}) {
    const json& figures = run.at(transport);
    const std::string on = std::string(", ") + transport;
    const double raw = figures.at("raw_us").at("median");
    const auto add = [&](const std::string& what, const char* kind, const char* field) {
      const Spread us = spread_of(figures.at(field));
      chart.row(what + on, kind,
                {bar(us, brief(us.median) + " us"), Bar(us.median / raw, brief(us.median / raw))});
    };
    add("raw hiredis", "hiredis", "raw_us");
    add("interlock, blocking", "interlock", "interlock_us");
    add("interlock, 64 in flight", "interlock", "in_flight_us");
  }
  return chart;
}

BarChart contention(const Runs& runs) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, std::vector<double>>> figures;
  for (const json& run : runs) {
    std::string name = run.at("lock").get<std::string>() + ", " +
                       std::to_string(run.at("processes").get<int>()) + " process" +
                       (run.at("processes") == 1 ? "" : "es");
    if (run.at("lock") == "queue-lock") {
      const int hand_over = run.at("hand_over");
      name += hand_over > 1 ? ", hands over " + std::to_string(hand_over) : ", no handing over";
    }
    if (!figures.contains(name)) order.push_back(name);
    auto& of = figures[name];
    of["share"].push_back(run.at("ideal_rate_share"));
    of["commands"].push_back(run.at("commands_per_section"));
    of["server"].push_back(run.at("server_cpu_us_per_section"));
    of["hand_off"].push_back(run.at("hand_off_us").at("p50"));
    of["hand_off_p99"].push_back(run.at("hand_off_us").at("p99"));
    of["wait"].push_back(run.at("wait_ms").at("max"));
    of["differ"].push_back(run.at("wait_ms").at("sd_over_mean"));
    of["jain"].push_back(run.at("jain_index"));
    of["overlaps"].push_back(run.at("overlaps"));
  }
  const json& any = runs.front();
  BarChart chart("Contention",
                 std::to_string(any.at("clients").get<int>()) + " clients, one lock, sections of " +
                     json(any.at("section_ms")).dump() + " ms",
                 {Panel("rate, share of the ideal", Panel::Scale::linear, " %", 100),
                  Panel("server commands for one section (log scale)", Panel::Scale::logarithmic),
                  Panel("hand-off, slowest hundredth, us (log scale)", Panel::Scale::logarithmic)});
  chart.legend("interlock", "interlock");
  chart.legend("hiredis", "a loop over SET NX PX");
  head({"lock", "of the ideal rate, %", "commands a section", "server CPU us a section",
        "hand-off us, p50", "p99", "longest wait ms", "waits differ", "fairness", "overlaps"});
  for (const std::string& name : order) {
    auto& of = figures[name];
    const Spread share = spread(of["share"]);
    const Spread commands = spread(of["commands"]);
    const Spread slow = spread(of["hand_off_p99"]);
    row({name, text(share, 100), text(commands), text(spread(of["server"])),
         text(spread(of["hand_off"])), text(slow), text(spread(of["wait"])),
         text(spread(of["differ"])), brief(spread(of["jain"]).median),
         number(spread(of["overlaps"]).highest, 0)});
    chart.row(name, name.starts_with("plain") ? "hiredis" : "interlock",
              {bar(share, brief(share.median * 100) + " %"), bar(commands, brief(commands.median)),
               bar(slow, brief(slow.median))});
  }
  return chart;
}

BarChart in_flight(const Runs& runs) {
  BarChart chart("In flight", "Locks in flight on one connection, unix socket",
                 {Panel("thousands of pairs a second", Panel::Scale::linear, "", 0.001),
                  Panel("peak memory, bytes for each lock", Panel::Scale::linear)});
  chart.legend("interlock", "interlock");
  chart.legend("hiredis", "raw hiredis");
  head({"lock", "in flight", "pairs/s", ": blocking", ": raw, a command each",
        ": raw, 32 to a command", "client CPU us a pair", "server CPU us a pair"});
  for (const json& run : runs) {
    const std::string lock = run.at("lock");
    for (const json& one : run.at("in_flight")) {
      const std::string locks = std::to_string(one.at("locks").get<int>());
      const Spread rate = spread_of(one.at("pairs_per_second"));
      row({lock, locks, text(rate), text(spread_of(one.at("over_blocking"))),
           text(spread_of(one.at("over_raw"))), text(spread_of(one.at("over_raw_joined"))),
           text(spread_of(one.at("client_cpu_us_per_pair"))),
           text(spread_of(one.at("server_cpu_us_per_pair")))});
      const double bytes = one.at("peak_bytes_per_lock");
      chart.row(locks + ", " + lock, "interlock",
                {bar(rate, brief(rate.median / 1000) + " k/s"), Bar(bytes, number(bytes, 0))});
      if (&run != &runs.back()) continue;
      const Spread raw = spread_of(one.at("raw_joined_pairs_per_second"));
      chart.row(locks + ", raw, 32 to a command", "hiredis",
                {bar(raw, brief(raw.median / 1000) + " k/s")});
    }
  }
  std::printf("\n");
  head({"lock", "in flight", "peak memory, kB: all claims sent and none answered",
        "after the first round", "after the last", "bytes a lock"});
  for (const json& run : runs) {
    for (const json& one : run.at("in_flight")) {
      const auto figure = [&](const char* field) { return number(one.at(field), 0); };
      row({run.at("lock").get<std::string>(), std::to_string(one.at("locks").get<int>()),
           figure("peak_kb_after_silence"), figure("peak_kb_after_first_round"), figure("peak_kb"),
           figure("peak_bytes_per_lock")});
    }
  }
  return chart;
}

BarChart script_parts(const Runs& runs) {
  const json& rows = runs.back().at("rows");
  BarChart chart("What a script costs",
                 "Processor time of the server for a pair of claim and release",
                 {Panel("microseconds", Panel::Scale::linear)});
  chart.legend("interlock", "the scripts that interlock sends");
  const auto table = [&](const char* kind, const char* title) {
    head({title, "us"});
    for (const json& one : rows) {
      if (one.at("kind") == kind) row({one.at("name"), text(spread_of(one.at("us")))});
    }
  };
  table("part", "part of a script");
  std::printf("\n");
  table("command", "command, 64 sent at once");
  std::printf("\n");
  table("pair", "claim and release of 64 locks");
  std::printf("\n");
  head({"claim and release of a lock that several have", "us", "over a fair lock that one has"});
  for (const json& one : rows) {
    if (one.at("kind") != "group") continue;
    row({one.at("name"), text(spread_of(one.at("us"))), text(spread_of(one.at("over_fair_pair")))});
  }
  for (const json& one : rows) {
    if (one.at("kind") != "pair") continue;
    const Spread us = spread_of(one.at("us"));
    chart.row(one.at("name"), "interlock", {bar(us, brief(us.median) + " us")});
  }
  return chart;
}

BarChart renewal(const Runs& runs) {
  const json& run = runs.back();
  BarChart chart("Renewal",
                 std::to_string(run.at("leases").get<int>()) + " leases of " +
                     brief(run.at("ttl_ms").get<double>() / 1000) + " s, renewed by one engine",
                 {Panel("share of a core", Panel::Scale::linear, " %", 100)});
  chart.legend("interlock", "the client");
  chart.legend("hiredis", "redis-server");
  head({"figure", "value"});
  row({"renewals a second", text(spread_of(run.at("renewals_per_second")))});
  row({"commands a second", text(spread_of(run.at("commands_per_second")))});
  row({"a renewal's round trip, us", text(spread_of(run.at("renewal_took_us")))});
  row({"of a core, client, %", text(spread_of(run.at("client_core_share")), 100)});
  row({"of a core, server, %", text(spread_of(run.at("server_core_share")), 100)});
  for (const auto& [what, field] : std::vector<std::pair<const char*, const char*>>{
           {"late", "late"},
           {"lost", "lost"},
           {"errors", "errors"},
           {"released", "released"},
           {"renewals after the releases", "renewals_after_release"},
           {"commands after the releases", "commands_after_release"}}) {
    row({what, std::to_string(run.at(field).get<int>())});
  }
  for (const char* who : {"client", "server"}) {
    const Spread share = spread_of(run.at(std::string(who) + "_core_share"));
    chart.row(who, std::string(who) == "client" ? "interlock" : "hiredis",
              {bar(share, brief(share.median * 100) + " %")});
  }
  return chart;
}

BarChart program(const Runs& runs) {
  const json& run = runs.back();
  BarChart chart("The program", "Whole processes, one after the other",
                 {Panel("milliseconds", Panel::Scale::linear),
                  Panel("processor time, milliseconds", Panel::Scale::linear)});
  chart.legend("interlock", "interlock");
  chart.legend("hiredis", "other programs");
  head({"command", "wall ms", "processor ms", "wall : flock", "processor : flock"});
  for (const json& one : run.at("runs")) {
    const std::string name = one.at("command");
    const Spread wall = spread_of(one.at("wall_ms"));
    const Spread cpu = spread_of(one.at("cpu_ms"));
    row({name, text(wall), text(cpu), brief(spread_of(one.at("wall_over_flock")).median),
         brief(spread_of(one.at("cpu_over_flock")).median)});
    chart.row(name, name.starts_with("interlock") ? "interlock" : "hiredis",
              {bar(wall, brief(wall.median) + " ms"), bar(cpu, brief(cpu.median) + " ms")});
  }
  std::printf("\n");
  const std::string all = std::to_string(run.at("waiters").get<int>());
  head({"waiting", "memory of one, kB", "and of its watcher",
        "context switches a second, all " + all, "of a core, all, %"});
  for (const auto& [store, figures] : run.at("waiting").items()) {
    row({store, text(spread_of(figures.at("resident_kb"))),
         text(spread_of(figures.at("watcher_resident_kb"))),
         brief(figures.at("context_switches_per_second")),
         brief(figures.at("core_share").get<double>() * 100)});
  }
  return chart;
}

// `clients=4` as `4 clients`.
std::string in_words(const std::string& search) {
  std::string words;
  std::istringstream rest(search);
  for (std::string word; rest >> word;) {
    const auto equals = word.find('=');
    const bool names = equals != std::string::npos;
    if (!words.empty()) words += ", ";
    if (!names) {
      words += word;
      continue;
    }
    const std::string count = word.substr(equals + 1);
    std::string what = word.substr(0, equals);
    if (count == "1" && what.ends_with('s')) what.pop_back();
    words += count + " " + what;
  }
  return words;
}

BarChart explorer(const Runs& runs) {
  BarChart chart("Explorer", "Exhaustive searches",
                 {Panel("states of the search (log scale)", Panel::Scale::logarithmic),
                  Panel("states a second", Panel::Scale::linear, " M", 1e-6)});
  chart.legend("interlock", "proved");
  chart.legend("hiredis", "a violation was found");
  std::set<std::string> drawn;
  head({"search", "verdict", "states", "transitions", "seconds", "states/s", "transitions/s",
        "bytes a state"});
  for (const json& run : runs) {
    const std::string name = run.at("name");
    row({name, run.at("outcome"), number(run.at("states"), 0), number(run.at("transitions"), 0),
         number(run.at("seconds"), 4), number(run.at("states_per_second"), 0),
         number(run.at("transitions_per_second"), 0), number(run.at("bytes_per_state"), 0)});
    // A search that takes less than that says nothing about a rate.
    if (run.at("seconds") < 0.05) continue;
    // Some stand in two series of the table.
    if (!drawn.insert(name).second) continue;
    const double states = run.at("states");
    const double rate = run.at("states_per_second");
    chart.row(in_words(name), run.at("outcome") == "proved" ? "interlock" : "hiredis",
              {Bar(states, number(states, 0)), Bar(rate, brief(rate / 1e6) + " M")});
  }
  return chart;
}

BarChart random_runs(const Runs& runs) {
  BarChart chart("Random runs", "How many runs of --random and --pct the simulator takes",
                 {Panel("runs a second (log scale)", Panel::Scale::logarithmic),
                  Panel("steps a second", Panel::Scale::linear, " M", 1e-6)});
  chart.legend("interlock", "interlock");
  head({"runs of", "runs", "steps", "seconds", "runs/s", "steps/s"});
  for (const json& run : runs) {
    const std::string name = run.at("name");
    const double rate = run.at("runs_per_second");
    const double steps = run.at("steps_per_second");
    row({name, number(run.at("runs"), 0), number(run.at("steps"), 0), number(run.at("seconds"), 4),
         number(rate, 0), number(steps, 0)});
    chart.row(in_words(name), "interlock",
              {Bar(rate, number(rate, 0)), Bar(steps, brief(steps / 1e6) + " M")});
  }
  return chart;
}

Runs read(const std::string& path) {
  std::ifstream file(path);
  Runs runs;
  // Objects one after the other, each over as many lines as it likes.
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at] == '{' && depth++ == 0) from = at;
    if (all[at] == '}' && --depth == 0)
      runs.push_back(json::parse(all.substr(from, at - from + 1)));
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::pair<std::string, BarChart (*)(const Runs&)>> sections{
      {"uncontended", uncontended},   {"contention", contention},  {"in_flight", in_flight},
      {"script_parts", script_parts}, {"renewal", renewal},        {"program", program},
      {"explorer", explorer},         {"random_runs", random_runs}};
  const auto section = std::find_if(sections.begin(), sections.end(), [&](const auto& one) {
    return argc == 4 && one.first == argv[1];
  });
  if (section == sections.end()) {
    std::fprintf(stderr,
                 "usage: performance_report NAME RESULTS PICTURE\n"
                 "  names: uncontended, contention, in_flight, script_parts, renewal,\n"
                 "  program, explorer, random_runs\n");
    return 64;
  }
  const Runs runs = read(argv[2]);
  if (runs.empty()) {
    std::fprintf(stderr, "performance_report: no results in %s\n", argv[2]);
    return 65;
  }
  const BarChart chart = section->second(runs);
  std::ofstream(argv[3]) << chart.svg();
  std::printf("\n![%s](images/performance-%s.svg)\n", chart.alternative().c_str(), argv[1]);
  return 0;
}
