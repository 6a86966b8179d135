# lab: the page by a small server, and as a file.
source "$(dirname "$0")/harness.bash"
unset BROWSER DISPLAY WAYLAND_DISPLAY

# make_page: a page that the program takes for that of the laboratory.
make_page() {
  { printf '<!DOCTYPE html>\n<title>lab</title>\n'; seq 100000; } >page.html
  export INTERLOCK_LAB_PAGE=$dir/page.html
}

# serve WORDS...: begins a server; its address is in $url, its host and port in $host and $port.
serve() {
  rm -f address
  env --default-signal=INT interlock lab "$@" >address 2>messages &
  server=$!
  until_true test -s address
  url=$(cat address)
  host=127.0.0.1
  port=${url#http://127.0.0.1:} port=${port%%/*}
}
# ends WITH CODE: the server, by this signal.
ends() {
  local code=0
  kill "-$1" "$server"
  wait "$server" || code=$?
  equal "$code" "$2"
}
# ask TARGET [HOST [METHOD]]: the response, with its \r.
ask() {
  exec {web}<>"/dev/tcp/$host/$port" || return 1
  printf '%s %s HTTP/1.1\r\nHost: %s\r\n\r\n' "${3:-GET}" "$1" "${2:-127.0.0.1:$port}" >&"$web"
  timeout 20 cat <&"$web"
  exec {web}>&-
}
status_of() { ask "$@" | head -1 | tr -d '\r'; }

test_the_page_is_served_as_it_is() {
  make_page
  serve
  equal "$url" "http://127.0.0.1:$port/"
  ask / | sed '1,/^\r$/d' >served
  cmp served page.html || fail "another page"
  ask "/?x=1" | sed '1,/^\r$/d' | cmp - page.html || fail "another page"
  ends INT 130
  silent messages
}

test_the_headers_keep_the_page_to_itself() {
  make_page
  serve
  ask / "" HEAD >head
  equal "$(tail -c 4 head)" "$(printf '\r\n\r\n')"
  ! grep -q '<title>' head || fail "HEAD gave the page"
  tr -d '\r' <head >out
  says out "HTTP/1.1 200 OK"
  says out "Content-Length: $(wc -c <page.html)"
  says out "Content-Type: text/html; charset=utf-8"
  says out "Content-Security-Policy: default-src 'none';"
  says out "frame-ancestors 'none'"
  says out "Cache-Control: no-store"
  says out "X-Content-Type-Options: nosniff"
  ends TERM 143
}

test_only_the_page_is_there() {
  make_page
  serve
  equal "$(status_of /favicon.ico)" "HTTP/1.1 204 No Content"
  equal "$(status_of /page.html)" "HTTP/1.1 404 Not Found"
  equal "$(status_of /../page.html)" "HTTP/1.1 404 Not Found"
  equal "$(status_of / "" POST)" "HTTP/1.1 405 Method Not Allowed"
  ends INT 130
}

test_only_a_loopback_name_is_answered() {
  local name
  make_page
  serve
  for name in "127.0.0.1:$port" 127.0.0.1 "localhost:$port" "LOCALHOST:1" '[::1]:80'; do
    equal "$name $(status_of / "$name")" "$name HTTP/1.1 200 OK"
  done
  for name in "evil.example:$port" "127.0.0.1.evil.example" "localhost.evil:80" "127.0.0.1:" \
    "127.0.0.1:x" "user@127.0.0.1" "[::1" " "; do
    equal "$name $(status_of / "$name")" "$name HTTP/1.1 421 Misdirected Request"
  done
  exec {web}<>"/dev/tcp/$host/$port"
  printf 'GET / HTTP/1.1\r\n\r\n' >&"$web"
  timeout 20 head -1 <&"$web" >out
  says out "421"
  ends INT 130
}

test_it_listens_on_the_loopback_alone() {
  local address
  make_page
  serve
  for address in $(hostname -I 2>/dev/null); do
    case $address in *:* | 127.*) continue ;; esac
    ! timeout 2 bash -c "exec 3<>/dev/tcp/$address/$port" 2>/dev/null || fail "answers at $address"
  done
  ends INT 130
}

test_a_port_is_chosen_and_may_be_taken() {
  make_page
  serve
  expect 71 interlock lab --port "$port"
  lines err 1
  says err "--port $port cannot be listened on: Address already in use; choose another port"
  silent out
  ends INT 130
  local chosen=$port
  serve --port "$chosen"
  equal "$port" "$chosen"
  ends INT 130
  expect 64 interlock lab --port 65536
  says err "--port 65536 is no port: write 0 to 65535"
  expect 64 interlock lab --port http
  # What was typed is wrong, whatever else is missing.
  INTERLOCK_LAB_PAGE=none.html expect 64 interlock lab --port 99999
  says err "--port 99999 is no port: write 0 to 65535"
}

test_a_run_is_opened_if_it_fits() {
  make_page
  serve del-setnx-lock
  equal "$url" "http://127.0.0.1:$port/#del-setnx-lock:"
  ends INT 130
  serve del-setnx-lock,faults=crash:1x1
  equal "$url" "http://127.0.0.1:$port/#del-setnx-lock,faults=crash:1x1"
  ends INT 130
  interlock replay del-setnx-lock:1122 --format schedule -o run
  serve run
  equal "${url#*/#}" "del-setnx-lock:1122"
  ends INT 130
}

test_a_run_that_does_not_fit_is_refused_before_anything_is_served() {
  make_page
  expect 64 interlock lab del-setnx-lok
  lines err 1
  says err "did you mean 'del-setnx-lock'?"
  expect 64 interlock lab del-setnx-lock:9
  expect 64 interlock lab del-setnx-lock,clients=99:1
  expect 64 interlock lab command:12
  says err "is a run of a command"
  expect 64 interlock lab "command,clients=2:12 -- ./x"
  says err "is a run of a command"
  expect 64 interlock lab one two
  silent out
}

test_the_page_is_exported_all_or_nothing() {
  make_page
  expect 0 interlock lab --export lab.html
  cmp lab.html page.html || fail "another page"
  silent out
  silent err
  expect 0 interlock lab --export -
  cmp out page.html || fail "another page"
  mkdir sub
  expect 71 interlock lab --export sub/none/lab.html
  says err "'sub/none/lab.html' cannot be written: No such file or directory: choose another file"
  # The old file stays when the new one has no room.
  echo old >kept
  code=0
  (ulimit -f 8; interlock lab --export kept) >out 2>err || code=$?
  equal "$code" 71
  equal "$(cat kept)" old
  equal "$(ls kept*)" kept
}

test_what_contradicts_an_export_is_refused() {
  make_page
  expect 64 interlock lab --export x --port 1
  says err "--export x writes the page and serves nothing: leave --port out"
  expect 64 interlock lab --export x --no-browser
  expect 64 interlock lab --export x del-setnx-lock
  [ ! -e x ] || fail "written"
}

test_a_page_that_is_missing_is_one_clear_line() {
  export INTERLOCK_LAB_PAGE=$dir/none.html
  for words in "" "--export x"; do
    expect 78 interlock lab $words
    lines err 1
    says err "INTERLOCK_LAB_PAGE=$dir/none.html: No such file or directory: name the page that scripts/lab builds"
  done
  echo text >text
  INTERLOCK_LAB_PAGE=text expect 78 interlock lab
  says err "it does not begin as an HTML page"
  INTERLOCK_LAB_PAGE=/dev/zero expect 78 interlock lab
  says err "it is not a plain file"
  INTERLOCK_LAB_PAGE=$dir expect 78 interlock lab
}

test_the_page_is_found_beside_the_program() {
  make_page
  unset INTERLOCK_LAB_PAGE
  mkdir -p prefix/bin prefix/share/interlock
  cp "$program" prefix/bin/interlock
  expect 78 prefix/bin/interlock lab --export x
  lines err 1
  says err "no page of the laboratory at '$dir/prefix/share/interlock/lab.html': No such file or directory: build it by scripts/lab"
  cp page.html prefix/share/interlock/lab.html
  expect 0 prefix/bin/interlock lab --export x
  # By a link, from another folder.
  mkdir links
  ln -s ../prefix/bin/interlock links/interlock
  expect 0 links/interlock lab --export -
  cmp out page.html || fail "another page"
}

test_a_browser_is_started_with_the_address() {
  make_page
  printf '#!/bin/sh\necho "$@" >asked\n' >browser
  chmod +x browser
  BROWSER="$dir/none:$dir/browser --new %s:false" serve del-setnx-lock
  until_true test -s asked
  equal "$(cat asked)" "--new $url"
  ends INT 130
  silent messages
  rm asked
  BROWSER=$dir/browser serve
  until_true test -s asked
  equal "$(cat asked)" "$url"
  ends INT 130
}

test_no_browser_is_started_unasked() {
  make_page
  printf '#!/bin/sh\ntouch %s/asked\n' "$dir" >xdg-open
  chmod +x xdg-open
  PATH=$dir:$PATH
  DISPLAY=:77 serve --no-browser
  ends INT 130
  serve
  ends INT 130
  [ ! -e asked ] || fail "a browser was started"
  DISPLAY=:77 serve
  until_true exists asked
  ends INT 130
}

test_a_browser_that_fails_is_said_once() {
  make_page
  BROWSER=$dir/none serve
  until_true grep -q "no browser could be started: open the address yourself" messages
  ask / | grep -q '<title>' || fail "not served"
  ends INT 130
  BROWSER=false serve
  until_true grep -q "the browser's command has failed: open the address yourself" messages
  ends INT 130
}

test_an_output_that_is_gone_ends_it() {
  make_page
  expect 71 bash -c 'interlock lab --export - >&-'
  local code=0
  interlock lab --export - | true
  code=${PIPESTATUS[0]}
  equal "$code" 141
  code=0
  timeout 20 bash -c 'interlock lab >&-' 2>err || code=$?
  equal "$code" 71
}

run_tests
