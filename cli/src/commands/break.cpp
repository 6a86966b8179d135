// interlock break: removes the holder of a lock that the caller has named.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/json_line.hpp"
#include "console/talk.hpp"
#include "interlock/group.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/task.hpp"
#include "lock/holder.hpp"
#include "lock/inspect.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Removes the holder whose token is T, as interlock status shows it, and no later
holder. For another program's lock, which has no fencing token, T is its whole
value (interlock status --json, "owner"). If several hold the lock together, T
is the owner of one of them, as status LOCK shows it; the token of all readers
removes all readers. On a terminal the program asks first.

The holder learns of it at its next renewal, within a third of its ttl: until
then its command may still be running. The first in the queue gets the lock at
once, as after a release.
)";
  all.exits = and_usual({{"0", "removed"},
                         {"75",
                          "not removed: T is not the holder's token, nobody holds the lock, "
                          "or the answer was no"}},
                        {usage, unreachable, operating_system, refused, bad_configuration});
  all.examples = {{"Who holds it, and with which token", "interlock status deploy"},
                  {"Remove that holder", "interlock break deploy --token 1764266400123"}};
  all.see_also = "interlock-status(1), interlock-stores(7)";
  return all;
}

Task<Result<OwnerCheck>> release(KeyValueStore& store, Key lock, OwnerToken holder) {
  co_return co_await store.release(std::move(lock), std::move(holder));
}

// As if the owner had released the lock, so that the next in the queue hears of it.
Result<OwnerCheck> remove_one(KeyValueStore& store,
                              const LockName& name,
                              const OwnerToken& owner,
                              const Backend& backend) {
  return run(remove_from_group(store, name, owner, backend.quarantine(), backend.retention()));
}

Result<OwnerCheck> remove_all(KeyValueStore& store,
                              const LockName& name,
                              const OwnerToken& group,
                              const Backend& backend) {
  Result<OwnerCheck> removed = run(release(store, lock_key(name), group));
  // This owner has nothing any more, and the lock is free: the next in the queue hears of it. If
  // not, that one asks again by itself.
  if (removed && *removed == OwnerCheck::done) {
    static_cast<void>(remove_one(store, name, group, backend));
  }
  return removed;
}

bool is_meant(const LockView& view, const std::string& token) {
  // What the key says of permits is the same for other holders later.
  const auto group = GroupOfHolders::parse(*view.holder);
  if (group && !group->are_readers) return false;
  const auto fencing = view.holders_token();
  return view.holder->text() == token || owner_text(*view.holder) == token ||
         (fencing && std::to_string(fencing->value()) == token);
}

bool agreed(const std::string& name, const LockView& view) {
  const Busy busy(*view.holder, view.remaining, view.held_for);
  const std::string question =
      fmt::format("{}: {}; {} [y/N] ", name, busy_text(busy),
                  view.is_of_group() ? "their commands may still be running. Remove all of them?"
                                     : "its command may still be running. Remove it?");
  put(question);
  std::string line;
  const bool answered = static_cast<bool>(std::getline(std::cin, line));
  // After ^D the cursor still stands behind the question.
  if (std::cin.eof()) put("\n");
  return answered && (line == "y" || line == "Y" || line == "yes");
}

std::string removed(const LockName& name,
                    const LockView& view,
                    std::optional<FencingToken> token,
                    std::optional<milliseconds> quarantine,
                    bool json) {
  if (!json) {
    return fmt::format("{}: removed {}\n{}", printable(name.text(), 100), holder_text(*view.holder),
                       quarantine ? "  " + quarantine_text(quarantine) + "\n" : "");
  }
  nlohmann::ordered_json object{{"v", 1},
                                {"result", "removed"},
                                {"exit", static_cast<int>(success)},
                                {"lock", name.text()},
                                {"owner", owner_text(*view.holder)}};
  if (token) object["token"] = std::to_string(token->value());
  if (quarantine) object["quarantine_ms"] = quarantine->count();
  return json_line(object) + "\n";
}

int break_lock(
    const LockName& name, const std::string& token, const Store& chosen, bool ask, bool json) {
  const std::string shown = printable(name.text(), 100);
  const std::string what = fmt::format("'{}' not broken", shown);
  const Failure nobody(not_acquired, what + ": nobody holds it: there is nothing to do");
  if (!chosen.backend) return fail(nobody);

  const auto store = chosen.backend->open();
  const Key lock = lock_key(name);
  const Result<LockView> seen = inspect_lock(*store, lock);
  if (!seen) return fail(store_failure(what, seen.error(), chosen));
  if (!seen->holder) return fail(nobody);
  const auto group = inspect_group(*store, name, *seen);
  if (!group) return fail(store_failure(what, group.error(), chosen));
  const auto one = std::find_if(group->begin(), group->end(), [&](const OneOfGroup& each) {
    return each.owner.text() == token || owner_text(each.owner) == token;
  });
  const bool is_of_group = one != group->end();
  if (!is_of_group && !is_meant(*seen, token)) {
    return fail(Failure(
        not_acquired,
        fmt::format("{}: token {} is not {}: see interlock status {}{}", what, printable(token, 60),
                    seen->is_of_group() ? "the owner of one of its holders" : "its holder's",
                    chosen.flag, shown)));
  }
  LockView meant = *seen;
  if (is_of_group) meant.holder = one->owner;
  if (ask && !agreed(shown, meant)) {
    return fail(Failure(not_acquired, what + ": not agreed to: nothing was changed"));
  }
  // The store compares that holder's owner token once more, so that this does not remove a holder
  // which has come since then.
  const Result<OwnerCheck> released =
      seen->is_of_group() && !is_of_group
          ? remove_all(*store, name, *meant.holder, *chosen.backend)
          : remove_one(*store, name, *meant.holder, *chosen.backend);
  if (!released) return fail(store_failure(what, released.error(), chosen));
  if (*released != OwnerCheck::done) {
    return fail(Failure(not_acquired, what + ": its holder has just changed: nothing was done"));
  }
  // Nothing depends on it any more.
  const auto quarantine = look_for_quarantine(*store, chosen.backend->quarantine());
  return answer(
      removed(name, meant, seen->holders_token(), quarantine.value_or(std::nullopt), json));
}

int parse_and_break(const Invocation& given) {
  StoreFlags store_flags;
  std::optional<Given> token;
  bool yes = false;
  bool json = false;
  Flags flags("break [flags] LOCK --token T", "Removes the holder of LOCK whose token is T.");
  flags.value(0, "token", "T", &token, "the holder's token, as interlock status shows it")
      .suggested = tokens_of(store_flags);
  flags.toggle('y', "yes", &yes, "do not ask");
  flags.json(&json, STDOUT_FILENO, "one JSON object instead of words; does not ask");
  store_flags.add_to(flags);
  flags.operand("LOCK", held_locks_of(store_flags));
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no lock given; write interlock break LOCK --token T"));
  }
  const auto name = parse_lock_name(arguments->operands.front());
  if (!name) return fail(name.error());
  name_lock_in_failures(name->text());
  if (!token || token->text.empty()) {
    return fail(Failure(usage, fmt::format("no token given, and so no certain holder; interlock "
                                           "status {} shows it",
                                           printable(name->text(), 100))));
  }
  const auto chosen = choose_store(store_flags, Purpose::look);
  if (!chosen) return fail(chosen.error());
  ignore_broken_pipes();
  const bool ask = !yes && !json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  return break_lock(*name, token->text, *chosen, ask, json);
}

}  // namespace

extern const Command break_command;
const Command break_command{"break [flags] LOCK --token T", "remove exactly that holder of LOCK",
                            parse_and_break};

}  // namespace interlock::cli
