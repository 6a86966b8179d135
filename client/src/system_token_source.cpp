#include "interlock/system_token_source.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "interlock/detail/assert.hpp"
#include "interlock/posix/failure.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock {
namespace {

// Fills `into` with random bytes; none: it succeeded.
std::optional<Error> draw(unsigned char* into, std::size_t size) {
  ssize_t got = 0;
  do {
    got = getrandom(into, size, 0);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(size)) return std::nullopt;
  return posix::failure("the kernel gives no random numbers", errno);
}

// Random bytes drawn from the kernel in advance, because a system call for each token costs more
// than the rest of its work. Each thread has one of these; used bytes are erased.
class Reserve {
 public:
  template <std::size_t size>
  std::array<unsigned char, size> take() {
    static_assert(size <= capacity);
    // A child has a copy of its parent's memory, and so the bytes that the parent had drawn and not
    // used.
    const unsigned now = posix::this_process();
    if (left_ < size || drawn_in_ != now) refill(now);
    std::array<unsigned char, size> bytes;
    left_ -= size;
    std::memcpy(bytes.data(), bytes_.data() + left_, size);
    std::memset(bytes_.data() + left_, 0, size);
    return bytes;
  }

  pid_t process() const noexcept { return process_; }

 private:
  static constexpr std::size_t capacity = 256;

  void refill(unsigned now) {
    // Up to 256 bytes come whole once the generator is ready, and getrandom waits for that.
    INTERLOCK_ASSERT(!draw(bytes_.data(), capacity));
    left_ = capacity;
    drawn_in_ = now;
    process_ = getpid();
  }

  std::array<unsigned char, capacity> bytes_{};
  std::size_t left_ = 0;
  unsigned drawn_in_ = 0;
  pid_t process_ = 0;
};

Reserve& reserve() {
  static thread_local Reserve reserve;
  return reserve;
}

// The system takes any bytes as a name. White space would end the word that an owner token is in
// the queue of a lock, and control characters do not belong on a terminal.
std::string host_name() {
  std::array<char, 65> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown-host";
  std::string text = name.data();
  const auto unfit = [](unsigned char byte) { return byte <= ' ' || byte == 0x7f; };
  std::replace_if(text.begin(), text.end(), unfit, '_');
  return text;
}

}  // namespace

SystemTokenSource::SystemTokenSource() : host_(host_name()) {}

std::optional<Error> SystemTokenSource::check() {
  unsigned char byte = 0;
  return draw(&byte, 1);
}

OwnerToken SystemTokenSource::fresh_with(std::string_view end) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const auto random = reserve().take<16>();
  std::array<char, 32> hex;
  for (std::size_t i = 0; i < random.size(); ++i) {
    hex[2 * i] = digits[random[i] >> 4U];
    hex[2 * i + 1] = digits[random[i] & 15U];
  }
  std::string token;
  token.reserve(OwnerToken::mark.size() + hex.size() + 12 + host_.size() + end.size());
  token.append(OwnerToken::mark).append(hex.data(), hex.size()).append(1, ':');
  token.append(std::to_string(reserve().process())).append(1, '@').append(host_).append(end);
  return OwnerToken(std::move(token));
}

std::uint64_t SystemTokenSource::below(std::uint64_t bound) {
  INTERLOCK_ASSERT(bound > 0);
  std::uint64_t number = 0;
  for (const unsigned char byte : reserve().take<8>()) number = number << 8U | byte;
  return number % bound;  // the bias of 64 bits is of no account for jitter
}

}  // namespace interlock
