// Where everything in a picture of a run stands. A unit is a pixel of the picture at its own size;
// pictures are scaled to their frames.
#pragma once

#include <string>
#include <vector>

#include "captions.hpp"
#include "chart.hpp"
#include "lease_tracks.hpp"

namespace interlock::sim::draw {

// For a page or a document, or for a narrow screen.
enum class Room : std::uint8_t { wide, narrow };

class SceneRow {
 public:
  int top = 0;
  int height = 0;
  int middle() const { return top + height / 2; }
};

class Scene {
 public:
  Scene(const Run& run, const Chart& chart, Room room);

  static constexpr int label_size = 12;  // of the monospaced text; names are larger
  static constexpr int name_size = 15;
  static constexpr int number_x = 36;  // the right end of the steps' numbers
  static constexpr int head = 34;      // where the first row begins
  static constexpr int bar_width = 8;  // of a lease, whole
  static constexpr int bar_gap = 3;
  static constexpr int line_height = 15;  // of what stands beside a server
  static constexpr int to_label = 10;     // from a lane to its label
  static constexpr int exchange_height = 52;

  int width() const { return width_; }
  int height() const { return height_; }
  int client_x(std::size_t client) const {
    return first_client_ + client_gap_ * static_cast<int>(client);
  }
  int server_x(std::size_t server) const {
    return first_server_ + server_gap_ * static_cast<int>(server);
  }
  std::size_t servers() const { return servers_; }
  bool is_last(std::size_t server) const { return server + 1 == servers_; }
  // For a client's name, and for the label of what it does.
  int name_room() const { return client_gap_ - 6; }
  int label_room(std::size_t client) const { return first_server_ - client_x(client) - 20; }
  // What stands beside a server begins here, to the right of its bars.
  int beside_x(std::size_t server) const;
  int beside_room(std::size_t server) const;
  const SceneRow& row(std::size_t at) const { return rows_[at]; }
  const Caption& caption(std::size_t at) const { return captions_[at]; }
  const std::vector<LeaseTrack>& tracks() const { return tracks_; }
  int track_x(std::size_t track) const;

 private:
  int longest_name(const Chart& chart) const;
  int widest_beside(bool last) const;
  int store_wanted(const Run& run) const;
  void place_lanes(const Run& run, const Chart& chart, Room room);
  void place_rows(bool with_foot);
  int lines_of(const Caption& caption) const;

  std::vector<Caption> captions_;
  std::vector<LeaseTrack> tracks_;
  std::vector<int> bars_;  // of each server
  std::vector<SceneRow> rows_;
  std::size_t servers_ = 1;
  int first_client_ = 54;
  int client_gap_ = 0;
  int first_server_ = 0;
  int server_gap_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace interlock::sim::draw
