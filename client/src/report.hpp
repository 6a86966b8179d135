// How the parts of a client tell its user what happens.
#pragma once

#include "interlock/client.hpp"

namespace interlock {

// `make` gives the event. It is not called if there is no event sink.
template <class Make>
void report(const ClientOptions& options, const Make& make) {
  if (options.events != nullptr) options.events->on_event(make());
}

}  // namespace interlock
