// By libedit, which reads each character through a function of ours. There this waits for keys and
// for signals together: with handlers, a signal between two keys could wait for the next key.
#include "interactive/line_editor.hpp"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interactive/tab_completion.hpp"
#include "supervision/supervise.hpp"
#include "system/full_screen.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"

namespace interlock::cli {
namespace {

constexpr int lines_kept = 500;

// Keys of today's terminals that libedit does not know by itself.
constexpr std::array<std::array<const char*, 2>, 13> more_keys{{
    {"\\e[3~", "ed-delete-next-char"},
    {"\\e[H", "ed-move-to-beg"},
    {"\\eOH", "ed-move-to-beg"},
    {"\\e[1~", "ed-move-to-beg"},
    {"\\e[F", "ed-move-to-end"},
    {"\\eOF", "ed-move-to-end"},
    {"\\e[4~", "ed-move-to-end"},
    {"\\e[1;5D", "ed-prev-word"},
    {"\\e[1;5C", "em-next-word"},
    {"^R", "em-inc-search-prev"},
    {"^W", "ed-delete-prev-word"},
    {"\\ep", "ed-search-prev-history"},
    {"^I", "complete-word"},
}};

class LibeditEditor final : public LineEditor {
 public:
  LibeditEditor()
      : edit_(::el_init("interlock", stdin, stdout, stderr)), history_(::history_init()) {
    ::el_set(edit_, EL_CLIENTDATA, this);
    ::el_set(edit_, EL_PROMPT, &prompt_of);
    ::el_set(edit_, EL_GETCFN, &next_character);
    ::el_set(edit_, EL_EDITOR, "emacs");
    ::el_set(edit_, EL_ADDFN, "complete-word", "complete the word before the cursor",
             &complete_word);
    for (const auto& [key, function] : more_keys) {
      ::el_set(edit_, EL_BIND, key, function, nullptr);
    }
    HistEvent event{};
    ::history(history_, &event, H_SETSIZE, lines_kept);
    ::history(history_, &event, H_SETUNIQUE, 1);
    ::el_set(edit_, EL_HIST, &::history, history_);
    ::el_source(edit_, nullptr);
  }
  ~LibeditEditor() override {
    ::history_end(history_);
    ::el_end(edit_);
  }

  std::optional<std::string> read(const std::string& prompt,
                                  const PossibleWords& possible) override {
    prompt_ = prompt;
    possible_ = &possible;
    std::optional<std::string> line;
    {
      Signals signals;
      signals_ = &signals;
      if (await_foreground()) line = edited();
      signals_ = nullptr;
    }
    if (ended_by_ != 0) {
      static_cast<void>(answer("\n"));
      ::raise(ended_by_);
    }
    return line;
  }

 private:
  static LibeditEditor& of(EditLine* edit) {
    void* editor = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &editor);
    return *static_cast<LibeditEditor*>(editor);
  }

  static char* prompt_of(EditLine* edit) { return of(edit).prompt_.data(); }

  // The terminal may have another size than at the last line.
  std::optional<std::string> edited() {
    ::el_resize(edit_);
    int count = 0;
    const char* const text = ::el_gets(edit_, &count);
    if (text == nullptr || count <= 0) return std::nullopt;
    std::string line(text, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    HistEvent event{};
    if (!line.empty()) ::history(history_, &event, H_ENTER, line.c_str());
    return line;
  }

  // --- keys and signals --------------------------------------------------------------------------

  // 1: a character was read. 0: the input has ended. -1: a signal ends us.
  static int next_character(EditLine* edit, wchar_t* character) {
    LibeditEditor& editor = of(edit);
    std::mbstate_t state{};
    for (;;) {
      if (!editor.await_key()) return editor.ended_by_ != 0 ? -1 : 0;
      char byte = 0;
      if (::read(STDIN_FILENO, &byte, 1) != 1) return 0;
      const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length == 0 || length == 1) return 1;
      // Else it goes on, or these bytes are none, and are left out.
      if (length == static_cast<std::size_t>(-1)) state = std::mbstate_t{};
    }
  }

  // False: there will be no key.
  bool await_key() {
    for (;;) {
      std::array<pollfd, 2> files{{{signals_->descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
      ::poll(files.data(), files.size(), -1);
      for (const Taken& each : signals_->take()) {
        if (!obey(each.signal)) return false;
      }
      if (files[1].revents != 0) return true;
    }
  }

  // False: nothing is read any more.
  bool obey(int signal) {
    if (asks_to_end(signal)) {
      ended_by_ = signal;
      return false;
    }
    if (signal == SIGWINCH) {
      // From the beginning of the line: libedit does not know where the terminal has put what stood
      // there.
      static_cast<void>(answer("\r\033[J"));
      draw_again();
    }
    if (signal == SIGTSTP) {
      ::el_set(edit_, EL_PREP_TERM, 0);
      stop_ourselves();
    }
    if (signal != SIGCONT && signal != SIGTSTP) return true;
    if (!await_foreground()) return false;
    // A shell has set the terminal as it likes it.
    ::el_set(edit_, EL_PREP_TERM, 0);
    ::el_set(edit_, EL_PREP_TERM, 1);
    static_cast<void>(answer("\r\033[J"));
    draw_again();
    return true;
  }

  void draw_again() {
    ::el_resize(edit_);
    ::el_set(edit_, EL_REFRESH);
  }

  // In the background the terminal belongs to others: stops until we are in the foreground, as any
  // program does that reads there. False: nobody could bring us there, so the input has ended.
  bool await_foreground() {
    const Terminal terminal;
    while (terminal.exists() && !terminal.ours()) {
      ::raise(SIGTTIN);
      const std::vector<Taken> taken = signals_->take();
      bool went_on = false;
      for (const Taken& each : taken) {
        if (asks_to_end(each.signal)) ended_by_ = each.signal;
        if (each.signal == SIGCONT) went_on = true;
      }
      if (ended_by_ != 0 || !went_on) return false;
    }
    return true;
  }

  // --- Tab ---------------------------------------------------------------------------------------

  static unsigned char complete_word(EditLine* edit, int) {
    LibeditEditor& editor = of(edit);
    const LineInfo* const line = ::el_line(edit);
    const std::string_view before(line->buffer,
                                  static_cast<std::size_t>(line->cursor - line->buffer));
    if (!*editor.possible_) return CC_ERROR;
    const auto completion =
        complete(before, (*editor.possible_)(before.substr(0, before.find_last_of(' ') + 1)));
    if (!completion) return CC_ERROR;
    if (!completion->insert.empty()) {
      return ::el_insertstr(edit, completion->insert.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::string text;
    for (const std::string& word : completion->choices) text += (text.empty() ? "" : "  ") + word;
    static_cast<void>(answer("\n" + wrapped(text, 0, terminal_columns()) + "\n"));
    return CC_REDISPLAY;
  }

  EditLine* edit_;
  ::History* history_;
  Signals* signals_ = nullptr;  // while a line is read
  const PossibleWords* possible_ = nullptr;
  std::string prompt_;
  int ended_by_ = 0;
};

}  // namespace

std::unique_ptr<LineEditor> LineEditor::open() {
  if (::isatty(STDIN_FILENO) != 1 || !moves_cursor()) return nullptr;
  // For characters beyond ASCII. Nothing else of the program depends on the locale.
  std::setlocale(LC_CTYPE, "");
  return std::make_unique<LibeditEditor>();
}

}  // namespace interlock::cli
