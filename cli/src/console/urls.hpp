// URLs of stores, whose passwords neither a message nor another user of the machine may see.
#pragma once

#include <string>
#include <string_view>

namespace interlock::cli {

// Whether it names a Redis server. `rediss` counts too; the backend refuses it with a reason.
bool is_redis_url(std::string_view text);

// One URL without its password, for messages. The URL may be mistyped, so this shows only the
// scheme, and parts that can only be a host, a port or a path.
std::string without_password(const std::string& url);

// The same server without user and password: redis://host:port/0. "...", which names no store, for
// a mistyped URL whose password cannot be told from the rest.
std::string without_login(const std::string& url);

// Any text, with each URL in it without user and password: `redis://...@host`. Messages repeat what
// was typed, and a URL is easily typed in the wrong place.
std::string without_passwords(std::string_view text);

// Overwrites the passwords of URLs in the arguments of this process, which every user can read.
// Before that they are visible for a few milliseconds: --store-file avoids this.
void hide_passwords(int count, char** arguments);

}  // namespace interlock::cli
