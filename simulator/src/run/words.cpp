#include "run/words.hpp"

#include "interlock/store/script.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim::draw {
namespace {

std::string value_text(const Value& value, const TokenNames& names) {
  if (const auto* text = value.text()) return names.in(*text);
  return names.in(to_string(value));
}

std::string answer_text(const Operation& operation, const Value& value, const TokenNames& names) {
  const std::string_view word = owner_answer(operation.kind, value);
  return word.empty() ? value_text(value, names) : std::string(word);
}

}  // namespace

std::string operation_word(const Operation& operation) {
  if (operation.kind == OperationKind::run && operation.script != nullptr) {
    return operation.script->name();
  }
  const std::string text = describe(operation);
  return text.substr(0, text.find(' '));
}

std::string_view error_text(Errc code) {
  switch (code) {
    case Errc::unavailable:
      return "unsent";
    case Errc::indeterminate:
      return "?";
    case Errc::rejected:
      return "refused";
    case Errc::cancelled:
      return "cancelled";
    case Errc::invalid_argument:
      return "invalid";
    case Errc::forked:
      return "forked";
  }
  return "?";
}

std::string_view owner_answer(OperationKind kind, const Value& value) {
  const auto* list = value.list();
  const auto* number = list != nullptr && !list->empty() ? list->front().number() : value.number();
  if (kind == OperationKind::claim && list != nullptr && number != nullptr) {
    return *number == 1 ? "ok" : "held";
  }
  const bool owner_checked = kind == OperationKind::renew || kind == OperationKind::release;
  if (!owner_checked || list != nullptr || number == nullptr) return {};
  if (*number == 1) return "ok";
  return *number == 0 ? "gone" : "not mine";
}

bool is_write(const RunStep& step) {
  return step.kind == StepKind::write || (step.kind == StepKind::late && !step.operation);
}

bool goes_on(const RunStep& step) {
  return step.kind == StepKind::deliver &&
         (step.what.starts_with("leave ") || step.what == "wait for a message");
}

std::string word_of(const RunStep& step) {
  if (step.kind == StepKind::fault) {
    if (!step.client) return {};
    const std::string_view drawn = step.fault ? fault_kind(*step.fault).drawn : "";
    return "✗ " + (drawn.empty() ? step.what : std::string(drawn));
  }
  switch (step.kind) {
    case StepKind::start:
      return "starts";
    case StepKind::wake:
      return step.delivered ? "wakes" : "cut off";
    case StepKind::leave:
      return "leaves";
    case StepKind::write:
      return "write";
    case StepKind::time:
    case StepKind::fault:
      return {};
    case StepKind::deliver:
      if (goes_on(step)) return step.what.starts_with("leave ") ? "goes on" : "wakes";
      break;
    case StepKind::operation:
      break;
    case StepKind::late:
      return "late " + (step.operation ? operation_word(*step.operation) : "write");
  }
  return step.operation ? operation_word(*step.operation)
                        : step.what.substr(0, step.what.find(' '));
}

std::string argument_of(const RunStep& step, const TokenNames& names) {
  if (is_write(step)) {
    const auto mark = step.what.rfind('#');
    return mark == std::string::npos ? std::string() : step.what.substr(mark);
  }
  if (!step.operation) return {};
  switch (step.operation->kind) {
    case OperationKind::set:
    case OperationKind::set_if_absent:
    case OperationKind::exchange:
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
    case OperationKind::publish:
      return names.in(step.operation->value.text());
    case OperationKind::get:
    case OperationKind::erase:
    case OperationKind::expire:
    case OperationKind::remaining:
    case OperationKind::increment:
    case OperationKind::run:
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  return {};
}

std::string reply_of(const RunStep& step, const TokenNames& names) {
  if (step.kind == StepKind::late || step.kind == StepKind::start) return {};
  if (step.kind == StepKind::wake || goes_on(step)) {
    return step.reply.empty() || !step.delivered ? "" : "cut off";
  }
  if (step.fault && fault_kind(*step.fault).hides_answer) return "?";
  if (step.operation && step.answer && step.delivered) {
    if (*step.answer) return answer_text(*step.operation, **step.answer, names);
    return std::string(error_text(step.answer->error().code()));
  }
  if (!step.delivered) return {};
  if (step.reply == "indeterminate") return "?";
  if (step.reply == "unavailable") return "unsent";
  if (step.reply == "rejected") return "refused";
  if (step.reply.size() >= 2 && step.reply.front() == '"' && step.reply.back() == '"') {
    return names.in(step.reply.substr(1, step.reply.size() - 2));
  }
  if (step.kind == StepKind::write) {
    if (step.reply == "1") return "ok";
    if (step.reply == "0") return "refused";
  }
  return names.in(step.reply);
}

std::string target_of(const RunStep& step) {
  return step.operation ? target_of(*step.operation) : std::string();
}

std::string target_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::publish:
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      return {};
    case OperationKind::run:
      return operation.keys.empty() ? std::string() : operation.keys.front().text();
    case OperationKind::get:
    case OperationKind::set:
    case OperationKind::set_if_absent:
    case OperationKind::exchange:
    case OperationKind::erase:
    case OperationKind::expire:
    case OperationKind::remaining:
    case OperationKind::increment:
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
      return operation.key.text();
  }
  return {};
}

std::string owed_text(std::size_t since) {
  const std::string when =
      since == 0 ? std::string("at the beginning") : "after step " + std::to_string(since);
  return when + " its first condition holds, and its second never does from there on";
}

std::string_view note_of(Fault fault) {
  return fault_kind(fault).note;
}

}  // namespace interlock::sim::draw
