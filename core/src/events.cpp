#include "interlock/events.hpp"

namespace interlock {

std::string_view to_string(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::acquired:
      return "acquired";
    case EventKind::waiting:
      return "waiting";
    case EventKind::renewed:
      return "renewed";
    case EventKind::at_risk:
      return "at risk";
    case EventKind::lost:
      return "lost";
    case EventKind::released:
      return "released";
    case EventKind::error:
      return "error";
    case EventKind::wait_ended:
      return "wait ended";
    case EventKind::not_acquired:
      return "not acquired";
    case EventKind::hold_ended:
      return "hold ended";
  }
  return "unknown";
}

}  // namespace interlock
