// interlock watch: who leads, again whenever that changes.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/json_line.hpp"
#include "console/talk.hpp"
#include "interlock/client.hpp"
#include "interlock/election.hpp"
#include "lock/holder.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/store.hpp"
#include "system/heap.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Prints one line at once, and one for each change: another leader, another value,
no leader. It does not poll: a message tells it. Of a leader that dies it learns
when the leader's lease ends. It looks at least once a minute, to notice a
connection through which nothing comes.

With --json, "leader" is null or has "value" ("value_hex" if it is not UTF-8),
"epoch", "holder" and "owner". A process that holds the lock by interlock run
leads nobody, so it is not shown here; see interlock status.

While the store cannot be reached, watch says so once on standard error, and
goes on when the store is back.
)";
  all.exits = and_usual({{"0", "it has told who leads, with --once"},
                         {"69", "the store cannot be reached: with --once, or at the beginning"},
                         {"128+n", "ended by signal n; 141 if nobody reads its output any more"}},
                        {usage, operating_system, refused, bad_configuration});
  all.examples = {{"Who leads now", "interlock watch --once scheduler"},
                  {"Tell another program of each change",
                   "interlock watch --json scheduler | ./tell-the-balancer"}};
  all.see_also = "interlock-elect(1), interlock-status(1), interlock-stores(7)";
  return all;
}

// A reader that goes (`interlock watch NAME | head -1`) is noticed at once, and not at the next
// change.
void end_when_nobody_reads() {
  std::thread([] {
    pollfd output{STDOUT_FILENO, 0, 0};
    while (::poll(&output, 1, -1) < 0 && errno == EINTR) {
    }
    if (output.revents != 0) std::_Exit(ended_by_signal(SIGPIPE));
  }).detach();
}

std::string line_of(const LockName& name, const std::optional<Leader>& leader, bool json) {
  if (!json) {
    const std::string lock = printable(name.text(), 100);
    if (!leader) return lock + ": no leader\n";
    const std::string value = printable(leader->value, 400);
    return fmt::format("{}: led by {}{}, epoch {}\n", lock, value.empty() ? "" : value + ", ",
                       holder_text(leader->owner), leader->epoch.value());
  }
  nlohmann::ordered_json object{{"v", 1}, {"lock", name.text()}, {"leader", nullptr}};
  if (leader) {
    auto& shown = object["leader"];
    if (is_utf8(leader->value)) {
      shown["value"] = leader->value;
    } else {
      shown["value_hex"] = hex(leader->value);
    }
    shown["epoch"] = std::to_string(leader->epoch.value());
    if (const auto found = whereabouts(leader->owner)) {
      shown["holder"] = {{"host", found->host}, {"pid", found->pid}};
    }
    shown["owner"] = owner_text(leader->owner);
  }
  return json_line(object) + "\n";
}

int watch_for_ever(Election& election, const LockName& name, const Store& store, bool json) {
  constexpr std::chrono::seconds pause{1};
  const std::string what = fmt::format("'{}' not observed", printable(name.text(), 100));
  end_when_nobody_reads();
  bool has_answered = false;
  bool is_away = false;
  for (;;) {
    const Result<std::optional<Leader>> leader = election.next_leader();
    if (!leader) {
      const Failure failure = store_failure(what, leader.error(), store);
      if (!has_answered || !is_out_of_reach(leader.error())) return fail(failure);
      if (!std::exchange(is_away, true)) say(failure.message + "; it goes on when it can");
      std::this_thread::sleep_for(pause);
      continue;
    }
    has_answered = true;
    if (std::exchange(is_away, false)) say(what + " for a while; it is observed again");
    if (const int code = answer(line_of(name, *leader, json)); code != success) return code;
  }
}

int watch(const Invocation& given) {
  share_one_heap();
  StoreFlags store_flags;
  bool json = false;
  bool once = false;
  Flags flags("watch [flags] NAME", "Tells who leads, again whenever that changes.");
  store_flags.add_to(flags);
  flags.toggle(0, "once", &once, "tell it once, and end");
  flags.json(&json, STDOUT_FILENO, "one JSON object in a line instead of words");
  flags.operand("NAME", held_locks_of(store_flags));
  flags.explain(explanation());

  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no name given; write interlock watch NAME"));
  }
  const auto name = parse_lock_name(arguments->operands.front());
  if (!name) return fail(name.error());
  name_lock_in_failures(name->text());
  const auto store = choose_store(store_flags, Purpose::hold);
  if (!store) return fail(store.error());
  const auto client = Client::open(store->backend);
  if (!client) return fail({operating_system, client.error().detail()});
  Election election(**client, *name);
  if (!once) return watch_for_ever(election, *name, *store, json);
  const Result<std::optional<Leader>> leader = election.leader();
  if (leader) return answer(line_of(*name, *leader, json));
  const std::string what = fmt::format("'{}' not observed", printable(name->text(), 100));
  return fail(store_failure(what, leader.error(), *store));
}

}  // namespace

extern const Command watch_command;
const Command watch_command{"watch [flags] NAME", "who leads, again whenever that changes", watch};

}  // namespace interlock::cli
