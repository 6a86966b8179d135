#include "probe.hpp"

#include <poll.h>

#include "patience.hpp"

namespace interlock::redis {
namespace {

// A server of TLS answers an empty greeting with an alert.
std::string_view question_for(Dialect suspected) {
  constexpr std::string_view empty_greeting("\x16\x03\x01\x00\x04\x01\x00\x00\x00", 9);
  constexpr std::string_view command = "PING\r\n";
  return suspected == Dialect::tls ? empty_greeting : command;
}

Dialect answer_of(Transport& transport) {
  constexpr char alert = 0x15;  // RFC 8446, section 5.1
  char first = 0;
  if (transport.read_now(&first, 1).size != 1) return Dialect::unknown;
  if (first == alert) return Dialect::tls;
  return first == '+' || first == '-' ? Dialect::redis : Dialect::unknown;
}

}  // namespace

Dialect probe(const Address& address, Dialect suspected, Duration limit) {
  PatientWait wait(limit);
  auto socket = start_connect(address);
  if (!socket || !wait.ready(socket->get(), POLLOUT) || connect_error(*socket) != 0) {
    return Dialect::unknown;
  }
  Transport transport(*std::move(socket));
  transport.write(question_for(suspected));
  if (!wait.ready(transport.descriptor(), POLLIN)) return Dialect::unknown;
  return answer_of(transport);
}

AsyncProbe::AsyncProbe(Reactor& reactor, Dialect suspected, Done done)
    : reactor_(reactor),
      suspected_(suspected),
      done_(std::move(done)),
      timer_(reactor.timer([this] { end(Dialect::unknown); })) {}

void AsyncProbe::begin(const Address& address, Duration limit) {
  // If it cannot start, `done` is still not called from inside this call.
  timer_->arm(start(address) ? limit : Duration::zero());
}

bool AsyncProbe::start(const Address& address) {
  auto socket = start_connect(address);
  if (!socket) return false;
  auto watch = reactor_.watch(socket->get(), [this](bool readable, bool) { ready(readable); });
  if (!watch) return false;
  transport_ = Transport(*std::move(socket));
  watch_ = *std::move(watch);
  watch_->interest(false, true);
  return true;
}

void AsyncProbe::ready(bool readable) {
  if (is_asked_) {
    if (readable) end(answer_of(transport_));
    return;
  }
  is_asked_ = true;
  transport_.write(question_for(suspected_));
  watch_->interest(true, false);
}

void AsyncProbe::end(Dialect found) {
  watch_.reset();
  timer_->disarm();
  const Done done = std::move(done_);
  done(found);  // may have destroyed this
}

}  // namespace interlock::redis
