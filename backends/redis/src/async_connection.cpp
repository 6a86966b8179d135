#include "async_connection.hpp"

#include <poll.h>

#include <array>

#include "interlock/detail/assert.hpp"

namespace interlock::redis {

AsyncConnection::AsyncConnection(std::shared_ptr<Endpoint> endpoint, Reactor& reactor, Owner& owner)
    : endpoint_(std::move(endpoint)), reactor_(reactor), owner_(&owner) {}

// --- connecting ----------------------------------------------------------------------------------

// The first step is posted, so that its failure does not call the owner from inside this call.
void AsyncConnection::open() {
  // In a child the owner of the parent's loop may still run it.
  if (state_ != Phase::closed || owner_ == nullptr || fork_.in_child()) return;
  state_ = Phase::starting;
  ++generation_;
  post(&AsyncConnection::begin);
}

void AsyncConnection::post(void (AsyncConnection::*job)()) {
  reactor_.post([weak = weak_from_this(), job, generation = generation_] {
    const auto self = weak.lock();
    if (self && self->generation_ == generation) ((*self).*job)();
  });
}

void AsyncConnection::begin() {
  next_address_ = 0;
  patience_.emplace(
      reactor_, endpoint_->options().connect_timeout, [this] { return connected_until_; },
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->cannot_connect_in_time();
      });
  connected_until_ = patience_->deadline();
  if (const Addresses* known = endpoint_->resolver().known()) return resolved(*known);
  // The lookup calls back on its own thread, but not after reset() has destroyed it: until then the
  // loop exists.
  lookup_ = endpoint_->resolver().look_up([weak = weak_from_this(), &reactor = reactor_,
                                           generation = generation_](const Addresses& addresses) {
    reactor.post([weak, generation, addresses] {
      const auto self = weak.lock();
      if (self && self->generation_ == generation) self->resolved(addresses);
    });
  });
}

void AsyncConnection::cannot_connect_in_time() {
  if (state_ == Phase::shaking_hands && !transport_.was_answered()) {
    return fail_after_probe(endpoint_->not_greeted(endpoint_->silence()));
  }
  fail(
      endpoint_->cannot_connect("no answer within " + in_ms(endpoint_->options().connect_timeout)));
}

void AsyncConnection::resolved(const Addresses& addresses) {
  lookup_.reset();
  if (!addresses) return fail(endpoint_->cannot_connect(addresses.error()));
  addresses_ = *addresses;
  next_address_ = 0;
  try_next_address(Error(Errc::unavailable, "it has no address"));
}

void AsyncConnection::try_next_address(Error error) {
  watch_.reset();
  while (next_address_ < addresses_.size()) {
    auto socket = start_connect(addresses_[next_address_++]);
    if (!socket) {
      error = socket.error();
      continue;
    }
    auto watch =
        reactor_.watch(socket->get(), [weak = weak_from_this()](bool readable, bool writable) {
          if (const auto self = weak.lock()) self->ready(readable, writable);
        });
    if (!watch) {
      error = Error(Errc::unavailable, watch.error().detail());
      continue;
    }
    state_ = Phase::connecting;
    transport_ = Transport(*std::move(socket));
    watch_ = *std::move(watch);
    watch_->interest(false, true);
    return;
  }
  fail(endpoint_->cannot_connect(error));
}

void AsyncConnection::connect_decided() {
  if (const int error = transport_.connect_error()) {
    return try_next_address(Error(Errc::unavailable, system_text(error)));
  }
  if (!endpoint_->options().tls) return greet();
  if (auto error = transport_.begin_tls(
          *endpoint_->options().tls, endpoint_->certificate_name(addresses_[next_address_ - 1]))) {
    return fail(endpoint_->cannot_connect(*error));
  }
  state_ = Phase::shaking_hands;
  shake_hands();
}

void AsyncConnection::shake_hands() {
  const Transfer step = transport_.shake_hands();
  if (step.is_broken()) return broken(step);
  if (step.wait_for == 0) return greet();
  watch_->interest(step.wait_for == POLLIN, step.wait_for == POLLOUT);
}

void AsyncConnection::greet() {
  state_ = Phase::greeting;
  reader_.emplace();
  greetings_answered_ = 0;
  out_ = endpoint_->greeting();
  out_begin_ = 0;
  handed_over_ = 0;
  wants_to_write_ = false;
  write_failed_ = false;
  watch_->interest(true, false);
  flush();
}

void AsyncConnection::greeted(const Answer& answer) {
  if (auto error = endpoint_->judge_greeting(greetings_answered_, answer)) return fail(*error);
  if (++greetings_answered_ < endpoint_->greeting_answers()) return;
  if (reader_->has_more()) return fail(endpoint_->not_greeted(unasked_answer));
  if (endpoint_->is_replaced(server())) return fail(endpoint_->replaced());
  state_ = Phase::open;
  patience_.reset();
  owner_->opened();
}

// --- ending --------------------------------------------------------------------------------------

void AsyncConnection::reset() {
  state_ = Phase::closed;
  ++generation_;
  flush_posted_ = false;
  lookup_.reset();
  patience_.reset();
  probe_.reset();
  watch_.reset();
  transport_ = Transport();
  reader_.reset();
  out_.clear();
  out_begin_ = 0;
}

void AsyncConnection::fail(Error why) {
  if (next_address_ > 0) why = endpoint_->of_address(why, addresses_[next_address_ - 1]);
  reset();
  if (owner_ != nullptr) owner_->failed(std::move(why));
}

void AsyncConnection::broken(const Transfer& transfer) {
  if (is_open()) return drop(transfer.fact);
  if (transfer.is_refusal) return fail(endpoint_->refused(transfer.fact));
  // This is what servers of TLS do to those who speak without.
  if (!transport_.has_tls()) {
    return fail_after_probe(endpoint_->not_greeted(transfer.fact));
  }
  drop(transfer.fact);
}

void AsyncConnection::fail_after_probe(Error why) {
  const Address address = addresses_[next_address_ - 1];
  reset();
  state_ = Phase::probing;
  probe_ =
      std::make_unique<AsyncProbe>(reactor_, endpoint_->suspected(),
                                   [weak = weak_from_this(), why = std::move(why)](Dialect found) {
                                     if (const auto self = weak.lock())
                                       self->fail(self->endpoint_->judge_dialect(why, found));
                                   });
  probe_->begin(address, endpoint_->longest_probe());
}

void AsyncConnection::drop(std::string fact) {
  if (!is_open()) return fail(endpoint_->not_greeted(fact));
  reset();
  if (owner_ != nullptr) owner_->lost(std::move(fact));
}

void AsyncConnection::move_to(const std::string& server) {
  if (is_closed() || server == this->server()) return;
  if (is_open()) return drop("another server has become the primary");
  next_address_ = 0;  // the Sentinel that told the next address is not to blame
  fail(endpoint_->replaced());
}

std::string AsyncConnection::server() const {
  return next_address_ > 0 ? addresses_[next_address_ - 1].text_with_port() : "";
}

void AsyncConnection::close() {
  if (is_open()) reset();
}

void AsyncConnection::stop() {
  reset();
}

void AsyncConnection::detach() {
  owner_ = nullptr;
  reset();
}

// --- sending and receiving -----------------------------------------------------------------------

bool AsyncConnection::is_at_rest() const {
  return !reader_->has_more() && transport_.is_at_rest();
}

void AsyncConnection::send() {
  INTERLOCK_ASSERT(is_open());
  // While answers are delivered, new commands are collected and sent afterwards. But some are sent
  // before, so that the server has work while the other answers are delivered.
  constexpr std::size_t enough = 3UL * 1024;
  if (reading_ && !wants_to_write_ && out_.size() - out_begin_ >= enough) return flush();
  if (reading_ || flush_posted_) return;
  flush_posted_ = true;
  post(&AsyncConnection::flush);
}

void AsyncConnection::flush() {
  flush_posted_ = false;
  if (is_open()) owner_->about_to_send();
  write_out();
}

void AsyncConnection::write_out() {
  while (out_begin_ < out_.size() && !write_failed_) {
    const Transfer sent = transport_.write(std::string_view(out_).substr(out_begin_));
    // The connection has broken. Answers may still be readable, and after them the end of the
    // stream, which reports it.
    write_failed_ = sent.is_broken();
    if (sent.size == 0) break;
    out_begin_ += sent.size;
    handed_over_ += sent.size;
  }
  const bool left = out_begin_ < out_.size() && !write_failed_;
  if (out_begin_ > out_.size() / 2) {
    out_.erase(0, out_begin_);
    out_begin_ = 0;
  }
  if (left == wants_to_write_) return;
  wants_to_write_ = left;
  watch_->interest(true, left);
}

void AsyncConnection::ready(bool readable, bool writable) {
  if (state_ == Phase::connecting) {
    connect_decided();
    return;
  }
  if (state_ == Phase::shaking_hands) return shake_hands();
  const std::uint64_t generation = generation_;
  // Read before writing: data that has arrived is older than the commands sent now, and cannot
  // answer them.
  if (readable) read();
  if (writable && generation_ == generation) flush();
}

void AsyncConnection::read() {
  std::array<char, 16UL * 1024> buffer;
  for (;;) {
    const Transfer came = transport_.read_now(buffer.data(), buffer.size());
    if (came.is_broken()) return broken(came);
    if (came.size == 0) break;
    reader_->feed(std::string_view(buffer.data(), came.size));
    if (!take_answers()) return;
    if (!transport_.may_have_more(came.size, buffer.size())) break;
  }
  if (is_open()) flush();
}

// False: a callback, or a broken answer, has ended this connection.
bool AsyncConnection::take_answers() {
  const auto self = shared_from_this();
  const std::uint64_t generation = generation_;
  reading_ = true;
  while (auto answer = reader_->next()) {
    if (!*answer) {
      reading_ = false;
      broken(Transfer::broken((*answer).error().detail()));
      return false;
    }
    if (state_ == Phase::greeting) {
      greeted(**answer);
    } else {
      owner_->answered(std::move(**answer));
    }
    if (generation_ != generation) {
      reading_ = false;
      return false;
    }
  }
  reading_ = false;
  return true;
}

}  // namespace interlock::redis
