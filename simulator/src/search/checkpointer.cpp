#include "search/checkpointer.hpp"

#include <cstring>
#include <utility>

namespace interlock::sim {

Checkpointer::Checkpointer(const Checkpoints& how, std::string what)
    : how_(how), what_(std::move(what)), writer_(how.file) {}

std::optional<Error> Checkpointer::prepare() {
  if (!how_.resumed.empty()) {
    source_.emplace();
    std::optional<Error> wrong = source_->open(how_.resumed);
    if (!wrong) wrong = read_head();
    if (wrong) return wrong;
  }
  if (how_.file.empty()) return std::nullopt;
  return why_not_written(how_.file);
}

Error Checkpointer::refused(const std::string& why) const {
  return Error(Errc::invalid_argument,
               "the checkpoint " + how_.resumed + " cannot be used: " + why);
}

std::string Checkpointer::refuse(const std::string& why) {
  refusal_ = refused(why);
  return refusal_->detail();
}

std::optional<Error> Checkpointer::read_head() {
  const std::string identity = source_->text();
  if (source_->text() != what_) {
    return refused(
        "it is of another scenario or of other bounds: give those for which it was written, or "
        "begin the search anew");
  }
  if (identity != how_.identity) {
    return refused(
        "it was written by another program, or by another build of it: resume it with that, or "
        "begin the search anew");
  }
  const std::uint64_t longest = source_->number();
  if (longest > 0) resumed_longest_ = Duration(static_cast<std::int64_t>(longest));
  resumed_bytes_ = source_->number();
  SearchPlace place;
  SearchPlace::each_number(place, [this](std::uint64_t& number) { number = source_->number(); });
  if (!source_->is_sound()) return refused("it is damaged: begin the search anew");
  resumed_ = place;
  return std::nullopt;
}

void Checkpointer::begin(const Happenings& happenings, std::optional<Duration> guessed_longest) {
  happenings_ = &happenings;
  longest_ = guessed_longest;
  has_place_ = false;
}

std::optional<SearchPlace> Checkpointer::resumed() {
  return std::exchange(resumed_, std::nullopt);
}

void Checkpointer::write_head(std::size_t number_bytes) {
  writer_.text(how_.identity);
  writer_.text(what_);
  writer_.number(longest_ ? static_cast<std::uint64_t>(longest_->count()) : 0);
  writer_.number(number_bytes);
  SearchPlace::each_number(std::as_const(place_),
                           [this](const std::uint64_t& number) { writer_.number(number); });
}

void Checkpointer::write_levels(const Levels& levels) {
  for (std::size_t faults = 0; faults <= place_.faults; ++faults) {
    const std::size_t count =
        faults < place_.faults ? levels[faults].size() : static_cast<std::size_t>(place_.depth);
    writer_.number(count);
    for (std::size_t at = 0; at < count; ++at) {
      writer_.number(levels[faults][at].begin);
      writer_.number(levels[faults][at].end);
    }
  }
}

// Also those since the last place: the search that goes on from there comes to them again.
void Checkpointer::write_happenings() {
  writer_.number(happenings_->seen().size());
  for (const Happening& one : happenings_->seen()) {
    writer_.number(static_cast<std::uint64_t>(one.kind));
    writer_.text(one.subject);
  }
}

void Checkpointer::tell(int error) {
  if (!how_.tell) return;
  CheckpointNews news;
  news.states = has_place_ ? place_.states : 0;
  news.at_end = at_end_;
  if (error != 0) {
    news.failure = "the checkpoint " + how_.file + " cannot be written: " + std::strerror(error) +
                   ": make room, or name a file in another place; a checkpoint that was there "
                   "before is as it was";
  }
  how_.tell(news);
}

}  // namespace interlock::sim
