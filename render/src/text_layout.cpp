#include "text_layout.hpp"

#include <algorithm>
#include <numeric>

namespace interlock::sim::draw {
namespace {

constexpr std::size_t usual_width = 80;
constexpr std::size_t lane_widest = 26;
constexpr std::size_t lane_usual = 9;
constexpr std::size_t lane_least = 2;  // the bar, and a blank
constexpr std::size_t store_usual = 18;
constexpr std::size_t store_least = 14;

std::size_t without(std::size_t whole, std::size_t part) {
  return whole > part ? whole - part : 0;
}

// All lanes as wide as each other.
TextLayout even(std::size_t room, std::size_t lanes) {
  const std::size_t count = std::max<std::size_t>(lanes, 1);
  std::size_t width = std::min(lane_widest, without(room, store_usual) / count);
  if (width < lane_usual) width = std::min(lane_usual, without(room, store_least) / count);
  width = std::max(width, lane_least);
  TextLayout layout;
  layout.lanes.assign(lanes, width);
  const std::size_t rest = without(room, count * width);
  layout.value = rest / 2;
  layout.note = rest - layout.value;
  return layout;
}

bool has_room_for_lanes(const TextLayout& layout, const ColumnNeeds& needs) {
  for (std::size_t lane = 0; lane < needs.lanes.size(); ++lane) {
    if (needs.lanes[lane] > layout.lanes[lane]) return false;
  }
  return true;
}

bool has_room_for_store(const TextLayout& layout, const ColumnNeeds& needs) {
  return needs.value <= layout.value && needs.note <= layout.note &&
         needs.store <= layout.value + layout.note;
}

// Each column gets what it needs, but no more than what is left for each of those that need more.
TextLayout shared(std::size_t room, const ColumnNeeds& needs) {
  std::vector<std::size_t> wanted = needs.lanes;
  wanted.push_back(needs.value);
  wanted.push_back(std::max(needs.note, without(needs.store, needs.value)));
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return wanted[one] < wanted[other]; });
  std::vector<std::size_t> given(wanted.size());
  std::size_t left = order.size();
  for (const std::size_t column : order) {
    given[column] = std::min(wanted[column], room / left);
    room -= given[column];
    --left;
  }
  TextLayout layout;
  layout.note = given.back();
  given.pop_back();
  layout.value = given.back();
  given.pop_back();
  layout.lanes = std::move(given);
  for (std::size_t& lane : layout.lanes) lane = std::max(lane, lane_least);
  return layout;
}

}  // namespace

std::size_t TextLayout::sum() const {
  return std::accumulate(lanes.begin(), lanes.end(), value + note);
}

TextLayout TextLayout::choose(std::size_t width,
                              std::size_t prefix,
                              const ColumnNeeds& brief,
                              const ColumnNeeds& whole) {
  const bool is_wide = width > usual_width;
  const ColumnNeeds& needs = is_wide ? whole : brief;
  for (std::size_t tried = std::min(width, usual_width); tried <= width; ++tried) {
    TextLayout layout = even(without(tried, prefix), needs.lanes.size());
    if (!has_room_for_lanes(layout, needs)) continue;
    if (is_wide && !has_room_for_store(layout, needs)) continue;
    layout.is_whole = is_wide;
    return layout;
  }
  TextLayout layout = shared(without(width, prefix), needs);
  layout.is_whole = is_wide;
  return layout;
}

}  // namespace interlock::sim::draw
