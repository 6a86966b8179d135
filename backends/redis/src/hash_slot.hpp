// Which hash slot of a Redis Cluster a key is in.
#pragma once

#include <cstdint>
#include <string_view>

#include "interlock/store/operation.hpp"

namespace interlock::redis {

using HashSlot = std::uint16_t;
inline constexpr std::size_t hash_slots = 16'384;

// Source: Redis cluster specification, "Key distribution model" and "Hash tags".
HashSlot slot_of(std::string_view key);

// The slot that decides which server gets an operation: that of its key, of its script's first key,
// or of its channel. A subscription beside a key has the slot of that key.
HashSlot slot_of(const Operation& operation);

}  // namespace interlock::redis
