#include "interlock/vocabulary.hpp"

#include "interlock/detail/assert.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

// A control character of ASCII (C0, DEL), or of Latin-1 (C1), which has two bytes in UTF-8.
bool has_control_character(std::string_view text) {
  unsigned char before = 0;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f || (before == 0xc2 && byte >= 0x80 && byte < 0xa0)) return true;
    before = byte;
  }
  return false;
}

std::string out_of_range(milliseconds ttl) {
  return "ttl of " + std::to_string(ttl.count()) + " ms is out of range: choose 1 ms to 365 days";
}

}  // namespace

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::unavailable:
      return "unavailable";
    case Errc::indeterminate:
      return "indeterminate";
    case Errc::rejected:
      return "rejected";
    case Errc::cancelled:
      return "cancelled";
    case Errc::invalid_argument:
      return "invalid argument";
    case Errc::forked:
      return "forked";
  }
  return "unknown";
}

Result<LockName> LockName::parse(std::string_view text) {
  if (text.empty()) {
    return Error(Errc::invalid_argument, "lock name is empty: give a name of 1 to 512 bytes");
  }
  if (text.size() > size_max) {
    return Error(Errc::invalid_argument, "lock name has " + std::to_string(text.size()) +
                                             " bytes: at most 512 are allowed; use a hash of it");
  }
  if (has_control_character(text)) {
    return Error(Errc::invalid_argument,
                 "lock name has a control character: use printable characters only");
  }
  if (is_reserved(text)) {
    return Error(Errc::invalid_argument,
                 "lock name begins with 'interlock:' or has ':interlock:' in it, as the keys that "
                 "belong to other locks have: choose another name");
  }
  if (!keys_share_a_slot(text)) {
    return Error(Errc::invalid_argument,
                 "lock name has a '}' and no hash tag, so that a Redis Cluster could not keep the "
                 "lock's keys together: leave it out, or write {tag}");
  }
  return LockName(std::string(text));
}

Result<Ttl> Ttl::parse(milliseconds duration) {
  if (duration < shortest || duration > longest) {
    return Error(Errc::invalid_argument, out_of_range(duration));
  }
  return Ttl(duration);
}

Ttl::Ttl(milliseconds duration) : duration_(duration) {
  if (duration >= shortest && duration <= longest) return;
  detail::misused(out_of_range(duration) + ": what is not a constant goes through Ttl::parse()");
}

}  // namespace interlock
