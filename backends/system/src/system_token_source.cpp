#include "interlock/system_token_source.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "interlock/detail/assert.hpp"

namespace interlock {
namespace {

template <std::size_t size>
std::array<unsigned char, size> random_bytes() {
  std::array<unsigned char, size> bytes{};
  ssize_t got = 0;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  // Up to 256 bytes come whole once the generator is ready, and getrandom waits for that.
  INTERLOCK_ASSERT(got == static_cast<ssize_t>(size));
  return bytes;
}

std::string host_name() {
  std::array<char, 65> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown-host";
  return name.data();
}

}  // namespace

SystemTokenSource::SystemTokenSource() : host_(host_name()) {}

OwnerToken SystemTokenSource::fresh() {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string token(OwnerToken::mark);
  for (const unsigned char byte : random_bytes<16>()) {
    token += digits[byte >> 4U];
    token += digits[byte & 15U];
  }
  return OwnerToken(token + ':' + std::to_string(getpid()) + '@' + host_);
}

std::uint64_t SystemTokenSource::below(std::uint64_t bound) {
  INTERLOCK_ASSERT(bound > 0);
  std::uint64_t number = 0;
  for (const unsigned char byte : random_bytes<8>()) number = number << 8U | byte;
  return number % bound;  // the bias of 64 bits is of no account for jitter
}

}  // namespace interlock
