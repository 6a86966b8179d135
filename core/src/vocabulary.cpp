#include "interlock/vocabulary.hpp"

#include <atomic>

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

// What the copies of a name share.
class LockName::NameAndKeys {
 public:
  explicit NameAndKeys(std::string_view name) : text(name) {}
  NameAndKeys(const NameAndKeys&) = delete;
  NameAndKeys& operator=(const NameAndKeys&) = delete;
  ~NameAndKeys() { delete keys_.load(std::memory_order_acquire); }

  const LockKeys& keys() const {
    const LockKeys* known = keys_.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    // The lock's key has a text of its own here: one that shared the name's would keep this object
    // alive, which keeps the key.
    auto made = std::make_unique<const LockKeys>(Key(text));
    // Core has no mutex. If two threads make the keys at the same time, one of them throws its own
    // away.
    if (!keys_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *known;
    return *made.release();
  }

  const std::string text;

 private:
  mutable std::atomic<const LockKeys*> keys_{nullptr};
};

namespace {

// Never destroyed, and made before main() begins: see owner_scripts.cpp.
const std::string& moved_from() {
  static const std::string& none = *new std::string();
  return none;
}
[[maybe_unused]] const std::string& made_early = moved_from();

}  // namespace

const std::string& LockName::text() const noexcept {
  return shared_ ? shared_->text : moved_from();
}

const LockKeys& LockName::keys() const {
  if (!shared_)
    detail::misused("the keys of a lock name that was moved from: ask what it moved to");
  return shared_->keys();
}

// It shares the name's text.
Key lock_key(const LockName& name) {
  if (!name.shared_) return Key();
  std::shared_ptr<const std::string> text(name.shared_, &name.shared_->text);
  return Key(detail::SharedText(std::move(text)));
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
  return LockName(std::make_shared<const NameAndKeys>(text));
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
