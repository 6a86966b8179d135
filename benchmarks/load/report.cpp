#include "report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "../chart.hpp"

namespace interlock::load {
namespace {

using benchmark::brief;
using benchmark::number;

std::string percent(double share) {
  return number(share * 100, share < 0.0995 ? 1 : 0) + " %";
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string bounds(const Setting& setting) {
  return std::to_string(setting.clients) + " clients, " + std::to_string(setting.sections) +
         " sections of " + std::to_string(setting.section / milliseconds{1}) +
         " ms in all, one lock, at most " + std::to_string(setting.most / std::chrono::seconds{1}) +
         " s each";
}

constexpr const char* legend =
    R"(ideal: of the rate without any lock. fair: Jain's index over sections a client;
1 is even. commands, CPU ms: of the server, for a section. left: clients still
waiting at the end. two: sections that began while another client was inside.
)";

using Rows = std::vector<std::vector<std::string>>;

Rows rates(const std::vector<Figures>& all, std::vector<std::string> names) {
  Rows rows{std::move(names)};
  for (const Figures& one : all) {
    rows.push_back({one.lock, one.waits, brief(one.rate), percent(one.share), number(one.jain, 2),
                    brief(one.commands_per_section), brief(one.server_ms_per_section),
                    std::to_string(one.given_up), std::to_string(one.collisions)});
  }
  return rows;
}

Rows waits(const std::vector<Figures>& all) {
  Rows rows{{"lock", "waits", "acquire p50", "p99", "max", "release p50", "p99", "max"}};
  for (const Figures& one : all) {
    rows.push_back({one.lock, one.waits, brief(one.acquire.p50), brief(one.acquire.p99),
                    brief(one.acquire.max), brief(one.release.p50), brief(one.release.p99),
                    brief(one.release.max)});
  }
  return rows;
}

std::string plain(const Rows& rows, const std::vector<std::size_t>& widths) {
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      line += at < 2 ? left(row[at], widths[at]) : right(row[at], widths[at]);
    }
    text += line + "\n";
  }
  return text;
}

std::string marked(const Rows& rows) {
  std::string text;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    text += "|";
    for (const std::string& cell : rows[at]) text += " " + cell + " |";
    text += "\n";
    if (at > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < rows[at].size(); ++column) {
      text += column < 2 ? "---|" : "--:|";
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json json_of(const Times& times) {
  return {{"p50", times.p50}, {"p99", times.p99}, {"max", times.max}};
}

}  // namespace

std::string as_table(const std::vector<Figures>& all, const Setting& setting) {
  const Rows first =
      rates(all, {"lock", "waits", "per s", "ideal", "fair", "commands", "CPU ms", "left", "two"});
  return bounds(setting) + "\n\n" + plain(first, {21, 10, 7, 8, 6, 10, 8, 5, 5}) + legend +
         "\nmilliseconds\n" + plain(waits(all), {21, 10, 12, 7, 6, 12, 6, 6});
}

std::string as_markdown(const std::vector<Figures>& all, const Setting& setting) {
  const Rows first = rates(all, {"lock", "waits", "sections/s", "of ideal", "fairness",
                                 "server commands", "server CPU ms", "unserved", "two inside"});
  return bounds(setting) + ".\n\n" + marked(first) + "\nIn milliseconds:\n\n" + marked(waits(all));
}

std::string as_json(const std::vector<Figures>& all, const Setting& setting) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Figures& one : all) {
    rows.push_back({{"lock", one.lock},
                    {"between_tries", one.waits},
                    {"kind", one.who},
                    {"seconds", one.seconds},
                    {"sections", one.sections},
                    {"unserved", one.given_up},
                    {"two_inside", one.collisions},
                    {"sections_per_second", one.rate},
                    {"share_of_ideal", one.share},
                    {"section_ms", one.section_ms},
                    {"acquire_ms", json_of(one.acquire)},
                    {"release_ms", json_of(one.release)},
                    {"jain", one.jain},
                    {"commands_per_section", one.commands_per_section},
                    {"server_cpu_ms_per_section", one.server_ms_per_section},
                    {"server_cpu_of_a_core", one.server_share},
                    {"clients_cpu_of_a_core", one.clients_share}});
  }
  const nlohmann::ordered_json all_of_it = {
      {"v", 1},
      {"benchmark", "load"},
      {"clients", setting.clients},
      {"sections", setting.sections},
      {"section_ms", setting.section / milliseconds{1}},
      {"seconds_most", setting.most / std::chrono::seconds{1}},
      {"locks", std::move(rows)}};
  return all_of_it.dump(2) + "\n";
}

}  // namespace interlock::load
