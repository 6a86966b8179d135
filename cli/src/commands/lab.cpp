// interlock lab: the laboratory as a page in the browser.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "http/http_server.hpp"
#include "http/listen_address.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/event_loop.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_page.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/simulated.hpp"
#include "supervision/supervise.hpp"
#include "system/browser.hpp"
#include "system/output_file.hpp"
#include "system/run_on.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Serves the laboratory on 127.0.0.1, for this machine alone, prints its address,
and opens it in $BROWSER, or by xdg-open if there is a display. Ctrl-C ends it.
With RUN, the page begins with that run: a scenario's name, NAME:STEPS as
explore prints it, a schedule's file, or - for standard input.

--export writes the page instead: one file that needs neither this program nor
the network. Send it, or put it on a web server.

The page is installed with the program; scripts/lab in the sources builds one.
)";
  all.exits = and_usual({{"0", "the page was written"},
                         {"78", "there is no page"},
                         {"128+n", "ended by a signal; 130 by Ctrl-C"}},
                        {usage, operating_system});
  all.environment = {{"INTERLOCK_LAB_PAGE", "another file with the page"},
                     {"BROWSER", "the command that opens the page; several are separated by :"}};
  all.examples = {{"Open the lessons", "interlock lab"},
                  {"Begin with a run", "interlock lab del-setnx-lock:1122"},
                  {"On a machine without a display", "interlock lab --no-browser --port 8080"},
                  {"Send the page to somebody", "interlock lab --export lab.html"}};
  all.see_also = "interlock-play(1), interlock-explore(1)";
  return all;
}

class LabFlags {
 public:
  void add_to(Flags& flags) {
    flags.value(0, "port", "N", &port, "listen on this port; default: a free one");
    flags.toggle(0, "no-browser", &no_browser, "only print the address");
    flags.value(0, "export", "FILE", &file,
                "write the page to FILE, all or nothing, and end; -: standard output");
  }

  std::optional<Failure> contradiction(bool has_run) const {
    if (!file) return std::nullopt;
    const char* const other = port         ? "--port"
                              : no_browser ? "--no-browser"
                              : has_run    ? "RUN"
                                           : nullptr;
    if (other == nullptr) return std::nullopt;
    return Failure(usage, fmt::format("{} writes the page and serves nothing: leave {} out",
                                      file->said(), other));
  }

  std::optional<Failure> wrong_port() const {
    constexpr int greatest = 65'535;
    if (!port || detail::parse_number(port->text, 0, greatest)) return std::nullopt;
    return Failure(usage, fmt::format("{} is no port: write 0 to {}", port->said(), greatest));
  }
  // The port is a right one.
  Fallible<posix::Descriptor> listen() const {
    ListenAddress address;
    address.host = "127.0.0.1";
    address.port = port ? port->text : "0";
    return address.listen(port ? port->said() : "127.0.0.1");
  }

  std::optional<Given> port;
  std::optional<Given> file;
  bool no_browser = false;
};

bool is_run_of_command(const std::string& word) {
  return word.substr(0, word.find_first_of(",:")) == command_scenario;
}

// What follows the page's address, once the run is known to fit its scenario: the page cannot say
// so well what is wrong.
Fallible<std::string> fragment_of(const std::string& word) {
  if (is_run_of_command(word)) {
    return Failure(usage, fmt::format("'{}' is a run of a command, which the page cannot start: "
                                      "see interlock replay --format html",
                                      printable(word, 60)));
  }
  const bool is_run = word == "-" || word.find(':') != std::string::npos || is_file(word);
  if (!is_run && sim::catalogue::find(word) == nullptr) return choose_scenario(word, {}).error();
  const auto loaded = load_run(is_run ? word : word + ":");
  if (!loaded) return loaded.error();
  return lab_fragment(sim::print_short(loaded->run, loaded->chosen.needed_options()));
}

class LabServer {
 public:
  LabServer(std::unique_ptr<EventLoop> loop, posix::Descriptor listener, std::string page)
      : page_(std::move(page)), loop_(std::move(loop)) {
    run_on(*loop_, [&] {
      server_ = std::make_unique<HttpServer>(
          *loop_, std::move(listener),
          [this](const auto& request) { return respond_with_lab(request, page_); });
    });
  }
  LabServer(const LabServer&) = delete;
  LabServer& operator=(const LabServer&) = delete;
  ~LabServer() {
    run_on(*loop_, [this] { server_.reset(); });
  }

 private:
  const std::string page_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<EventLoop> loop_;
};

void show_in_browser(const std::string& url) {
  const auto browser = Browser::find();
  if (!browser) return;
  if (!browser->show(url)) say("no browser could be started: open the address yourself");
}

void reap_browser() {
  int status = 0;
  if (::waitpid(-1, &status, WNOHANG) <= 0) return;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    say("the browser's command has failed: open the address yourself");
  }
}

int serve_until_signal(Signals& signals) {
  for (;;) {
    pollfd file{signals.descriptor(), POLLIN, 0};
    ::poll(&file, 1, -1);
    for (const Taken& each : signals.take()) {
      if (asks_to_end(each.signal)) return ended_by_signal(each.signal);
      if (each.signal == SIGTSTP) stop_ourselves();
      if (each.signal == SIGCHLD) reap_browser();
    }
  }
}

int serve(const LabFlags& settings, const std::string& fragment, std::string page) {
  auto listener = settings.listen();
  if (!listener) return fail(listener.error());
  const std::string url = listening_url(*listener) + "/" + fragment;
  // Before the loop's thread.
  Signals signals;
  auto loop = EventLoop::open();
  if (!loop) return fail({operating_system, loop.error().detail()});
  const LabServer server(*std::move(loop), *std::move(listener), std::move(page));
  if (const int code = answer(url + "\n"); code != success) return code;
  if (!settings.no_browser) show_in_browser(url);
  return serve_until_signal(signals);
}

int lab(const Invocation& given) {
  LabFlags settings;
  Flags flags("lab [flags] [RUN]", "Shows the laboratory as a page in the browser.");
  settings.add_to(flags);
  flags.operand("RUN", scenario_names().or_files());
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  const bool has_run = !arguments->operands.empty();
  if (const auto wrong = settings.contradiction(has_run)) return fail(*wrong);
  if (const auto wrong = settings.wrong_port()) return fail(*wrong);
  std::string fragment;
  if (has_run) {
    auto checked = fragment_of(arguments->operands.front());
    if (!checked) return fail(checked.error());
    fragment = *std::move(checked);
  }
  auto page = read_lab_page();
  if (!page) return fail(page.error());
  ignore_broken_pipes();
  if (settings.file) return write_output(settings.file->text, *page);
  return serve(settings, fragment, *std::move(page));
}

}  // namespace

extern const Command lab_command;
const Command lab_command{"lab [flags] [RUN]", "break and repair locks in the browser", lab};

}  // namespace interlock::cli
