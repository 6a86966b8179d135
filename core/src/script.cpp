#include "interlock/store/script.hpp"

#include <algorithm>

#include "interlock/detail/assert.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"

namespace interlock {

bool ScriptBatch::is_common(std::size_t argument) const {
  return std::find(common.begin(), common.end(), argument) != common.end();
}

const Script* script_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::claim:
      return &claim_script();
    case OperationKind::renew:
      return &renew_script();
    case OperationKind::release:
      return &release_script();
    case OperationKind::run:
      return operation.script;
    default:
      return nullptr;
  }
}

const Script& ScriptCall::script() const {
  const Script* const script = script_of(operation_);
  INTERLOCK_ASSERT(script != nullptr);
  return *script;
}

// claim, renew and release name the lock, its owner and their times alone: what is beside the lock
// follows from its name (owner_scripts.hpp says which script gets what).

std::size_t ScriptCall::keys() const noexcept {
  if (operation_.kind == OperationKind::run) return operation_.keys.size();
  return operation_.kind == OperationKind::release ? 1 : 2;
}

std::size_t ScriptCall::arguments() const noexcept {
  if (operation_.kind == OperationKind::run) return operation_.arguments.size();
  return operation_.kind == OperationKind::release ? 2 : 3;
}

const std::string& ScriptCall::key(std::size_t at) const {
  if (operation_.kind == OperationKind::run) return operation_.keys[at].text();
  if (at == 0) return operation_.key.text();
  write_fencing_key(operation_.key, memory_);
  return memory_;
}

const std::string& ScriptCall::argument(std::size_t at) const {
  if (operation_.kind == OperationKind::run) return operation_.arguments[at];
  if (at == 0) return operation_.value.text();
  if (operation_.kind == OperationKind::release) {
    write_release_channel(operation_.key, memory_);
  } else {
    const milliseconds kept = operation_.retention.with(*operation_.ttl);
    memory_ = std::to_string((at == 1 ? *operation_.ttl : kept).count());
  }
  return memory_;
}

}  // namespace interlock
