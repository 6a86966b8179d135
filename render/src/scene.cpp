#include "scene.hpp"

#include <algorithm>

#include "letters.hpp"

namespace interlock::sim::draw {
namespace {

constexpr std::size_t tracks_most = 2;

// What a picture may take: the column of a document, and a telephone held upright.
class Measures {
 public:
  int least;
  int most;
  int gap_least;
  int gap_most;
  int beside_least;
  int beside_most;
  int server_gap_least;
  int server_gap_most;
  int label_least;  // between the last client and the first server
};
constexpr Measures wide{608, 848, 44, 150, 84, 230, 40, 110, 90};
constexpr Measures narrow{320, 320, 28, 60, 64, 96, 34, 46, 72};

}  // namespace

Scene::Scene(const Run& run, const Chart& chart, Room room)
    : captions_(captions_of(run, chart)),
      tracks_(lease_tracks(run, chart.key, tracks_most)),
      servers_(servers_of(run)) {
  bars_.assign(servers_, 0);
  for (const LeaseTrack& track : tracks_) ++bars_[track.server];
  place_lanes(run, chart, room);
  place_rows(chart.loop.has_value());
}

int Scene::longest_name(const Chart& chart) const {
  int longest = 0;
  for (const std::string& name : chart.clients) {
    longest = std::max(longest, text_width(name, Face::bold, name_size));
  }
  return longest;
}

// Notes stand beside the last server.
int Scene::widest_beside(bool last) const {
  int widest = 0;
  for (const Caption& caption : captions_) {
    for (const StoreNews& one : caption.news) {
      if (is_last(one.server) != last) continue;
      widest = std::max(widest, text_width(one.text, Face::mono, label_size));
    }
    if (last) widest = std::max(widest, text_width(caption.note, Face::mono, label_size));
  }
  return widest;
}

int Scene::store_wanted(const Run& run) const {
  int wanted = client_x(run.clients.empty() ? 0 : run.clients.size() - 1) + 150;
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    const Caption& caption = captions_[at + 1];
    const std::size_t client = caption.at_server ? 0 : run.steps[at].client.value_or(0);
    for (const std::string* text : {&caption.asks, &caption.event, &caption.hears}) {
      const int extra = text == &caption.hears ? 20 : 0;
      wanted = std::max(wanted,
                        client_x(client) + text_width(*text, Face::mono, label_size) + extra + 20);
    }
  }
  return wanted;
}

void Scene::place_lanes(const Run& run, const Chart& chart, Room room) {
  const Measures& measures = room == Room::wide ? wide : narrow;
  const int count = std::max(1, static_cast<int>(run.clients.size()));
  const int gaps = static_cast<int>(servers_) - 1;
  const int most_bars = *std::max_element(bars_.begin(), bars_.end());
  const int bars = most_bars * (bar_width + bar_gap) + 14;
  const int beside =
      std::clamp(widest_beside(true) + bars, measures.beside_least, measures.beside_most);
  if (gaps > 0) {
    server_gap_ = std::clamp(widest_beside(false) + bars + 8, measures.server_gap_least,
                             measures.server_gap_most);
  }
  const int rest = beside + server_gap_ * gaps;
  client_gap_ = std::clamp(longest_name(chart) + 16, measures.gap_least, measures.gap_most);
  if (store_wanted(run) + rest > measures.most) {
    // Labels are worth more than long names.
    const int room_for_gaps = (measures.most - rest - first_client_ - 150) / count;
    client_gap_ = std::clamp(room_for_gaps, measures.gap_least, client_gap_);
  }
  const int end = std::clamp(store_wanted(run) + rest, measures.least, measures.most);
  // With so many lanes that nothing else fits, the picture is wider than its measure.
  const int last_client = client_x(static_cast<std::size_t>(count) - 1);
  first_server_ = std::max(end - rest, last_client + measures.label_least);
  width_ = first_server_ + rest;
}

int Scene::lines_of(const Caption& caption) const {
  const auto news = std::count_if(caption.news.begin(), caption.news.end(),
                                  [this](const StoreNews& one) { return is_last(one.server); });
  return std::min(2, static_cast<int>(news)) + (caption.note.empty() ? 0 : 1);
}

void Scene::place_rows(bool with_foot) {
  int top = head;
  for (const Caption& caption : captions_) {
    const bool exchange = caption.kind == RowKind::exchange;
    const int height = exchange ? exchange_height : 32;
    rows_.push_back({top, std::max(height, lines_of(caption) * line_height + 12)});
    top += rows_.back().height;
  }
  height_ = top + (with_foot ? 30 : 10);
}

int Scene::beside_x(std::size_t server) const {
  return server_x(server) + 10 + bars_[server] * (bar_width + bar_gap);
}

int Scene::beside_room(std::size_t server) const {
  return (is_last(server) ? width_ : server_x(server + 1) - 6) - beside_x(server) - 2;
}

int Scene::track_x(std::size_t track) const {
  int before = 0;
  for (std::size_t at = 0; at < track; ++at) {
    if (tracks_[at].server == tracks_[track].server) ++before;
  }
  return server_x(tracks_[track].server) + 5 + before * (bar_width + bar_gap);
}

}  // namespace interlock::sim::draw
