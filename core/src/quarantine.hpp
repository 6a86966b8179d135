// The quarantine of a store for the native halves of scripts; lua/parts/quarantine.lua is the other
// half.
#pragma once

#include <optional>

#include "interlock/store/keyspace.hpp"

namespace interlock {

// For how long the store grants no lock yet; none: it grants. Begins a quarantine that `lasts` this
// long if the store's incarnation is not the one that `key` notes. `rejected`: the key is of
// another type.
Result<std::optional<milliseconds>> quarantine_left(Keyspace& keyspace,
                                                    const Key& key,
                                                    milliseconds lasts);

}  // namespace interlock
