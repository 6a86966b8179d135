// What a holder tells people of itself: a text in its owner token, so that it is the holder's for
// as long as it holds the lock, and costs no request.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// In a token it stands behind the host's name: `/note:` and the text, in which each byte that is no
// letter or digit of ASCII, nor one of `-._~`, is written `%` and two hexadecimal digits.
class HolderNote {
 public:
  // The most bytes that a note may have. They may be any.
  static constexpr std::size_t bytes_max = 256;
  static constexpr std::string_view mark = "/note:";

  // `invalid_argument`: it is too long; none: it may be a note.
  static std::optional<Error> wrong(std::string_view note);
  // What an owner token with this note has behind the host's name. Empty: there is none.
  static std::string in_token(std::string_view note);
  // The note of the client with this token: any bytes, which others have written. Empty: it has
  // none, or several hold the lock together.
  static std::string of(const OwnerToken& owner);
};

}  // namespace interlock

#pragma GCC visibility pop
