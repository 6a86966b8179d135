# Sourced by the scripts beside this folder: packages, steps, a private Redis server.

# Exit code of a script that lacks something it cannot get (EX_UNAVAILABLE of sysexits.h).
unavailable=69

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\033[1m' plain=$'\033[0m'
else
  bold='' plain=''
fi

say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
die() {
  local code=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# What the program needs to be built and run.
program_packages=(
  g++ cmake ninja-build pkg-config
  libexpected-dev libhiredis-dev libssl-dev libsqlite3-dev libedit-dev
  libfmt-dev nlohmann-json3-dev redis-server liblua5.1-0-dev
)
# What its tests need beyond that.
test_packages=(
  ccache git openssl procps dpkg-dev file gzip libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  libasio-dev libboost-dev libuv1-dev libglib2.0-dev doxygen
  # On Debian 13 OpenSSL's archives need it.
  libzstd-dev
  python3-redis python3-yaml libxml2-utils lua-check clang clang-format clang-tidy
  # The sanitizers' run-time libraries of that clang: `clang` itself only recommends them.
  libclang-rt-dev
  # Languages of clients (tests/cli/client*.bash).
  nodejs php-cli php-redis default-jdk-headless
  # Readers of the manual pages, and shells that complete (tests/cli/manual.bash, completion.bash).
  man-db mandoc zsh fish
  # Another model checker, whose verdicts and states are compared (benchmarks/spin).
  spin
)

# The version of clang-format and clang-tidy that the sources are written for, the one of Debian 12: another one
# formats differently, and has other checks.
linter_version=14
has_linters() { clang-format --version 2>/dev/null | grep -q " version $linter_version[.]"; }
require_linters() {
  has_linters || die $unavailable "clang-format is another version here, which formats differently:" \
    "use version $linter_version, which Debian 12 has"
}

# What scripts/package needs beyond the program's.
packaging_packages=(dpkg-dev file gzip lintian)

# What the page of the laboratory needs beyond that: a compiler and libraries for WebAssembly.
lab_packages=(
  clang-19 lld-19 llvm-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32
  libclang-rt-19-dev-wasm32 binaryen zopfli nodejs
)

# require_packages NAME...: installs those that are missing, or names them and stops.
require_packages() {
  [ -z "${INTERLOCK_SKIP_PACKAGES:-}" ] || return 0
  local missing=() name
  if command -v dpkg-query >/dev/null; then
    for name in "$@"; do
      case $(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null) in
        installed*) ;;
        *) missing+=("$name") ;;
      esac
    done
  else
    missing=("$@")
  fi
  [ ${#missing[@]} -gt 0 ] || return 0

  command -v apt-get >/dev/null ||
    die $unavailable "no apt-get here; install the equivalent of: ${missing[*]}" \
      "(then set INTERLOCK_SKIP_PACKAGES=1)"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    # A prompt for a password is for people only.
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      die $unavailable "not root; run: apt-get install ${missing[*]}"
    fi
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die $unavailable "could not install: ${missing[*]}"
}

# start_redis DIRECTORY: a server of our own on a free port of the loopback interface, which keeps
# everything in DIRECTORY and nothing after its end. Sets redis_port and redis_pid; end it by
# stop_redis. Never the machine's own server: a demonstration has no business in its data.
start_redis() {
  local directory=$1 attempt waited
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    redis_port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    : >"$directory/redis.log"  # the server's process may come to it later than the grep below
    redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no \
      --dir "$directory" --daemonize no >"$directory/redis.log" 2>&1 &
    redis_pid=$!
    for waited in $(seq 100); do
      # Gone: the port was taken, perhaps by a server that would have answered us.
      kill -0 "$redis_pid" 2>/dev/null || break
      if grep -q 'Ready to accept connections' "$directory/redis.log"; then return 0; fi
      sleep 0.05
    done
    stop_redis
  done
  cat "$directory/redis.log" >&2
  die $unavailable "redis-server did not start"
}

stop_redis() {
  [ -n "${redis_pid:-}" ] || return 0
  kill "$redis_pid" 2>/dev/null || true
  wait "$redis_pid" 2>/dev/null || true
  redis_pid=''
}
