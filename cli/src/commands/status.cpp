// interlock status: who holds what. Changes nothing in the store.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "console/talk.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lock/holder.hpp"
#include "lock/inspect.hpp"
#include "lock/lock_flags.hpp"
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* epilogue =
    R"(Without LOCK, lists all locks in the store that interlock holds. Locks of other
programs (of a Redis lock library, say) cannot be told from other keys: ask for
them by name. TOKEN is the fencing token of the grant, which interlock break
needs; if the grant reserved several, for the threads of one process, it is the
last of them. A lock of another program has none.
)";

class NamedLock {
 public:
  std::string name;
  LockView view;
};

std::string shown_token(const LockView& view) {
  const auto token = view.holders_token();
  return token ? std::to_string(token->value()) : "-";
}

Json as_json(const NamedLock& lock) {
  Json object{{"lock", lock.name}, {"held", lock.view.holder.has_value()}};
  if (lock.view.queued > 0) object["queued"] = lock.view.queued;
  if (!lock.view.holder) return object;
  if (const auto found = whereabouts(*lock.view.holder)) {
    object["holder"] = {{"host", found->host}, {"pid", found->pid}};
  }
  object["owner"] = owner_text(*lock.view.holder);
  if (const auto token = lock.view.holders_token()) {
    object["token"] = std::to_string(token->value());
  }
  if (lock.view.held_for) object["held_ms"] = lock.view.held_for->count();
  if (lock.view.remaining) object["remaining_ms"] = lock.view.remaining->count();
  return object;
}

std::string line(const Json& object) {
  return json_line(object) + "\n";
}

using Row = std::array<std::string, 5>;

// On a terminal a long name does not push the rest of its row, and of all others, out of sight.
void fit_names(std::vector<Row>& rows, const std::array<std::size_t, 5>& widest) {
  const auto columns = terminal_columns();
  std::size_t others = 0;
  for (std::size_t i = 1; i < widest.size(); ++i) others += 2 + widest.at(i);
  constexpr std::size_t least = 16;
  if (!columns || widest.front() + others <= *columns) return;
  const std::size_t room = std::max(least, *columns > others ? *columns - others : 0);
  for (Row& row : rows) row.front() = shortened(row.front(), room);
}

std::string table(const std::vector<NamedLock>& locks) {
  std::vector<Row> rows{{"LOCK", "HOLDER", "FOR", "LEFT", "TOKEN"}};
  for (const NamedLock& lock : locks) {
    const LockView& view = lock.view;
    rows.push_back({printable(lock.name, 512), holder_text(*view.holder),
                    view.held_for ? readable(*view.held_for) : "-",
                    view.remaining ? readable(*view.remaining) : "no end", shown_token(view)});
  }
  std::array<std::size_t, 5> widest{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widest.at(i) = std::max(widest.at(i), width(row.at(i)));
  }
  fit_names(rows, widest);
  widest.front() = 0;
  for (const Row& row : rows) widest.front() = std::max(widest.front(), width(row.front()));
  std::string text;
  for (const Row& row : rows) {
    std::string out;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out += "  ";
      out += row.at(i);
      if (i + 1 < row.size()) out += std::string(widest.at(i) - width(row.at(i)), ' ');
    }
    text += out + "\n";
  }
  return text;
}

std::string sentence(const NamedLock& lock) {
  const LockView& view = lock.view;
  const std::string name = printable(lock.name, 512);
  if (!view.holder) return fmt::format("{}: free\n", name);
  std::string text = fmt::format("{}: held by {}", name, holder_text(*view.holder));
  if (view.held_for) {
    const auto since = std::chrono::system_clock::now() - *view.held_for;
    text += fmt::format(" for {}, since {:%Y-%m-%d %H:%M:%S}", readable(*view.held_for),
                        fmt::localtime(std::chrono::system_clock::to_time_t(since)));
  }
  text += "\n  ";
  if (const auto token = view.holders_token()) text += fmt::format("token {}; ", token->value());
  text += view.remaining
              ? fmt::format("its lease ends in {} unless renewed\n", readable(*view.remaining))
              : std::string("it does not expire\n");
  if (view.queued > 0) text += fmt::format("  {} in the queue\n", view.queued);
  return text;
}

int one(const Store& chosen, const LockName& name, bool json) {
  NamedLock lock{name.text(), {}};
  if (chosen.backend) {
    const auto store = chosen.backend->open();
    const Result<LockView> seen = inspect_lock(*store, lock_key(name));
    if (!seen) {
      const std::string what = fmt::format("'{}' not looked up", printable(name.text(), 100));
      return fail(store_failure(what, seen.error(), chosen));
    }
    lock.view = *seen;
  }
  if (!json) return answer(sentence(lock));
  Json object{{"v", 1}};
  object.update(as_json(lock));
  return answer(line(object));
}

int all(const Store& chosen, bool json) {
  std::vector<NamedLock> locks;
  if (chosen.backend) {
    const auto keys = chosen.backend->held_locks();
    if (!keys) return fail(store_failure("locks not listed", keys.error(), chosen));
    const auto store = chosen.backend->open();
    for (const Key& key : *keys) {
      const Result<LockView> seen = inspect_lock(*store, key);
      if (!seen) return fail(store_failure("locks not listed", seen.error(), chosen));
      // Released since the list was made.
      if (seen->holder) locks.push_back(NamedLock{key.text(), *seen});
    }
    std::sort(locks.begin(), locks.end(),
              [](const NamedLock& a, const NamedLock& b) { return a.name < b.name; });
  }
  if (json) {
    Json object{{"v", 1}, {"store", chosen.description}};
    if (!chosen.shared_by.empty()) object["shared_by"] = chosen.shared_by;
    object["locks"] = Json::array();
    for (const NamedLock& lock : locks) object["locks"].push_back(as_json(lock));
    return answer(line(object));
  }
  std::string where = printable(chosen.description, 400);
  if (!chosen.shared_by.empty()) {
    where += fmt::format(", shared by {}", printable(chosen.shared_by, 200));
  }
  if (locks.empty()) {
    return answer(fmt::format("no lock is held in {}{}\n", where,
                              chosen.backend ? "" : ", which nobody has used yet"));
  }
  return answer(fmt::format("{}in {}\n", table(locks), where));
}

int status(const Invocation& given) {
  StoreFlags store_flags;
  bool json = false;
  Flags flags("status [flags] [LOCK]",
              "Shows who holds LOCK, since when, with which token, and when its lease ends.");
  store_flags.add_to(flags);
  flags.json(&json, STDOUT_FILENO);
  flags.epilogue(epilogue);
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  std::optional<LockName> name;
  if (!arguments->operands.empty()) {
    auto parsed = parse_lock_name(arguments->operands.front());
    if (!parsed) return fail(parsed.error());
    name = std::move(*parsed);
  }
  const auto chosen = choose_store(store_flags, Purpose::look);
  if (!chosen) return fail(chosen.error());

  ignore_broken_pipes();
  return name ? one(*chosen, *name, json) : all(*chosen, json);
}

}  // namespace

extern const Command status_command;
const Command status_command{"status [flags] [LOCK]", "who holds LOCK, or every lock of the store",
                             status};

}  // namespace interlock::cli
