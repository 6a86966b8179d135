// interlock manual: the manual pages, made of the tables that also make the help.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "commands/commands.hpp"
#include "interlock/detail/nearest_word.hpp"
#include "manual/manual_page.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Prints a page in the format of man(7), interlock(1) if no PAGE is given. PAGE is
a command's name, schedule or stores, or the whole name: interlock-run(1). With
--output all pages are written into folders below DIR, as man wants them:
DIR/man1/interlock-run.1 and so on. The pages say what --help says; they tell
only of what this program was built with.
)";
  all.exits = and_usual({{"0", "printed or written"}}, {usage, operating_system});
  all.examples = {{"Read a page that is not installed", "interlock manual run | man -l -"},
                  {"All pages, for this user",
                   "interlock manual --output ~/.local/share/man && man interlock-run"}};
  all.see_also = "interlock-completion(1), man(1), man(7)";
  return all;
}

class Page {
 public:
  std::string name;  // `interlock-run`
  int section;
  std::string text;

  std::string file() const { return fmt::format("man{}/{}.{}", section, name, section); }
};

std::string page_of(const NamedCommand& entry) {
  std::string text;
  Invocation asked;
  asked.words = {"--help"};
  asked.show = [&](const Flags& flags) {
    text = command_page(entry.name, entry.command->summary, INTERLOCK_VERSION, flags);
    return static_cast<int>(success);
  };
  static_cast<void>(entry.command->run(asked));
  return text;
}

std::vector<Page> all_pages() {
  std::vector<Page> pages;
  std::vector<ListedCommand> listed;
  for (const NamedCommand& entry : all_commands()) {
    listed.push_back({entry.name, entry.command->synopsis, entry.command->summary});
    pages.push_back({fmt::format("interlock-{}", entry.name), 1, page_of(entry)});
  }
  pages.insert(pages.begin(),
               {"interlock", 1, main_page(INTERLOCK_VERSION, listed, first_examples())});
  for (const TextPage& page : text_pages()) {
    pages.push_back({std::string(page.name), page.section, text_page(page, INTERLOCK_VERSION)});
  }
  return pages;
}

// By `run`, `interlock-run`, `interlock-run(1)`, `interlock-run.1`.
Fallible<Page> page_named(const std::string& typed) {
  std::vector<std::string> names;
  for (Page& page : all_pages()) {
    const std::string brief =
        page.name == "interlock" ? page.name : page.name.substr(std::strlen("interlock-"));
    for (const std::string& name :
         {brief, page.name, fmt::format("{}({})", page.name, page.section),
          fmt::format("{}.{}", page.name, page.section)}) {
      if (name == typed) return std::move(page);
    }
    names.push_back(brief);
  }
  const std::string meant = detail::nearest_word(typed, names);
  return Failure(usage, fmt::format("there is no page '{}'; {}", printable(typed, 60),
                                    meant.empty() ? "see interlock manual"
                                                  : fmt::format("did you mean '{}'?", meant)));
}

std::optional<Failure> write_into(const std::filesystem::path& folder) {
  for (const Page& page : all_pages()) {
    const std::filesystem::path file = folder / page.file();
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (!error && ReportFile::replace(file.string(), page.text)) continue;
    const std::string why = error ? error.message() : std::strerror(errno);
    return Failure(operating_system,
                   fmt::format("'{}' cannot be written: {}: choose another folder",
                               printable(file.string()), why));
  }
  return std::nullopt;
}

std::vector<SuggestedWord> page_names() {
  std::vector<SuggestedWord> names;
  for (const NamedCommand& entry : all_commands()) {
    names.push_back({std::string(entry.name), std::string(entry.command->summary)});
  }
  for (const TextPage& page : text_pages()) {
    names.push_back(
        {std::string(page.name.substr(std::strlen("interlock-"))), std::string(page.summary)});
  }
  return names;
}

int manual(const Invocation& given) {
  std::optional<Given> output;
  Flags flags("manual [flags] [PAGE]", "Prints a manual page, or writes all of them.");
  flags.value('o', "output", "DIR", &output, "write all pages into folders below DIR").suggested =
      Suggestions::files();
  flags.operand("PAGE", Suggestions([](const TypedWords&) { return page_names(); }));
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  const auto& operands = arguments->operands;
  if (output && !operands.empty()) {
    return fail(Failure(usage, fmt::format("{} writes all pages: leave '{}' out", output->said(),
                                           printable(operands.front(), 60))));
  }
  if (output) {
    if (const auto failure = write_into(output->text)) return fail(*failure);
    return success;
  }
  const auto page = page_named(operands.empty() ? "interlock" : operands.front());
  return page ? answer(page->text) : fail(page.error());
}

}  // namespace

extern const Command manual_command;
const Command manual_command{"manual [flags] [PAGE]", "the manual pages, as man reads them",
                             manual};

}  // namespace interlock::cli
