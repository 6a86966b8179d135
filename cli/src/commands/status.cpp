// interlock status: who holds what. Changes nothing in the store.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "console/duration_text.hpp"
#include "console/flags.hpp"
#include "console/json_line.hpp"
#include "console/lines.hpp"
#include "console/table.hpp"
#include "console/talk.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lock/holder.hpp"
#include "lock/inspect.hpp"
#include "lock/last_run.hpp"
#include "lock/lock_flags.hpp"
#include "lock/lock_json.hpp"
#include "lock/lock_suggestions.hpp"
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

using Json = nlohmann::ordered_json;

Explanation explanation() {
  Explanation all;
  all.text = R"(Without LOCK, lists all locks in the store that interlock holds. Locks of other
programs (of a Redis lock library, say) cannot be told from other keys: ask for
them by name. TOKEN is the fencing token of the grant, which interlock break
needs; if the grant reserved several, for the threads of one process, it is the
last of them. A lock of another program has none, and neither has one of which
several hold permits. "kept" behind the time that is LEFT: the command has
ended, and run --at-least or --every keeps the lock. With LOCK, shows each
reader and each holder of permits. It changes nothing in the store.

What it says may be over when it is read: to do something only while nobody
holds a lock, use interlock run -w 0.
)";
  all.exits = and_usual({{"0", "it was shown; with --exit-code: LOCK is free"},
                         {"75",
                          "with --exit-code: somebody holds LOCK, or the store grants no "
                          "lock for now, after a failover; without LOCK: some lock is held"}},
                        {usage, unreachable, operating_system, refused, bad_configuration});
  all.examples = {{"Every lock of this machine", "interlock status"},
                  {"In a script", "interlock status --exit-code deploy >/dev/null && echo free"}};
  all.see_also = "interlock-top(1), interlock-break(1), interlock-watch(1), interlock-stores(7)";
  return all;
}

std::string shown_token(const LockView& view) {
  const auto token = view.holders_token();
  return token ? std::to_string(token->value()) : "-";
}

std::string line(const Json& object) {
  return json_line(object) + "\n";
}

std::string left_text(const NamedLock& lock) {
  if (!lock.view.remaining) return "no end";
  return readable(*lock.view.remaining) + (lock.command_has_ended ? ", kept" : "");
}

std::string table(const std::vector<NamedLock>& locks) {
  const bool has_notes = std::any_of(locks.begin(), locks.end(), [](const NamedLock& lock) {
    return !note_text(*lock.view.holder).empty();
  });
  std::vector<TableRow> rows{{"LOCK", "HOLDER", "FOR", "LEFT", "TOKEN"}};
  if (has_notes) rows.front().push_back("NOTE");
  for (const NamedLock& lock : locks) {
    const LockView& view = lock.view;
    rows.push_back({printable(lock.name, 512), holder_text(*view.holder),
                    view.held_for ? readable(*view.held_for) : "-", left_text(lock),
                    shown_token(view)});
    if (has_notes) rows.back().push_back(printable(note_text(*view.holder), 80));
  }
  std::string text;
  for (const std::string& line : table_lines(std::move(rows), terminal_columns())) {
    text += line + "\n";
  }
  return text;
}

// Others have written it: nothing in it may steer a terminal.
std::string note_line(const OwnerToken& owner, std::string_view indent) {
  const std::string note = note_text(owner);
  return note.empty() ? "" : fmt::format("{}note: {}\n", indent, printable(note, 800));
}

// A line for each of them, but not for very many.
std::string lines_of(const std::vector<OneOfGroup>& group) {
  constexpr std::size_t shown = 20;
  std::string text;
  for (std::size_t at = 0; at < std::min(group.size(), shown); ++at) {
    const OneOfGroup& one = group[at];
    const auto permits = one.permits();
    const std::string has =
        permits ? fmt::format("{} {}: {}", *permits, *permits == 1 ? "permit" : "permits",
                              holder_text(one.owner))
                : holder_text(one.owner);
    text += fmt::format("  {}: lease ends in {}; owner {}\n", has, readable(one.remaining),
                        printable(owner_text(one.owner), 200));
    text += note_line(one.owner, "    ");
  }
  if (group.size() > shown) {
    text += fmt::format("  and {} more: see --json\n", group.size() - shown);
  }
  return text;
}

std::string end_of_lease(const NamedLock& lock) {
  const LockView& view = lock.view;
  if (!view.remaining) return "it does not expire";
  const std::string left = readable(*view.remaining);
  if (lock.command_has_ended) {
    return fmt::format("its command has ended: the lock is kept for another {}", left);
  }
  return fmt::format("{} ends in {} unless renewed",
                     view.is_of_group() ? "the last of their leases" : "its lease", left);
}

std::string sentence(const NamedLock& lock) {
  const LockView& view = lock.view;
  const std::string name = printable(lock.name, 512);
  if (!view.holder) {
    return fmt::format("{}: free{}\n", name,
                       view.queued > 0 ? fmt::format(", {} in the queue", view.queued) : "");
  }
  const bool is_group = GroupOfHolders::parse(*view.holder).has_value();
  const std::string by = is_group ? busy_text(Busy(*view.holder, view.remaining, std::nullopt))
                                  : "held by " + holder_text(*view.holder);
  std::string text = name + (by.starts_with("held") ? ": " : ": held: ") + by;
  if (view.held_for) {
    const auto since = std::chrono::system_clock::now() - *view.held_for;
    text += fmt::format(" for {}, since {:%Y-%m-%d %H:%M:%S}", readable(*view.held_for),
                        fmt::localtime(std::chrono::system_clock::to_time_t(since)));
  }
  text += "\n  ";
  if (const auto token = view.holders_token()) text += fmt::format("token {}; ", token->value());
  text += end_of_lease(lock) + "\n";
  text += note_line(*view.holder, "  ");
  if (view.queued > 0) text += fmt::format("  {} in the queue\n", view.queued);
  return text;
}

Json group_json(const std::vector<OneOfGroup>& group) {
  Json holders = Json::array();
  for (const OneOfGroup& one : group) {
    Json object{{"owner", owner_text(one.owner)}};
    if (const auto found = whereabouts(one.owner)) {
      object["holder"] = {{"host", found->host}, {"pid", found->pid}};
    }
    if (const auto permits = one.permits()) object["permits"] = *permits;
    if (std::string note = note_text(one.owner); !note.empty()) object["note"] = note;
    object["remaining_ms"] = one.remaining.count();
    holders.push_back(std::move(object));
  }
  return holders;
}

bool is_holders(const Result<std::optional<LastRun>>& run, const LockView& view) {
  return run && *run && view.holder && (**run).owner == *view.holder;
}

// What --exit-code makes of an answer that was written.
int code_of(int written, bool exit_code, bool is_taken) {
  return written == success && exit_code && is_taken ? static_cast<int>(not_acquired) : written;
}

int one(const Store& chosen, const LockName& name, bool json, bool exit_code) {
  NamedLock lock{name.text(), {}};
  std::optional<milliseconds> quarantine;
  Result<std::optional<LastRun>> last_run = std::optional<LastRun>();
  Result<std::vector<OneOfGroup>> group = std::vector<OneOfGroup>();
  if (chosen.backend) {
    const auto store = chosen.backend->open();
    const Result<LockView> seen = inspect_lock(*store, lock_key(name));
    if (!seen) {
      const std::string what = fmt::format("'{}' not looked up", printable(name.text(), 100));
      return fail(store_failure(what, seen.error(), chosen));
    }
    lock.view = *seen;
    const auto looked = look_for_quarantine(*store, chosen.backend->quarantine());
    if (!looked) return fail(store_failure("quarantine not looked up", looked.error(), chosen));
    quarantine = *looked;
    last_run = look_for_run(*store, name);
    lock.command_has_ended = is_holders(last_run, lock.view);
    group = inspect_group(*store, name, lock.view);
    if (!group) return fail(store_failure("holders not listed", group.error(), chosen));
  }
  const bool is_taken = lock.view.holder || quarantine;
  if (!json) {
    std::string text = sentence(lock) + lines_of(*group);
    if (!last_run) {
      text +=
          fmt::format("  the last run is not known: {}\n", printable(last_run.error().detail()));
    } else if (*last_run) {
      text += "  " + last_run_text(**last_run) + "\n";
    }
    if (quarantine) text += "  " + quarantine_text(quarantine) + "\n";
    return code_of(answer(text), exit_code, is_taken);
  }
  Json object{{"v", 1}};
  object.update(lock_json(lock));
  if (!group->empty()) object["holders"] = group_json(*group);
  if (!last_run) object["last_run_error"] = last_run.error().detail();
  if (last_run && *last_run) object["last_run"] = last_run_json(**last_run);
  if (quarantine) object["quarantine_ms"] = quarantine->count();
  return code_of(answer(line(object)), exit_code, is_taken);
}

int all(const Store& chosen, bool json, bool exit_code) {
  std::vector<NamedLock> locks;
  std::optional<milliseconds> quarantine;
  if (chosen.backend) {
    const auto keys = chosen.backend->held_locks();
    if (!keys) return fail(store_failure("locks not listed", keys.error(), chosen));
    const auto store = chosen.backend->open();
    const auto looked = look_for_quarantine(*store, chosen.backend->quarantine());
    if (!looked) return fail(store_failure("quarantine not looked up", looked.error(), chosen));
    quarantine = *looked;
    for (const Key& key : *keys) {
      const Result<LockView> seen = inspect_lock(*store, key);
      if (!seen) return fail(store_failure("locks not listed", seen.error(), chosen));
      // Released since the list was made.
      if (!seen->holder) continue;
      // Where the last run may not be read, the list is the same without it.
      const auto name = LockName::parse(key.text());
      locks.push_back({key.text(), *seen, name && is_holders(look_for_run(*store, *name), *seen)});
    }
    std::sort(locks.begin(), locks.end(),
              [](const NamedLock& a, const NamedLock& b) { return a.name < b.name; });
  }
  const std::string shared_by = chosen.shared_by();
  const bool is_taken = !locks.empty() || quarantine;
  if (json) {
    Json object{{"v", 1}, {"store", chosen.description}};
    if (!shared_by.empty()) object["shared_by"] = shared_by;
    if (quarantine) object["quarantine_ms"] = quarantine->count();
    object["locks"] = Json::array();
    for (const NamedLock& lock : locks) object["locks"].push_back(lock_json(lock));
    return code_of(answer(line(object)), exit_code, is_taken);
  }
  std::string where = printable(chosen.description, 400);
  if (!shared_by.empty()) {
    where += fmt::format(", shared by {}", printable(shared_by, 200));
  }
  const std::string more = quarantine ? quarantine_text(quarantine) + "\n" : "";
  if (locks.empty()) {
    const std::string text = fmt::format("no lock is held in {}{}\n{}", where,
                                         chosen.backend ? "" : ", which nobody has used yet", more);
    return code_of(answer(text), exit_code, is_taken);
  }
  return code_of(answer(fmt::format("{}in {}\n{}", table(locks), where, more)), exit_code,
                 is_taken);
}

int status(const Invocation& given) {
  StoreFlags store_flags;
  bool json = false;
  bool exit_code = false;
  Flags flags("status [flags] [LOCK]",
              "Shows who holds LOCK, since when, with which token, and when its lease ends.");
  store_flags.add_to(flags);
  flags.json(&json, STDOUT_FILENO);
  flags.toggle(0, "exit-code", &exit_code,
               "exit with 75 if LOCK is held, and with 0 if it is free");
  flags.operand("LOCK", held_locks_of(store_flags));
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  std::optional<LockName> name;
  if (!arguments->operands.empty()) {
    auto parsed = parse_lock_name(arguments->operands.front());
    if (!parsed) return fail(parsed.error());
    name = std::move(*parsed);
    name_lock_in_failures(name->text());
  }
  const auto chosen = choose_store(store_flags, Purpose::look);
  if (!chosen) return fail(chosen.error());

  ignore_broken_pipes();
  return name ? one(*chosen, *name, json, exit_code) : all(*chosen, json, exit_code);
}

}  // namespace

extern const Command status_command;
const Command status_command{"status [flags] [LOCK]", "who holds LOCK, or every lock of the store",
                             status};

}  // namespace interlock::cli
