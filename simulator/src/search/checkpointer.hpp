// Writes the checkpoints of a search, and reads the one with which it goes on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/checkpoint.hpp"
#include "model/happenings.hpp"
#include "search/checkpoint_file.hpp"
#include "search/lessons.hpp"
#include "search/search_place.hpp"
#include "search/state_loader.hpp"
#include "search/state_set.hpp"
#include "search/ways.hpp"

namespace interlock::sim {

// The Keeper of a Search. One for all searches of an explore_resumable(), one after the other.
class Checkpointer {
 public:
  static constexpr bool keeps = true;

  // `what`: the text of all that must be as it was, but for the programs.
  Checkpointer(const Checkpoints& how, std::string what);

  // Before the first search: opens the file to go on with. None: both files can be used.
  std::optional<Error> prepare();
  // The `longest` with which the search goes on that is to be resumed, if it has guessed one.
  std::optional<Duration> resumed_longest() const { return resumed_longest_; }
  // Whether the search to be resumed is one with 32 bits.
  bool resumes_wide() const { return resumed_ && resumed_bytes_ == sizeof(std::uint32_t); }
  // Before each search.
  void begin(const Happenings& happenings, std::optional<Duration> guessed_longest);
  // Why the checkpoint could not be resumed; none: it could.
  const std::optional<Error>& refusal() const { return refusal_; }

  // --- for the search ----------------------------------------------------------------------------
  // To which place it goes back, once.
  std::optional<SearchPlace> resumed();
  CheckpointReader& source() { return *source_; }
  // When it was read: if a new checkpoint replaces the file, its space on the disk is free then.
  void close_source() { source_.reset(); }
  // Returns the text for the result of the search.
  std::string refuse(const std::string& why);
  void mark(const SearchPlace& place) {
    place_ = place;
    has_place_ = true;
  }
  bool is_due() const { return has_place_ && how_.is_due && how_.is_due(); }

  // Writes the checkpoint of the last place: without the states, levels and lessons that came after
  // it.
  template <class S>
  void write(const StateSet<S>& states, const Levels& levels, const Lessons& lessons) {
    if (how_.file.empty() || !has_place_) return;
    writer_.begin();
    write_head(sizeof(typename S::Number));
    write_levels(levels);
    write_happenings();
    for (std::size_t at = 0; at < place_.states; at += states_in_part) {
      const auto end = std::min<std::size_t>(at + states_in_part, place_.states);
      for (std::size_t state = at; state < end; ++state) writer_.bytes(&states[state], sizeof(S));
      for (std::size_t state = at; state < end; ++state)
        writer_.bytes(&states.origin(state), sizeof(Origin));
    }
    for (std::size_t at = 0; at < place_.lessons; ++at) {
      const std::uint32_t entry = lessons[at];
      writer_.bytes(&entry, sizeof entry);
    }
    tell(writer_.finish());
  }
  template <class S>
  void write_last(const StateSet<S>& states, const Levels& levels, const Lessons& lessons) {
    at_end_ = true;
    if (!has_place_ && !how_.file.empty()) tell(0);
    write(states, levels, lessons);
  }

 private:
  std::optional<Error> read_head();
  Error refused(const std::string& why) const;
  void write_head(std::size_t number_bytes);
  void write_levels(const Levels& levels);
  void write_happenings();
  void tell(int error);

  const Checkpoints& how_;
  std::string what_;
  CheckpointWriter writer_;
  std::optional<CheckpointReader> source_;
  std::optional<SearchPlace> resumed_;
  std::uint64_t resumed_bytes_ = 0;  // of a number in a state
  std::optional<Duration> resumed_longest_;
  std::optional<Duration> longest_;
  const Happenings* happenings_ = nullptr;
  SearchPlace place_;
  bool has_place_ = false;
  bool at_end_ = false;
  std::optional<Error> refusal_;
};

}  // namespace interlock::sim
