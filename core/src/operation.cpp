#include "interlock/store/operation.hpp"

#include "interlock/store/script.hpp"

namespace interlock {

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::get:
      return "get";
    case OperationKind::set:
      return "set";
    case OperationKind::set_if_absent:
      return "set_if_absent";
    case OperationKind::exchange:
      return "exchange";
    case OperationKind::erase:
      return "erase";
    case OperationKind::expire:
      return "expire";
    case OperationKind::remaining:
      return "remaining";
    case OperationKind::increment:
      return "increment";
    case OperationKind::claim:
      return "claim";
    case OperationKind::renew:
      return "renew";
    case OperationKind::release:
      return "release";
    case OperationKind::run:
      return "run";
    case OperationKind::publish:
      return "publish";
    case OperationKind::subscribe:
      return "subscribe";
    case OperationKind::await_message:
      return "await_message";
    case OperationKind::interrupt:
      return "interrupt";
    case OperationKind::unsubscribe:
      return "unsubscribe";
  }
  return "unknown";
}

namespace {

std::string with_ttl(std::string line, const Operation& operation) {
  if (operation.ttl) line += " PX " + std::to_string(operation.ttl->count());
  return line;
}

std::string script_call(const Operation& operation) {
  std::string line = "RUN " + operation.script->name();
  for (const Key& key : operation.keys) line += " " + key.text();
  for (const std::string& argument : operation.arguments) line += " " + argument;
  return line;
}

// Never destroyed, and made before main() begins: see owner_scripts.cpp.
const std::vector<Key>& no_keys() {
  static const std::vector<Key>& none = *new std::vector<Key>();
  return none;
}
[[maybe_unused]] const std::vector<Key>& made_early = no_keys();

}  // namespace

const std::vector<Key>& KeyList::all() const noexcept {
  return keys_ ? *keys_ : no_keys();
}

std::string describe(const Operation& operation) {
  const std::string& key = operation.key.text();
  const std::string& value = operation.value.text();
  switch (operation.kind) {
    case OperationKind::get:
      return "GET " + key;
    case OperationKind::set:
      return with_ttl("SET " + key + " " + value, operation);
    case OperationKind::set_if_absent:
      return with_ttl("SETNX " + key + " " + value, operation);
    case OperationKind::exchange:
      return "GETSET " + key + " " + value;
    case OperationKind::erase:
      return "DEL " + key;
    case OperationKind::expire:
      return "PEXPIRE " + key + " " + std::to_string(operation.ttl->count());
    case OperationKind::remaining:
      return "PTTL " + key;
    case OperationKind::increment:
      return "INCR " + key;
    case OperationKind::claim:
      return with_ttl("CLAIM " + key + " " + value, operation);
    case OperationKind::renew:
      return with_ttl("RENEW " + key + " " + value, operation);
    case OperationKind::release:
      return "RELEASE " + key + " " + value;
    case OperationKind::run:
      return script_call(operation);
    case OperationKind::publish:
      return "PUBLISH " + key + " " + value;
    case OperationKind::subscribe:
      return "SUBSCRIBE " + key;
    case OperationKind::await_message:
      return "AWAIT " + std::to_string(operation.subscription);
    case OperationKind::interrupt:
      return "INTERRUPT " + std::to_string(operation.subscription);
    case OperationKind::unsubscribe:
      return "UNSUBSCRIBE " + std::to_string(operation.subscription);
  }
  return "unknown operation";
}

}  // namespace interlock
