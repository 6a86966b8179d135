#include "manual/manual_page.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "manual/page_texts.hpp"
#include "manual/roff.hpp"

namespace interlock::cli {
namespace {

// The words in capital letters of a synopsis or a flag: LOCK, SCENARIO|FILE.
void add_capitals(std::string_view text, std::set<std::string>& words) {
  std::string word;
  for (const char each : std::string(text) + " ") {
    if (std::isupper(static_cast<unsigned char>(each)) != 0) {
      word += each;
    } else {
      if (!word.empty()) words.insert(word);
      word.clear();
    }
  }
}

std::set<std::string> operands_of(const Flags& flags) {
  std::set<std::string> words;
  add_capitals(flags.synopsis(), words);
  for (const Flag& flag : flags.flags()) {
    if (!flag.placeholder.empty()) words.insert(flag.placeholder);
  }
  // A word, too: "A command ...".
  words.erase("A");
  return words;
}

std::string head_of(const Flag& flag) {
  std::string head = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : "";
  head += "--" + flag.word;
  return flag.placeholder.empty() ? head : head + " " + flag.placeholder;
}

void write_options(Roff& page, const Flags& flags) {
  page.heading("OPTIONS");
  for (const Flag& flag : flags.flags()) {
    std::string text = sentence_of(flag.help);
    if (!flag.variable.empty()) text += fmt::format(" The same as {}.", flag.variable);
    page.meaning(head_of(flag), text);
  }
  page.meaning("-h, --help", "Print the flags, and what is said here, in short.");
}

void write_meanings(Roff& page, const std::vector<ExplainedWord>& all) {
  for (const ExplainedWord& each : all) page.meaning(each.term, sentence_of(each.text));
}

void write_environment(Roff& page, const Flags& flags) {
  const Explanation& explanation = flags.explanation();
  page.heading("ENVIRONMENT");
  bool has_any = !explanation.environment.empty();
  for (const Flag& flag : flags.flags()) {
    if (flag.variable.empty()) continue;
    has_any = true;
    page.meaning(flag.variable, fmt::format("Counts if --{} is not given.", flag.word));
  }
  write_meanings(page, explanation.environment);
  if (!has_any) page.paragraph("No variable changes what it does.");
  if (explanation.given.empty()) return;
  page.subheading("Given to the command");
  write_meanings(page, explanation.given);
}

void write_foreign(Roff& page, const Flags& flags) {
  if (flags.foreign().empty()) return;
  page.heading("FLAGS OF OTHER TOOLS");
  page.paragraph("They are refused with exit code 64, and with what to write here:");
  const auto all = flags.foreign();
  for (std::size_t at = 0; at < all.size();) {
    const ForeignFlag& first = all[at];
    // Those that are answered alike are one row.
    std::string heads(first.flag);
    while (++at < all.size() && all[at].tool == first.tool && all[at].write == first.write) {
      heads += ", " + std::string(all[at].flag);
    }
    page.meaning(heads, fmt::format("{}: {}.", first.tool, first.write));
  }
}

void write_examples(Roff& page, std::span<const Example> all) {
  page.heading("EXAMPLES");
  for (const Example& each : all) {
    page.paragraph(capitalized(each.caption) + ":");
    page.literal(each.lines);
  }
}

void write_see_also(Roff& page, std::string_view pages) {
  page.heading("SEE ALSO");
  page.paragraph(pages);
}

}  // namespace

std::string command_page(std::string_view name,
                         std::string_view summary,
                         std::string_view version,
                         const Flags& flags) {
  const std::string title = fmt::format("interlock-{}", name);
  const Explanation& explanation = flags.explanation();
  Roff page(title, 1, version, operands_of(flags));
  page.heading("NAME");
  page.name_line(title, summary);
  page.heading("SYNOPSIS");
  page.synopsis("interlock " + flags.synopsis());
  page.heading("DESCRIPTION");
  page.paragraph(flags.purpose());
  page.blocks(blocks_of(explanation.text));
  write_options(page, flags);
  page.heading("EXIT STATUS");
  write_meanings(page, explanation.exits);
  write_environment(page, flags);
  write_foreign(page, flags);
  write_examples(page, explanation.examples);
  write_see_also(page, explanation.see_also.empty()
                           ? "interlock(1)"
                           : fmt::format("interlock(1), {}", explanation.see_also));
  return page.text();
}

std::string main_page(std::string_view version,
                      std::span<const ListedCommand> commands,
                      std::span<const Example> examples) {
  Roff page("interlock", 1, version, {"COMMAND", "LOCK"});
  page.heading("NAME");
  page.name_line("interlock", "locks across processes and machines");
  page.heading("SYNOPSIS");
  page.synopsis("interlock COMMAND [flags] ...");
  page.heading("DESCRIPTION");
  page.blocks(blocks_of(texts::overview));
#ifdef INTERLOCK_CLI_SIMULATOR
  page.blocks(blocks_of(texts::laboratory));
#endif
  page.heading("COMMANDS");
  for (const ListedCommand& each : commands) {
    page.meaning(fmt::format("interlock-{}(1)", each.name), sentence_of(each.summary));
  }
  page.heading("OPTIONS");
  page.meaning("-h, --help", "List the commands. Behind a command: its flags.");
  page.meaning("--version", "Print the version.");
  page.heading("EXIT STATUS");
  page.paragraph("Each command's page has its own. These mean the same everywhere:");
  write_meanings(page, and_usual({{"0", "it is done"}},
                                 {usage, unreachable, internal, operating_system, not_acquired,
                                  refused, bad_configuration, lost, not_executable, not_found}));
  page.meaning("128+n", "Ended by signal n.");
  page.heading("ENVIRONMENT");
  page.meaning("INTERLOCK_STORE", "The store, if no flag names one: see interlock-stores(7).");
  page.meaning("INTERLOCK_STORE_FILE", "A file with the store's URL in its first line.");
  page.paragraph("The flags of a command may have variables of their own: see its page.");
  page.heading("FILES");
  page.blocks(blocks_of(texts::files));
  write_examples(page, examples);
  std::string pages;
  for (const ListedCommand& each : commands) pages += fmt::format("interlock-{}(1), ", each.name);
  for (const TextPage& each : text_pages())
    pages += fmt::format("{}({}), ", each.name, each.section);
  write_see_also(page, pages + "flock(1)");
  return page.text();
}

std::span<const TextPage> text_pages() {
  static const std::array pages{
      TextPage{"interlock-stores", 7, "where interlock keeps locks", texts::stores,
               "interlock(1), interlock-check(1), interlock-run(1), redis-server(1)"},
#ifdef INTERLOCK_CLI_SIMULATOR
      TextPage{"interlock-schedule", 5, "a run of a lock, step by step, as text", texts::schedule,
               "interlock(1), interlock-explore(1), interlock-replay(1), interlock-shrink(1)"},
#endif
  };
  return pages;
}

std::string text_page(const TextPage& page, std::string_view version) {
  Roff written(page.name, page.section, version, {"PATH", "NAME", "FILE", "DB", "LOCK"});
  written.heading("NAME");
  written.name_line(page.name, page.summary);
  for (const MarkedBlock& block : blocks_of(page.text)) {
    if (block.shape == MarkedBlock::BlockShape::heading) {
      written.heading(block.text);
    } else {
      written.blocks({block});
    }
  }
  write_see_also(written, page.see_also);
  return written.text();
}

}  // namespace interlock::cli
