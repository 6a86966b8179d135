// The drawing for terminals: one row a step, in as many columns as there are.
#include <algorithm>
#include <array>

#include "captions.hpp"
#include "chart.hpp"
#include "columns.hpp"
#include "interlock/sim/draw.hpp"
#include "lanes.hpp"
#include "text_layout.hpp"

namespace interlock::sim {
namespace draw {
namespace {

constexpr std::size_t rows_most = 30;
constexpr std::size_t footer_indent = 10;
constexpr std::size_t invariant_column = 50;
// Narrower drawings would show nothing, and words in longer lines are hard to read.
constexpr std::size_t narrowest = 40;
constexpr std::size_t words_widest = 100;

std::size_t drawn_width(const TextStyle& style) {
  return std::max(style.width, narrowest);
}

// 6 in 80 columns.
std::size_t lanes_most(std::size_t width) {
  constexpr std::size_t others = 26;
  constexpr std::size_t least_lane = 9;
  return std::clamp<std::size_t>((width - std::min(width, others)) / least_lane, 2, 12);
}

// From column `used` on; the lines after the first begin at column `indent`.
std::string wrap(std::string_view words,
                 std::size_t used,
                 std::size_t indent,
                 const TextStyle& style) {
  const std::string whole = printable(words, style.ascii);
  std::string text;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find(' ', at + 1), whole.size());
    std::string word = whole.substr(at, end - at);
    if (used + columns(word) > style.width) {
      while (!text.empty() && text.back() == ' ') text.pop_back();
      text += "\n" + std::string(indent, ' ');
      used = indent;
      if (word.front() == ' ') word.erase(0, 1);
      word = shortened(word, style.width - indent, style.ascii);
    }
    used += columns(word);
    text += word;
    at = end;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + "\n";
}

class Painter {
 public:
  // `standing`: as standing_of() says it.
  Painter(const Chart& chart,
          const Verdict* verdict,
          std::string standing,
          const Remarks& remarks,
          TextStyle style)
      : chart_(chart),
        verdict_(verdict),
        standing_(std::move(standing)),
        remarks_(remarks),
        style_(style),
        plan_(chart, lanes_most(drawn_width(style))) {
    style_.width = drawn_width(style);
    measure();
  }

  std::string paint() {
    title();
    if (chart_.steps > 0 || style_.unfinished) table();
    if (!style_.unfinished) footer();
    return std::move(text_);
  }

 private:
  void measure() {
    number_width_ = std::max<std::size_t>(2, std::to_string(chart_.steps).size());
    std::size_t longest = 3;
    for (const ChartRow& row : chart_.rows) {
      longest = std::max(longest, clock_text(chart_, row.clock).size());
    }
    clock_width_ = std::min<std::size_t>(longest, 14) + 2;
    prefix_ = 1 + number_width_ + clock_width_ + 2;
    layout_ = TextLayout::choose(style_.width, prefix_, needs(false), needs(true));
    constexpr std::size_t usual = 80;
    style_.width = std::min(style_.width, std::max(prefix_ + layout_.sum(), usual));
  }

  ColumnNeeds needs(bool whole) const {
    // Where there is room, a blank is between what is written in two lanes.
    const std::size_t blank = whole ? 1 : 0;
    constexpr std::size_t bar_and_blank = 2;
    ColumnNeeds needs;
    needs.lanes.assign(plan_.count(), bar_and_blank);
    const auto grow = [](std::size_t& need, std::size_t by) { need = std::max(need, by); };
    for (std::size_t lane = 0; lane < plan_.own().size(); ++lane) {
      if (whole) grow(needs.lanes[lane], width_of(chart_.clients[plan_.own()[lane]]) + blank);
    }
    for (const ChartRow& row : chart_.rows) {
      if (row.mover) {
        const std::size_t lane = plan_.lane_of(*row.mover);
        std::string text = sentence(row, whole && chart_.several_keys, whole);
        if (lane >= plan_.own().size()) text = chart_.clients[*row.mover] + " " + text;
        grow(needs.lanes[std::min(lane, plan_.own().size())],
             bar_and_blank + width_of(text) + blank);
      }
      grow(needs.note, width_of(beside(row)));
      if (!beside(row).empty()) grow(needs.value, width_of(row.value) + 1);
      grow(needs.store, width_of(row.value));
    }
    grow(needs.store, std::max(width_of(chart_.key), needs.value + needs.note));
    return needs;
  }

  // --- pieces ------------------------------------------------------------------------------------
  const char* pick(const char* fancy, const char* plain) const {
    return style_.ascii ? plain : fancy;
  }
  std::string fit(std::string_view text, std::size_t most) const {
    return shortened(text, most, style_.ascii);
  }
  std::size_t width_of(std::string_view text) const {
    return columns(printable(text, style_.ascii));
  }
  std::string painted(std::string text, const char* code) const {
    if (!style_.colour || text.empty()) return text;
    return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
  }
  const char* hue(std::size_t client) const {
    // Red is kept for the violation.
    constexpr std::array hues{"32", "34", "35", "36", "33", "92", "94", "95"};
    return hues[client % hues.size()];
  }
  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text_ += text + "\n";
  }
  void rule() {
    std::string text;
    for (std::size_t i = 0; i + 2 < style_.width; ++i) text += pick("─", "-");
    line(text);
  }

  // --- the head ----------------------------------------------------------------------------------
  void title() {
    const std::string dot = pick(" · ", " - ");
    std::string text = chart_.title;
    if (!remarks_.variant.empty()) text += dot + "variant " + remarks_.variant;
    if (chart_.steps > 0) {
      text += dot + std::to_string(chart_.steps) + (chart_.steps == 1 ? " step" : " steps");
    }
    const std::string state = style_.unfinished ? std::string() : dot + outcome();
    text = fit(text, style_.width - columns(state));
    line(text + (chart_.violation ? painted(state, "31") : state));
  }
  std::string outcome() const {
    if (chart_.violation) return "VIOLATION";
    if (verdict_ == nullptr || verdict_->outcome == Outcome::proved) {
      return standing_ == "unfinished" ? standing_ : "ok";
    }
    return std::string(to_string(verdict_->outcome));
  }

  // --- the table ---------------------------------------------------------------------------------
  void table() {
    head();
    rule();
    const std::vector<std::size_t> visible = visible_rows(chart_, rows_most);
    std::size_t next = 0;
    for (const std::size_t at : visible) {
      if (at > next) fold(at - next);
      if (chart_.loop == chart_.rows[at].number) loop_mark();
      row(chart_.rows[at]);
      next = at + 1;
    }
    if (is_stuck(chart_)) loop_mark();
    rule();
  }

  void loop_mark() {
    const char* end = is_stuck(chart_) ? "" : ":";
    line(std::string(pick("↻", "@")) + " " + loop_text(chart_) + end);
  }

  void head() {
    std::string text = right_aligned("#", 1 + number_width_) +
                       right_aligned(chart_.milliseconds ? "ms" : "t", clock_width_) + "  ";
    for (const std::size_t client : plan_.own()) {
      const std::size_t width = lane_width(client);
      text += painted(padded(fit(chart_.clients[client], width - 1), width), hue(client));
    }
    if (!plan_.folded().empty()) {
      const std::string name = pick("…", "...");
      text += padded(fit(name + " +" + std::to_string(plan_.folded().size()), folded_width() - 1),
                     folded_width());
    }
    line(text + fit(chart_.key, layout_.value + layout_.note));
  }

  void fold(std::size_t steps) {
    line("  " + std::string(pick("⋮", ":")) + " " + std::to_string(steps) +
         " steps, no change of holder");
  }

  void row(const ChartRow& row) {
    const bool repeats = chart_.loop && row.number >= *chart_.loop;
    std::string mark = row.violation && !chart_.loop ? pick("▶", ">")
                       : repeats                     ? pick("↻", "@")
                                                     : " ";
    std::string text =
        painted(mark, "31") + right_aligned(std::to_string(row.number), number_width_);
    text +=
        right_aligned(fit(clock_text(chart_, row.clock), clock_width_ - 1), clock_width_) + "  ";
    for (const std::size_t client : plan_.own()) {
      text += painted(cell(row, client, lane_width(client), {}), hue(client));
    }
    if (!plan_.folded().empty()) text += folded_cell(row);
    // A value that fills its column keeps a space to the note, unless there is none.
    const std::size_t whole = layout_.value + layout_.note;
    const std::string words = beside(row);
    text += words.empty() ? fit(row.value, whole)
                          : padded(fit(row.value, std::max<std::size_t>(layout_.value, 1) - 1),
                                   layout_.value);
    const std::string note = fit(words, layout_.note);
    line(text + (row.violation ? painted(note, "1;31") : note));
  }

  std::size_t lane_width(std::size_t client) const { return layout_.lanes[plan_.lane_of(client)]; }
  std::size_t folded_width() const { return layout_.lanes.back(); }

  std::string folded_cell(const ChartRow& row) const {
    for (const std::size_t client : plan_.folded()) {
      if (row.mover == client) return cell(row, client, folded_width(), chart_.clients[client]);
    }
    return padded(bar(plan_.shared(row)), folded_width());
  }

  // `name`: of the client, if others share the lane.
  std::string cell(const ChartRow& row,
                   std::size_t client,
                   std::size_t width,
                   const std::string& name) const {
    const Lane lane = row.lanes[client];
    const std::size_t room = width - 2;
    std::string text;
    if (row.mover == client) {
      text = step_text(row, room - std::min(room, name.empty() ? 0 : width_of(name) + 1));
    } else if (row.number == 0 && lane == Lane::dead) {
      text = "✗ crashed";
    }
    if (text.empty()) return padded(bar(lane), width);
    if (!name.empty()) text = name + " " + text;
    // A cross stands in the lane itself.
    if (text.starts_with("✗")) return padded(fit(text, width - 1), width);
    return padded(bar(lane) + " " + fit(text, room), width);
  }

  std::string step_text(const ChartRow& row, std::size_t room) const {
    const bool roomy = layout_.is_whole || room >= 20;
    for (const bool argument : {roomy, false}) {
      if (roomy && !argument && row.word == "write") return write_text(row, room);
      for (const bool target : {chart_.several_keys, false}) {
        std::string text = sentence(row, target, argument);
        if (width_of(text) <= room) return text;
      }
    }
    return with_its_reply(row, room);
  }

  // The reply says more than the end of a long word.
  std::string with_its_reply(const ChartRow& row, std::size_t room) const {
    constexpr std::size_t least_word = 2;
    std::string whole = sentence(row, false, false);
    if (row.reply.empty() || row.pending) return whole;
    const std::string reply = "→" + row.reply;
    if (width_of(reply) + least_word > room) return whole;
    const std::string word = whole.substr(0, whole.size() - reply.size());
    return fit(word, room - width_of(reply)) + reply;
  }

  // Fencing tokens differ in their last digits, so a long token shows these.
  std::string write_text(ChartRow row, std::size_t room) const {
    constexpr std::size_t fewest = 4;
    std::string text = sentence(row, false, false);
    const std::string mark = pick(" #…", " #~");
    // One more is free before the next column.
    const std::size_t others = width_of(text) + columns(mark) + 1;
    if (others + fewest > room) return text;
    row.argument = mark.substr(1) + row.argument.substr(row.argument.size() - (room - others));
    return sentence(row, false, true);
  }

  std::string bar(Lane lane) const {
    switch (lane) {
      case Lane::alive:
        return pick("│", "|");
      case Lane::holds:
      case Lane::outlived:
        return pick("┃", "#");
      case Lane::dead:
        return pick("╎", ":");
      case Lane::done:
        break;
    }
    return " ";
  }

  // --- the foot ----------------------------------------------------------------------------------
  void footer() {
    if (chart_.violation) {
      violation();
    } else if (verdict_ != nullptr) {
      no_violation();
    }
    remark("why", chart_.why);
    remark("fix", remarks_.fix);
    command("next", remarks_.next);
    command("replay", remarks_.replay);
    // A proof has named them already.
    if (verdict_ != nullptr && verdict_->outcome != Outcome::proved) {
      remark("bounds", verdict_->bounds);
    }
  }

  void violation() {
    const std::string cross = painted(pick("✗", "X"), "31");
    const std::string left =
        chart_.loop ? " " + chart_.broken
                    : " step " + std::to_string(*chart_.violation) + ": " + chart_.broken;
    if (chart_.property.empty()) return wrapped(cross, left, 2);
    const std::string right = "invariant: " + chart_.property;
    if (columns(left) + 2 > invariant_column || columns(right) + invariant_column > style_.width) {
      wrapped(cross, left, 2);
      return wrapped("", "  " + right, 2);
    }
    line(cross + padded(printable(left, style_.ascii), invariant_column - 1) + right);
  }

  void no_violation() {
    if (verdict_->outcome == Outcome::proved) {
      wrapped(pick("✓", "ok:"),
              " no run breaks it: " + verdict_->bounds + " (" + std::to_string(verdict_->states) +
                  " states)",
              2);
    } else {
      wrapped("?", " " + std::string(to_string(verdict_->outcome)) + ": " + verdict_->reason, 2);
    }
  }

  void remark(const char* name, const std::string& text) {
    if (text.empty()) return;
    wrapped(padded("  " + std::string(name), footer_indent), text, footer_indent);
  }

  // This line is there to be pasted, so it is neither wrapped nor cut.
  void command(const char* name, const std::string& text) {
    if (text.empty()) return;
    text_ += padded("  " + std::string(name), footer_indent) + printable(text, style_.ascii) + "\n";
  }

  // `head` is drawn as it is, and takes no more columns than `indent` unless it says `ok:`.
  void wrapped(const std::string& head, std::string_view words, std::size_t indent) {
    const std::size_t used = head.find('\x1b') == std::string::npos ? columns(head) : 1;
    text_ += head + wrap(words, used, indent, style_);
  }

  const Chart& chart_;
  const Verdict* verdict_;
  std::string standing_;
  const Remarks& remarks_;
  TextStyle style_;
  LanePlan plan_;
  std::size_t number_width_ = 2;
  std::size_t clock_width_ = 5;
  std::size_t prefix_ = 10;
  TextLayout layout_;
  std::string text_;
};

}  // namespace
}  // namespace draw

std::string draw_text(const Run& run,
                      const Verdict* verdict,
                      const Remarks& remarks,
                      const TextStyle& style) {
  const draw::Chart chart = draw::make_chart(run, verdict);
  return draw::Painter(chart, verdict, draw::standing_of(run, verdict), remarks, style).paint();
}

std::string draw_words(std::string_view text, std::size_t indent, const TextStyle& style) {
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  TextStyle wide = style;
  wide.width = std::min(draw::drawn_width(style), draw::words_widest);
  return draw::wrap(flat, 0, indent, wide);
}

}  // namespace interlock::sim
