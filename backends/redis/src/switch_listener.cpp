#include "switch_listener.hpp"

#include <utility>

#include "interlock/detail/number.hpp"

namespace interlock::redis {

SwitchListener::SwitchListener(std::shared_ptr<Sentinels> sentinels,
                               Reactor& reactor,
                               Switched switched)
    : sentinels_(std::move(sentinels)), reactor_(reactor), switched_(std::move(switched)) {}

void SwitchListener::listen() {
  if (connection_) return;
  timer_ = reactor_.timer([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->connect();
  });
  connect();
}

void SwitchListener::connect() {
  if (connection_) connection_->detach();
  const auto& all = sentinels_->endpoints();
  connection_ = std::make_shared<AsyncConnection>(all[next_++ % all.size()], reactor_, *this);
  connection_->open();
}

void SwitchListener::close() {
  timer_.reset();
  if (connection_) connection_->detach();
}

void SwitchListener::opened() {
  // It may have happened before this subscription.
  append_command(connection_->out(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels_->name());
  append_command(connection_->out(), "SUBSCRIBE", "+switch-master");
  connection_->send();
}

// Source: Redis, "High availability with Redis Sentinel", Pub/Sub messages.
void SwitchListener::answered(Answer answer) {
  const std::vector<Value>* const parts = answer.is_error ? nullptr : answer.value.list();
  if (parts == nullptr || parts->empty() || parts->back().text() == nullptr) return;
  const auto self = shared_from_this();
  const std::string& last = *parts->back().text();
  if (parts->size() == 2 && parts->front().text() != nullptr) {
    tell(*parts->front().text(), last, false);
  }
  // "NAME OLD-HOST OLD-PORT HOST PORT"
  if (parts->size() != 3 || !last.starts_with(sentinels_->name() + " ")) return;
  const auto port = last.rfind(' ');
  const auto host = last.rfind(' ', port - 1);
  if (host == std::string::npos) return;
  tell(last.substr(host + 1, port - host - 1), last.substr(port + 1), true);
}

void SwitchListener::tell(const std::string& host, const std::string& port, bool is_new) {
  const auto number = detail::parse_number(port, 1, 65535);
  if (!number) return;
  const Addresses numeric = tcp_addresses(host, static_cast<std::uint16_t>(*number), true);
  if (numeric && !numeric->empty()) switched_(numeric->front().text_with_port(), is_new);
}

void SwitchListener::failed(Error) {
  try_next_later();
}

void SwitchListener::lost(std::string) {
  try_next_later();
}

void SwitchListener::try_next_later() {
  constexpr std::chrono::seconds pause{1};
  if (timer_) timer_->arm(pause);
}

}  // namespace interlock::redis
