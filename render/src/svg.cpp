// Writes the SVG by itself: vertical lanes, time downwards, text as text, colours by class.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "columns.hpp"
#include "letters.hpp"
#include "svg_writer.hpp"

namespace interlock::sim::draw {
namespace {

std::string number(int value) {
  return std::to_string(value);
}

// Tenths of a unit, for slanted lines.
std::string tenths(double value) {
  const long rounded = std::lround(value * 10);
  const std::string whole = (rounded < 0 ? "-" : "") + std::to_string(std::labs(rounded) / 10);
  const long rest = std::labs(rounded) % 10;
  return rest == 0 ? whole : whole + "." + std::to_string(rest);
}

class Point {
 public:
  double x;
  double y;
};

class RowsWriter {
 public:
  RowsWriter(const Chart& chart, const Scene& scene, std::string_view name)
      : chart_(chart), scene_(scene), name_(name) {}

  std::string write() {
    head();
    for (std::size_t at = 0; at < chart_.rows.size(); ++at) row(at);
    if (chart_.loop) loop();
    return std::move(text_);
  }

 private:
  void add(const std::string& markup) { text_ += markup + "\n"; }

  // Text that has been shortened says the whole when it is pointed at.
  void label(int x, int y, const std::string& kind, const std::string& words, int room) {
    written(x, y, kind, words, fitted(words, Face::mono, Scene::label_size, room));
  }
  void written(
      int x, int y, const std::string& kind, const std::string& words, const std::string& shown) {
    if (words.empty()) return;
    const std::string whole = shown == words ? "" : "<title>" + xml(words) + "</title>";
    add("<text class=\"" + kind + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" + whole +
        xml(shown) + "</text>");
  }

  static std::string client_class(std::size_t client) {
    return "client-" + std::to_string(client % 8);
  }

  void head() {
    for (std::size_t client = 0; client < chart_.clients.size(); ++client) {
      // The first lane stands near the edge.
      const int room = std::min(scene_.name_room(), 2 * scene_.client_x(0) - 4);
      const std::string& name = chart_.clients[client];
      written(scene_.client_x(client), 20, "name " + client_class(client), name,
              fitted(name, Face::bold, Scene::name_size, room));
    }
    for (std::size_t server = 0; server < scene_.servers(); ++server) {
      const bool only = scene_.servers() == 1;
      written(scene_.server_x(server), 20, "name store", only ? "store" : server_name(server),
              only ? "store" : server_name(server));
    }
  }
  static std::string server_name(std::size_t server) { return "S" + std::to_string(server + 1); }

  void row(std::size_t at) {
    const ChartRow& row = chart_.rows[at];
    const Caption& caption = scene_.caption(at);
    const SceneRow& place = scene_.row(at);
    const bool repeats = chart_.loop && row.number >= *chart_.loop;
    const bool violates = row.violation && !chart_.loop;
    add("<g class=\"step" + std::string(violates ? " violation" : "") +
        (repeats ? " repeats" : "") + (row.fault ? " fault" : "") + "\" data-step=\"" +
        std::to_string(row.number) + "\">");
    add("<title>" + xml(caption.spoken) + "</title>");
    add("<rect class=\"band\" x=\"1\" y=\"" + number(place.top) + "\" width=\"" +
        number(scene_.width() - 2) + "\" height=\"" + number(place.height) + "\" rx=\"5\"/>");
    lanes(at);
    leases(at);
    label(Scene::number_x, place.middle() + 4, "number",
          (violates ? "▶" : "") + std::to_string(row.number), Scene::number_x);
    happening(at, caption);
    beside(at, caption);
    add("</g>");
  }

  // --- lanes and bars ----------------------------------------------------------------------------
  // A row's change happens in its middle. The parts overlap, so that no gap shows between them.
  void lanes(std::size_t at) {
    const SceneRow& place = scene_.row(at);
    const int end = place.top + place.height;
    for (std::size_t server = 0; server < scene_.servers(); ++server) {
      stroke("server-lane", scene_.server_x(server), place.top, end);
    }
    const ChartRow& row = chart_.rows[at];
    const ChartRow& before = chart_.rows[at == 0 ? 0 : at - 1];
    for (std::size_t client = 0; client < row.lanes.size(); ++client) {
      if (row.lanes[client] == before.lanes[client]) {
        lane(client, row.lanes[client], place.top, end);
        continue;
      }
      const int change = row.mover == client ? change_of(at) : place.middle();
      lane(client, before.lanes[client], place.top, change);
      lane(client, row.lanes[client], change, end);
    }
  }
  // A client changes when it hears the answer.
  int change_of(std::size_t at) const {
    const bool exchange = scene_.caption(at).kind == RowKind::exchange;
    return exchange ? scene_.row(at).top + heard : scene_.row(at).middle();
  }
  void stroke(const std::string& kind, int x, int from, int to) {
    add("<path class=\"" + kind + "\" d=\"M" + number(x) + " " + number(from) + "V" +
        number(to + 1) + "\"/>");
  }
  void lane(std::size_t client, Lane lane, int from, int to) {
    const int x = scene_.client_x(client);
    const std::string own = " " + client_class(client);
    if (lane == Lane::done) return;
    if (lane == Lane::outlived) {
      add("<rect class=\"outlived" + own + "\" x=\"" + number(x - 5) + "\" y=\"" + number(from) +
          "\" width=\"10\" height=\"" + number(to - from) + "\" fill=\"url(#" + std::string(name_) +
          "hatch)\"/>");
      return;
    }
    stroke((lane == Lane::holds  ? "holds"
            : lane == Lane::dead ? "dead"
                                 : "alive") +
               own,
           x, from, to);
  }

  void leases(std::size_t at) {
    const SceneRow& place = scene_.row(at);
    for (std::size_t track = 0; track < scene_.tracks().size(); ++track) {
      const LeaseTrack& one = scene_.tracks()[track];
      const int x = scene_.track_x(track);
      if (at > 0) lease(one.stands[at - 1], x, place.top, place.middle());
      lease(one.stands[at], x, at > 0 ? place.middle() : place.top, place.top + place.height);
    }
  }
  void lease(const std::optional<LeaseStand>& stand, int x, int from, int to) {
    if (!stand) return;
    const std::string own = stand->owner ? client_class(*stand->owner) : "nobody";
    const auto bar = [&](const char* kind, const std::string& width) {
      add("<rect class=\"" + std::string(kind) + " " + own + "\" x=\"" + number(x) + "\" y=\"" +
          number(from) + "\" width=\"" + width + "\" height=\"" + number(to - from) + "\"/>");
    };
    bar("lease-whole", number(Scene::bar_width));
    bar("lease", tenths(Scene::bar_width * stand->hundredths / 100.0));
  }

  // --- what happens ------------------------------------------------------------------------------
  static constexpr int asked = 16;
  static constexpr int heard = 34;

  void happening(std::size_t at, const Caption& caption) {
    const ChartRow& row = chart_.rows[at];
    if (caption.kind == RowKind::exchange || caption.kind == RowKind::arrival) {
      if (row.mover) exchange(at, *row.mover, caption);
    } else if (caption.kind == RowKind::time) {
      time(at, caption);
    } else if (caption.kind == RowKind::beginning) {
      label(scene_.client_x(0) + Scene::to_label, scene_.row(at).middle() + 4, "label quiet",
            caption.event, scene_.label_room(0));
      crashed_before(at);
    } else {
      event(at, caption);
    }
  }

  void exchange(std::size_t at, std::size_t client, const Caption& caption) {
    const bool arrival = caption.kind == RowKind::arrival;
    const double top = scene_.row(at).top;
    const double from = scene_.client_x(client);
    const double to = scene_.server_x(caption.server);
    const double middle = top + (arrival ? 6 : 25);
    const double ends = top + (arrival ? 16 : heard);
    add("<g class=\"" + client_class(client) + "\">");
    arrow("arrow", caption.request, {from, top + asked}, {to - 3, middle - 1});
    arrow("arrow answer", caption.answer, {from, ends}, {to, middle + 1}, true);
    const int x = scene_.client_x(client) + Scene::to_label;
    const int room = scene_.label_room(client);
    if (!arrival) label(x, static_cast<int>(top) + asked - 4, "label", caption.asks, room);
    if (!caption.hears.empty()) {
      const int y = static_cast<int>(ends) + (arrival ? 12 : 13);
      label(x, y, "label reply", "← " + caption.hears, room);
    }
    add("</g>");
  }

  // From the client to the server, or back; one that does not arrive ends on the way.
  void arrow(const char* kind, Passage passage, Point client, Point server, bool back = false) {
    if (passage == Passage::none) return;
    const Point from = back ? server : client;
    const Point aim = back ? Point{client.x + 4, client.y} : server;
    const double part = passage == Passage::arrives ? 1 : 0.45;
    const Point to{from.x + (aim.x - from.x) * part, from.y + (aim.y - from.y) * part};
    add("<path class=\"" + std::string(kind) + (part < 1 ? " stopped" : "") + "\" d=\"M" +
        tenths(from.x) + " " + tenths(from.y) + "L" + tenths(to.x) + " " + tenths(to.y) + "\"/>");
    if (passage == Passage::arrives) arrow_head(from, to);
    if (passage == Passage::lost) cross(static_cast<int>(to.x), static_cast<int>(to.y));
    if (passage == Passage::pending) dot(static_cast<int>(to.x), static_cast<int>(to.y), "dot");
  }
  void arrow_head(Point from, Point to) {
    const double length =
        std::sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y));
    const Point way{(to.x - from.x) / length, (to.y - from.y) / length};
    const auto corner = [&](double aside) {
      return "L" + tenths(to.x - 8 * way.x - aside * way.y) + " " +
             tenths(to.y - 8 * way.y + aside * way.x);
    };
    add("<path class=\"arrow-head\" d=\"M" + tenths(to.x) + " " + tenths(to.y) + corner(3.5) +
        corner(-3.5) + "z\"/>");
  }
  void cross(int x, int y) {
    add("<path class=\"cross\" d=\"M" + number(x - 5) + " " + number(y - 5) + "l10 10M" +
        number(x - 5) + " " + number(y + 5) + "l10 -10\"/>");
  }
  void dot(int x, int y, const std::string& kind) {
    add("<circle class=\"" + kind + "\" cx=\"" + number(x) + "\" cy=\"" + number(y) +
        "\" r=\"4\"/>");
  }

  void time(std::size_t at, const Caption& caption) {
    const int middle = scene_.row(at).middle();
    add("<path class=\"time-line\" d=\"M" + number(Scene::number_x + 6) + " " + number(middle) +
        "H" + number(scene_.server_x(scene_.servers() - 1)) + "\"/>");
    label(scene_.client_x(0) + Scene::to_label, middle - 4, "label quiet", caption.event,
          scene_.label_room(0));
  }

  void event(std::size_t at, const Caption& caption) {
    const int middle = scene_.row(at).middle();
    const auto mover = chart_.rows[at].mover;
    const bool at_server = caption.at_server || !mover;
    const int x = at_server ? scene_.server_x(caption.server) : scene_.client_x(*mover);
    add("<g class=\"" + (mover ? client_class(*mover) : "nobody") + "\">");
    if (caption.fault) {
      cross(x, middle);
    } else {
      dot(x, middle, "dot");
    }
    std::string text = caption.event;
    if (text.starts_with("✗ ")) text.erase(0, std::string("✗ ").size());
    label(at_server ? x - 11 : x + 11, middle + 4,
          std::string(caption.fault ? "label bad" : "label") + (at_server ? " end" : ""), text,
          at_server ? x - 70 : scene_.label_room(*mover));
    add("</g>");
  }

  void crashed_before(std::size_t at) {
    for (std::size_t client = 0; client < chart_.clients.size(); ++client) {
      if (chart_.rows[at].lanes[client] != Lane::dead) continue;
      cross(scene_.client_x(client), scene_.row(at).middle());
    }
  }

  // --- beside the servers ------------------------------------------------------------------------
  void beside(std::size_t at, const Caption& caption) {
    const int middle = scene_.row(at).middle();
    std::vector<std::size_t> count(scene_.servers(), 0);
    for (const StoreNews& one : caption.news) ++count[one.server];
    for (std::size_t server = 0; server < scene_.servers(); ++server) {
      const bool last = scene_.is_last(server);
      const int lines = static_cast<int>(std::min<std::size_t>(count[server], last ? 2 : 1)) +
                        (last && !caption.note.empty() ? 1 : 0);
      int y = middle + 4 - (lines - 1) * Scene::line_height / 2;
      if (count[server] > 0 && at > 0) dot(scene_.server_x(server), middle, "store-dot");
      y = news(server, caption, count[server], y, last ? 2 : 1);
      if (last) {
        label(scene_.beside_x(server), y,
              chart_.rows[at].violation || caption.fault ? "label bad" : "label quiet",
              caption.note, scene_.beside_room(server));
      }
    }
  }
  int news(std::size_t server, const Caption& caption, std::size_t count, int y, std::size_t most) {
    std::size_t shown = 0;
    for (const StoreNews& one : caption.news) {
      if (one.server != server || ++shown > most) continue;
      // One line stands for all that follow.
      const bool more = shown == most && count > most;
      const std::string text =
          more ? "… and " + std::to_string(count - most + 1) + " more" : one.text;
      label(scene_.beside_x(server), y, one.gone && !more ? "label gone" : "label value", text,
            scene_.beside_room(server));
      y += Scene::line_height;
    }
    return y;
  }

  // --- loops -------------------------------------------------------------------------------------
  // From below the last row back to the first that repeats.
  void loop() {
    const SceneRow& last = scene_.row(chart_.rows.size() - 1);
    const int end = last.top + last.height;
    if (!is_stuck(chart_)) {
      const int back = scene_.row(*chart_.loop).middle();
      add("<path class=\"loop\" d=\"M" + number(Scene::number_x) + " " + number(end + 12) +
          "H10Q4 " + number(end + 12) + " 4 " + number(end + 6) + "V" + number(back + 6) + "Q4 " +
          number(back) + " 10 " + number(back) + "\"/>");
      add("<path class=\"loop-head\" d=\"M15 " + number(back) + "l-7 -4v8z\"/>");
    }
    label(Scene::number_x + 6, end + 17, is_stuck(chart_) ? "label bad" : "label loop-words",
          loop_text(chart_), scene_.width() - Scene::number_x - 8);
  }

  const Chart& chart_;
  const Scene& scene_;
  std::string_view name_;
  std::string text_;
};

}  // namespace

std::string xml(std::string_view text) {
  std::string result;
  for (const char byte : printable(text, false)) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

std::string svg_definitions(std::string_view name) {
  return "<defs><pattern id=\"" + std::string(name) +
         "hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"6\" height=\"6\"/>"
         "<rect class=\"hatch-line\" width=\"3\" height=\"6\"/></pattern></defs>\n";
}

std::string svg_rows(const Chart& chart, const Scene& scene, std::string_view name) {
  return RowsWriter(chart, scene, name).write();
}

}  // namespace interlock::sim::draw
