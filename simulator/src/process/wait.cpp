#include "process/wait.hpp"

#include <algorithm>
#include <cctype>

#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

void encode_value(Encoder& out, const Value& value) {
  if (const auto* number = value.number()) {
    out.number(1).number(*number);
  } else if (const auto* text = value.text()) {
    out.number(2).text(*text);
  } else if (const auto* list = value.list()) {
    out.number(3).number(static_cast<std::int64_t>(list->size()));
    for (const Value& element : *list) encode_value(out, element);
  } else {
    out.number(0);
  }
}

void encode_operation(Encoder& out, const Operation& operation) {
  out.number(static_cast<std::int64_t>(operation.kind));
  out.text(operation.key.text()).text(operation.value);
  out.number(operation.ttl ? operation.ttl->count() : -1).number(operation.ttl ? 1 : 0);
  out.number(operation.retention.duration().count());
  out.number(operation.subscription).number(operation.until.time_since_epoch().count());
  out.number(operation.texts ? 1 : 0);
  // A script lives as long as the program, and no two have the same name.
  out.text(operation.script != nullptr ? operation.script->name() : std::string());
  out.number(static_cast<std::int64_t>(operation.keys.size()));
  for (const Key& key : operation.keys) out.text(key.text());
  out.number(static_cast<std::int64_t>(operation.arguments.size()));
  for (const std::string& argument : operation.arguments) out.text(argument);
}

}  // namespace

std::string encode(const Operation& operation) {
  Encoder out;
  encode_operation(out, operation);
  return out.take();
}

std::string encode(const Reply& reply) {
  Encoder out;
  if (reply) {
    out.number(1);
    encode_value(out, *reply);
  } else {
    out.number(0).number(static_cast<std::int64_t>(reply.error().code()));
    out.text(reply.error().detail());
  }
  return out.take();
}

std::string encode(const Wait& wait) {
  Encoder out;
  out.number(static_cast<std::int64_t>(wait.kind)).text(wait.task);
  encode_operation(out, wait.operation);
  out.number(static_cast<std::int64_t>(wait.server)).number(wait.wall ? 1 : 0);
  out.number(wait.until.time_since_epoch().count()).text(wait.subject);
  out.number(static_cast<std::int64_t>(wait.fencing));
  out.number(static_cast<std::int64_t>(wait.live.size()));
  for (const std::int64_t value : wait.live) out.number(value);
  return out.take();
}

Operation renamed(const Operation& operation, const Permutation& permutation) {
  const auto of_key = [&permutation](const Key& key) {
    return Key(renamed(key.text(), permutation));
  };
  Operation result = operation;
  result.key = of_key(operation.key);
  result.value = renamed(operation.value.text(), permutation);
  std::vector<Key> keys;
  for (const Key& key : operation.keys) keys.push_back(of_key(key));
  result.keys = std::move(keys);
  std::vector<std::string> arguments;
  for (const std::string& argument : operation.arguments) {
    arguments.push_back(renamed(argument, permutation));
  }
  result.arguments = arguments;
  return result;
}

Wait renamed(const Wait& wait, const Permutation& permutation) {
  Wait result = wait;
  result.operation = renamed(wait.operation, permutation);
  result.subject = renamed(wait.subject, permutation);
  return result;
}

std::uint32_t mentions(const Operation& operation) {
  std::uint32_t who = mentions(operation.key.text()) | mentions(operation.value.text());
  for (const Key& key : operation.keys) who |= mentions(key.text());
  for (const std::string& argument : operation.arguments) who |= mentions(argument);
  return who;
}

bool is_spelled_out(const Operation& operation) {
  if (operation.kind != OperationKind::run || operation.script == nullptr) return false;
  if (operation.arguments.empty()) return false;
  const std::string& name = operation.script->name();
  const std::string& first = operation.arguments.front();
  return std::equal(name.begin(), name.end(), first.begin(), first.end(),
                    [](unsigned char left, unsigned char right) {
                      return std::toupper(left) == std::toupper(right);
                    });
}

std::string request_text(const Operation& operation) {
  if (!is_spelled_out(operation)) return describe(operation);
  std::string text;
  for (const std::string& word : operation.arguments) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string describe(const Wait& wait) {
  switch (wait.kind) {
    case WaitKind::nothing:
      return {};
    case WaitKind::operation:
      return request_text(wait.operation);
    case WaitKind::message:
      return "wait for a message";
    case WaitKind::sleep:
      return "sleep";
    case WaitKind::leave:
      return "leave " + wait.subject;
    case WaitKind::write:
      return "write " + wait.subject + " #" + std::to_string(wait.fencing);
    case WaitKind::loop_head:
      return "loop head";
    case WaitKind::joined:
      return "wait for its tasks";
  }
  return {};
}

std::string describe(const Reply& reply) {
  if (reply) return to_string(*reply);
  return std::string(to_string(reply.error().code()));
}

}  // namespace interlock::sim
