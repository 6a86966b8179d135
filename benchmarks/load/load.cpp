// What locks cost under load: many clients, one lock, short sections. A program of its own and not
// a part of `interlock`, because it links locks that nobody should use, drives hiredis by hand for
// comparison, and starts a server whose figures are then its own.
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "interlock/detail/number.hpp"
#include "report.hpp"
#include "support/redis_server.hpp"

namespace {

using namespace interlock::load;

constexpr const char* usage =
    R"(usage: load [flags]
  --clients N     processes that want the lock (100)
  --sections N    in all (1000)
  --section MS    how long a section lasts (5)
  --seconds S     a lock's run ends after so many (20)
  --only TEXT     only locks with TEXT in their name; may be repeated
  --repaired      the repaired twins of the source locks, too
  --json          one JSON object instead of the tables
  --markdown      tables for a document
  --svg FILE      a picture as well
Starts a redis-server of its own. Exit code 0; 64 if the command line is wrong, 70 if a run failed.
)";

class Wishes {
 public:
  Setting setting;
  std::vector<std::string> only;
  bool repaired = false;
  bool json = false;
  bool markdown = false;
  std::string svg;
};

int parse_number(std::string_view flag, std::string_view text) {
  const auto number = interlock::detail::parse_number<int>(text);
  if (!number || *number < 1) {
    throw std::invalid_argument(std::string(flag) + " wants a number from 1 on");
  }
  return *number;
}

Wishes parse(int argc, char** argv) {
  Wishes wishes;
  for (int at = 1; at < argc; ++at) {
    const std::string_view flag = argv[at];
    const auto value = [&]() -> std::string_view {
      if (++at == argc) throw std::invalid_argument(std::string(flag) + " wants a value");
      return argv[at];
    };
    if (flag == "--clients") {
      wishes.setting.clients = parse_number(flag, value());
    } else if (flag == "--sections") {
      wishes.setting.sections = parse_number(flag, value());
    } else if (flag == "--section") {
      wishes.setting.section = interlock::milliseconds{parse_number(flag, value())};
    } else if (flag == "--seconds") {
      wishes.setting.most = std::chrono::seconds{parse_number(flag, value())};
    } else if (flag == "--only") {
      wishes.only.emplace_back(value());
    } else if (flag == "--svg") {
      wishes.svg = value();
    } else if (flag == "--repaired") {
      wishes.repaired = true;
    } else if (flag == "--json") {
      wishes.json = true;
    } else if (flag == "--markdown") {
      wishes.markdown = true;
    } else {
      throw std::invalid_argument("unknown flag " + std::string(flag));
    }
  }
  return wishes;
}

bool wanted(const ContenderKind& kind, const Wishes& wishes) {
  if (wishes.only.empty()) return true;
  for (const std::string& text : wishes.only) {
    if (kind.name.find(text) != std::string::npos) return true;
  }
  return false;
}

int measure(const Wishes& wishes) {
  interlock::test::RedisServer server;
  Target target;
  target.host = "127.0.0.1";
  target.port = server.port();
  target.url = server.url();
  target.lock = "load";
  std::vector<Figures> all;
  for (const ContenderKind& kind : kinds(wishes.repaired)) {
    if (!wanted(kind, wishes)) continue;
    std::fprintf(stderr, "%s, %s ...\n", kind.name.c_str(), kind.waits.c_str());
    all.push_back(compete(kind, target, wishes.setting));
  }
  if (all.empty()) throw std::runtime_error("no lock has that in its name");
  const std::string text = wishes.json       ? as_json(all, wishes.setting)
                           : wishes.markdown ? as_markdown(all, wishes.setting)
                                             : as_table(all, wishes.setting);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!wishes.svg.empty()) {
    std::ofstream file(wishes.svg, std::ios::trunc);
    file << as_svg(all, wishes.setting);
    file.close();
    if (!file) throw std::runtime_error("cannot write " + wishes.svg);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    return measure(parse(argc, argv));
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "load: %s: see load --help\n", wrong.what());
    return 64;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load: %s\n", error.what());
    return 70;
  }
}
