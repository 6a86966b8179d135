#include "top/top_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "console/duration_text.hpp"
#include "console/json_line.hpp"
#include "console/lines.hpp"
#include "console/table.hpp"
#include "console/talk.hpp"
#include "lock/holder.hpp"
#include "lock/holder_process.hpp"

namespace interlock::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t wide = 100;  // from here on there are all columns
constexpr std::size_t room_for_command = 32;
constexpr std::size_t least_command = 12;  // columns in which a command says something

// A look may have missed some.
std::string at_least(double grants_per_second) {
  return fmt::format("{:.1f}+", grants_per_second);
}

std::optional<HolderProcess> process_of(const LockView& view) {
  return view.holder ? holder_process(*view.holder, view.held_for) : std::nullopt;
}

std::string summary(const LockLook& look, const std::string& where) {
  constexpr double percent = 100;
  std::string text;
  if (look.quarantine) {
    text = fmt::format("no grants for {}: ", readable(*look.quarantine));
  }
  text += fmt::format("{} held, {} waiting, {} grants/s", look.held(), look.queued(),
                      at_least(look.grants_per_second()));
  if (look.share_seen < 1) {
    text += fmt::format(", seen {:.0f} % of the keys", look.share_seen * percent);
  }
  if (look.is_full) text += fmt::format(", more locks than {} are held", LockWatch::locks_max);
  return text + " in " + printable(where, 200);
}

TableRow header(bool is_wide) {
  if (is_wide) return {"LOCK", "HOLDER", "USER", "FOR", "LEFT", "WAIT", "GRANTS/S"};
  return {"LOCK", "HOLDER", "FOR", "WAIT"};
}

TableRow row_of(const TopLock& one, const std::optional<HolderProcess>& process, bool is_wide) {
  const LockView& view = one.lock.view;
  const std::string name = printable(one.lock.name, 512);
  const std::string holder = view.holder ? holder_text(*view.holder) : "-";
  const std::string held = view.holder && view.held_for ? readable(*view.held_for) : "-";
  const std::string waits = std::to_string(view.queued);
  if (!is_wide) return {name, holder, held, waits};
  std::string left = "-";
  if (view.holder) left = view.remaining ? readable(*view.remaining) : "no end";
  return {name,
          holder,
          process ? printable(process->user, 32) : "-",
          held,
          left,
          waits,
          one.grants_per_second ? at_least(*one.grants_per_second) : "-"};
}

// As much of the command as the rest of the line has room for.
void add_command(std::string& line, const std::string& command, std::optional<TopSize> size) {
  if (!size) {
    line += "  " + command;
    return;
  }
  const std::size_t used = width(line) + 2;
  if (size->columns < used + least_command) return;
  line += "  " + shortened(command, size->columns - used);
}

}  // namespace

std::string top_text(const LockLook& look,
                     const std::string& where,
                     const std::optional<std::string>& trouble,
                     std::optional<TopSize> size) {
  const bool is_wide = !size || size->columns >= wide;
  std::vector<std::string> lines{summary(look, where)};
  if (trouble) lines.push_back(printable(*trouble, 400));
  std::size_t shown = look.locks.size();
  // The line of the columns, and one that says how many are not shown.
  constexpr std::size_t others = 2;
  if (size) {
    const std::size_t room =
        size->rows > lines.size() + others ? size->rows - lines.size() - others : 0;
    shown = std::min(shown, room);
  }
  std::vector<TableRow> rows{header(is_wide)};
  std::vector<std::string> commands{"COMMAND"};
  for (std::size_t at = 0; at < shown; ++at) {
    const auto process = process_of(look.locks[at].lock.view);
    rows.push_back(row_of(look.locks[at], process, is_wide));
    commands.push_back(process ? printable(process->command, 512) : "-");
  }
  std::optional<std::size_t> columns;
  if (size) columns = size->columns - (is_wide ? room_for_command : 0);
  auto table = table_lines(std::move(rows), columns);
  std::size_t full = 0;
  for (const std::string& line : table) full = std::max(full, width(line));
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (is_wide) {
      table[at] += std::string(full - std::min(full, width(table[at])), ' ');
      add_command(table[at], commands[at], size);
    }
    lines.push_back(std::move(table[at]));
  }
  if (shown < look.locks.size())
    lines.push_back(fmt::format("and {} more", look.locks.size() - shown));
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += size ? shortened(line, std::max<std::size_t>(size->columns, 8)) : line;
  }
  return text;
}

std::string top_json(const LockLook& look, const std::string& where) {
  Json object{{"v", 1}, {"store", where}};
  if (look.quarantine) object["quarantine_ms"] = look.quarantine->count();
  object["share_seen"] = look.share_seen;
  object["held_locks"] = look.held();
  object["queued"] = look.queued();
  object["grants_per_s_at_least"] = look.grants_per_second();
  if (look.is_full) object["more_than"] = LockWatch::locks_max;
  object["locks"] = Json::array();
  for (const TopLock& one : look.locks) {
    Json lock = lock_json(one.lock);
    if (const auto process = process_of(one.lock.view)) {
      lock["user"] = process->user;
      lock["command"] = printable(process->command, 1024);
    }
    if (one.grants_per_second) lock["grants_per_s_at_least"] = *one.grants_per_second;
    object["locks"].push_back(std::move(lock));
  }
  return json_line(object) + "\n";
}

}  // namespace interlock::cli
