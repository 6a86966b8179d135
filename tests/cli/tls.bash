# The program and a server that is reached by TLS. Only on a Redis server.
source "$(dirname "$0")/harness.bash"

# A server with a port for TLS, which asks for client certificates if $1 is yes.
start_tls() {
  {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out ca.pem \
      -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1
  } >openssl.log 2>&1 || fail "openssl makes no certificate: $(cat openssl.log)"
  local attempt
  for attempt in {1..20}; do
    tls_port=$((RANDOM % 20000 + 20000))
    redis-server --port 0 --bind 127.0.0.1 --tls-port "$tls_port" --tls-cert-file ca.pem --tls-key-file key.pem \
      --tls-ca-cert-file ca.pem --tls-auth-clients "$1" --save '' >redis.log 2>&1 &
    for _ in {1..100}; do
      if redis-cli -p "$tls_port" --tls --cacert ca.pem --cert ca.pem --key key.pem ping 2>/dev/null |
        grep -q PONG; then return; fi
      kill -0 $! 2>/dev/null || break
      sleep 0.05
    done
    kill -9 $! 2>/dev/null
  done
  fail "no redis-server with TLS after $attempt attempts: $(cat redis.log)"
}

test_a_lock_is_held_by_tls() {
  start_tls no
  export INTERLOCK_STORE="rediss://localhost:$tls_port/0?ca=ca.pem"
  expect 0 interlock run job -- interlock status job
  says out "held"
  expect 0 interlock status
  says out "rediss://localhost:$tls_port/0"
  expect 0 interlock status job
  says out ": free"
  expect 1 interlock check
  says out "good     round trip"
}

test_a_waiter_enters_after_a_release_by_tls() {
  start_tls no
  export INTERLOCK_STORE="rediss://127.0.0.1:$tls_port?ca=$PWD/ca.pem"
  interlock run --fair job -- bash -c 'touch inside; sleep 1' &
  until_true exists inside
  expect 0 interlock run --fair -w 20s job -- echo in
  says out in
}

test_a_server_that_is_not_trusted_is_a_bad_configuration() {
  start_tls yes
  for parameters in "" "?ca=ca.pem" "?ca=ca.pem&cert=ca.pem&key=key.pem&server-name=example.org" "?ca=nowhere.pem"; do
    export INTERLOCK_STORE="rediss://127.0.0.1:$tls_port/0$parameters"
    for command in "run job -- touch inside" "status" "status job" "hold job" "check"; do
      expect 78 interlock $command < <(echo)
      lines err 1
    done
  done
  exists inside && fail "the command ran"
  export INTERLOCK_STORE="rediss://127.0.0.1:$tls_port/0?ca=ca.pem&cert=ca.pem&key=key.pem"
  expect 0 interlock run job -- echo in
}

test_tls_on_one_side_alone_is_a_bad_configuration() {
  start_tls no
  expect 78 interlock run --store "redis://127.0.0.1:$tls_port" job -- echo in
  says err "the server speaks TLS at this port: write rediss://"
  expect 78 interlock run --store "rediss://127.0.0.1:$redis_port?ca=ca.pem" job -- echo in
  says err "the server does not speak TLS at this port: write redis://"
}

test_a_password_does_not_show() {
  start_tls no
  expect 77 interlock run --store "rediss://:geheim@127.0.0.1:$tls_port/0?ca=ca.pem" job -- echo in
  says_not err geheim
  expect 64 interlock run --store "rediss://:geheim@127.0.0.1:$tls_port/0?ca=ca.pem&insecure=1" job -- echo in
  says_not err geheim
  says err "takes the parameters ca, cert, key, server-name"
}

# A program that loads OpenSSL when it starts needs 3 ms more, and needs it without TLS, too.
test_openssl_is_loaded_for_tls_alone() {
  ldd "$program" | grep -q hiredis && return # it was built with shared libraries
  ldd "$program" | grep -q 'libssl\|libcrypto' && fail "the program needs OpenSSL without TLS"
  return 0
}

run_tests
