// A drawing as a file of its own: what happened above the picture, its signs below.
#include <algorithm>

#include "assets.hpp"
#include "interlock/sim/draw.hpp"
#include "letters.hpp"
#include "svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

constexpr int margin = 16;
constexpr int title_size = 18;
constexpr int text_size = 14;
constexpr int small_size = 12;
constexpr std::string_view no_name;

class SheetWriter {
 public:
  SheetWriter(const Run& run, const Verdict* verdict, const Remarks& remarks)
      : run_(run),
        verdict_(verdict),
        remarks_(remarks),
        chart_(make_chart(run, verdict)),
        scene_(run, chart_, Room::wide) {}

  std::string write() {
    above();
    const int picture = y_;
    const std::string rows = svg_rows(chart_, scene_, no_name);
    y_ += scene_.height();
    legend(rows);
    replay();
    return beginning() + body_ + "<g transform=\"translate(" + std::to_string(margin) + " " +
           std::to_string(picture) + ")\">\n" + rows + "</g>\n</svg>\n";
  }

 private:
  int width() const { return scene_.width() + 2 * margin; }
  std::string title() const {
    return (chart_.title.empty() ? "A run" : chart_.title) + ": " +
           length_and_standing(run_, verdict_);
  }
  std::string outcome() const {
    if (!chart_.violation) return {};
    const std::string where =
        chart_.loop ? std::string() : "Step " + std::to_string(*chart_.violation) + ": ";
    return where + chart_.broken + ".";
  }
  std::string description() const {
    std::string words = outcome();
    if (words.empty()) words = "Time goes down; each client has a lane.";
    if (!chart_.why.empty()) words += " " + chart_.why + ".";
    return words;
  }

  std::string beginning() const {
    const std::string height = std::to_string(y_ + margin);
    const std::string size = std::to_string(width()) + " " + height;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"run\" role=\"img\" viewBox=\"0 0 " +
           size + "\" aria-labelledby=\"run-title run-desc\">\n<title id=\"run-title\">" +
           xml(title()) + "</title>\n<desc id=\"run-desc\">" + xml(description()) +
           "</desc>\n<style>\n" + std::string(run_style) + "</style>\n" + svg_definitions(no_name) +
           "<rect class=\"sheet\" x=\"0.5\" y=\"0.5\" width=\"" + std::to_string(width() - 1) +
           "\" height=\"" + std::to_string(y_ + margin - 1) + "\" rx=\"10\"/>\n";
  }

  void line(int x, const std::string& kind, const std::string& markup) {
    body_ += "<text class=\"" + kind + "\" x=\"" + std::to_string(x) + "\" y=\"" +
             std::to_string(y_) + "\">" + markup + "</text>\n";
  }
  void paragraph(const char* kind, const std::string& words, Face face, int size) {
    for (const std::string& one : in_lines(words, face, size, scene_.width())) {
      y_ += size * 3 / 2;
      line(margin, kind, xml(one));
    }
  }

  void above() {
    y_ = 10;
    paragraph("title", title(), Face::bold, title_size);
    y_ += 4;
    if (chart_.violation) paragraph("outcome", "✗ " + outcome(), Face::bold, text_size);
    if (!chart_.why.empty()) paragraph("words", "Why: " + chart_.why + ".", Face::sans, text_size);
    if (!remarks_.fix.empty()) paragraph("words", "Fix: " + remarks_.fix, Face::sans, text_size);
    y_ += 14;
  }

  void legend(const std::string& rows) {
    y_ += 12;
    int x = margin;
    for (const LegendEntry& entry : legend_of(rows)) {
      const int words = text_width(entry.words, Face::sans, small_size);
      if (x > margin && x + legend_sign_width + 8 + words > width() - margin) {
        x = margin;
        y_ += 22;
      }
      body_ += legend_sign(entry, x, y_, no_name);
      line(x + legend_sign_width + 8, "small", entry.words);
      x += legend_sign_width + 8 + words + 18;
    }
  }

  // A command that does not fit can be read whole by pointing at it.
  void replay() {
    if (remarks_.replay.empty()) return;
    y_ += 26;
    const std::string shown = fitted(remarks_.replay, Face::mono, small_size, scene_.width());
    const std::string whole =
        shown == remarks_.replay ? "" : "<title>" + xml(remarks_.replay) + "</title>";
    line(margin, "command", whole + xml(shown));
  }

  const Run& run_;
  const Verdict* verdict_;
  const Remarks& remarks_;
  Chart chart_;
  Scene scene_;
  int y_ = 0;
  std::string body_;
};

}  // namespace
}  // namespace draw

std::string draw_svg(const Run& run, const Verdict* verdict, const Remarks& remarks) {
  return draw::SheetWriter(run, verdict, remarks).write();
}

}  // namespace interlock::sim
