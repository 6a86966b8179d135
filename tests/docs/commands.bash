# usage: bash commands.bash PROGRAM SOURCE-DIR [DOCUMENT...]
#
# Runs the commands of README.md, CONTRIBUTING.md, docs/*.md and docs/recipes/*.md and compares what
# they say.
#
# A block of `sh` is a list of commands; each must exit with 0, or as a comment in front of the block
# says: <!-- exits: 0 1 0 -->. A block of `text` that begins with `$ ` is a session: what stands
# under a command is what it prints, `...` alone in a line stands for any lines, and seconds may
# differ. What is typed at the prompts of `play` is taken from the session. <!-- not run: WHY --> in
# front of a block leaves it out. <!-- file: NAME --> in front of a block of any language makes a file
# of it, beside which the commands run; a script (#!) can be executed. (recipes_test looks at the rest of
# such blocks.)
set -u

program=$(realpath "$1")
source=$(realpath "$2")
shift 2
work=$(mktemp -d)
redis_pid=
clean_up() {
  if [ -n "$redis_pid" ]; then
    kill -9 "$redis_pid"
    # Without the word "Killed".
    wait "$redis_pid" 2>/dev/null
  fi
  rm -rf "$work"
}
trap clean_up EXIT
failed=0
ran=0
unset "${!INTERLOCK_@}" COLUMNS
export LC_ALL=C.UTF-8 NO_COLOR=1 HOME=$work INTERLOCK_STORE=sqlite:$work/locks.sqlite3
PATH=$(dirname "$program"):$PATH

# What the documents talk about: a script to deploy, a makefile, this build, a lock of one's own.
prepare() {
  mkdir -p "$work/here/build/release"
  ln -s "$(dirname "$program")" "$work/here/build/release/bin"
  ln -s "$(dirname "$program")/../examples/bin/your_own_lock" "$work/here/build/your_own_lock"
  printf '#!/bin/sh\necho deployed\n' >"$work/here/deploy.sh"
  printf 'backup:\n\t@echo saved\n' >"$work/here/Makefile"
  chmod +x "$work/here/deploy.sh"
}

start_redis() {
  local attempt port
  command -v redis-server >/dev/null || return 1
  for attempt in {1..20}; do
    port=$((RANDOM % 20000 + 20000))
    redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" \
      >"$work/redis.log" 2>&1 &
    redis_pid=$!
    for _ in {1..100}; do
      if [ "$(redis-cli -p "$port" info server 2>/dev/null | tr -d '\r' |
        sed -n 's/^process_id://p')" = "$redis_pid" ]; then
        redis_url=redis://127.0.0.1:$port
        return 0
      fi
      kill -0 "$redis_pid" 2>/dev/null || break
      sleep 0.05
    done
    kill -9 "$redis_pid" 2>/dev/null
    redis_pid=
  done
  echo "no redis-server could be started after $attempt attempts"
  exit 1
}

wrong() {
  failed=1
  echo "FAILED: $document, line $1: $2"
}

our_server() {
  sed -E "s#redis://(db|127\.0\.0\.1)(:6379)?(/0)?#${redis_url:-redis://127.0.0.1:1}#g"
}

# run LINE-NUMBER COMMAND INPUT: from where the document stands; gives the exit code, and what it
# said in the file said. The documents' servers are ours.
run() {
  local command=$2 code=0
  command=$(our_server <<<"$command")
  ran=$((ran + 1))
  (cd "$work/here" && printf '%s' "$3" | timeout 600 bash -c "(exit $last); $command") \
    >"$work/said" 2>&1 || code=$?
  last=$code
}

# The output as it can be compared: our server by its name in the documents, seconds without digits.
comparable() {
  sed -E -e "s#${redis_url:-redis://127.0.0.1:1}(/0)?#REDIS#g" \
    -e "s#redis://(db|127\.0\.0\.1)(:6379)?(/0)?#REDIS#g" -e 's/[0-9]+\.[0-9]+ s/_ s/g' \
    -e 's/[[:space:]]+$//'
}

# matches EXPECTED SAID: line by line; `...` stands for any lines.
matches() {
  awk -v expected="$1" '
    BEGIN { while ((getline line < expected) > 0) want[++wants] = line }
    { have[++haves] = $0 }
    # Greedy enough: the first line that fits ends a `...`.
    END {
      at = 1
      for (i = 1; i <= wants; i++) {
        if (want[i] ~ /^ *\.\.\.$/) {
          if (i == wants) exit 0
          while (at <= haves && have[at] != want[i + 1]) at++
          continue
        }
        if (at > haves || have[at] != want[i]) {
          printf "  the document says: %s\n  the program says:  %s\n", want[i], \
            (at > haves ? "(nothing)" : have[at])
          exit 1
        }
        at++
      }
      if (at <= haves) { printf "  the program says more: %s\n", have[at]; exit 1 }
    }' "$2"
}

run_list() {
  local number=$1 command='' line wanted
  local -a codes
  read -ra codes <<<"$exits"
  while IFS= read -r line; do
    number=$((number + 1))
    case $line in '' | '#'*) continue ;; esac
    command+=$line
    if [[ $line == *\\ ]]; then
      command=${command%\\}
      continue
    fi
    run "$number" "$command" ''
    wanted=${codes[0]:-0}
    codes=("${codes[@]:1}")
    if [ "$last" != "$wanted" ]; then
      wrong "$number" "'$command' gave $last, not $wanted"
      sed 's/^/  /' "$work/said" | head -20
    fi
    command=
  done <<<"$2"
}

finish_command() {
  [ -n "$command" ] || return 0
  local input
  input=$(sed -nE 's/^(step [0-9]+|repair)> //p' "$work/expected")
  [ -z "$input" ] || input+=$'\n'
  run "$at" "$command" "$input"
  comparable <"$work/said" >"$work/got"
  comparable <"$work/expected" >"$work/wanted"
  local difference
  difference=$(matches "$work/wanted" "$work/got") || wrong "$at" "\$ $command"$'\n'"$difference"
}

run_session() {
  local number=$1 line command='' at=0
  : >"$work/expected"
  while IFS= read -r line; do
    number=$((number + 1))
    if [[ $line == '$ '* ]]; then
      finish_command
      command=${line#'$ '}
      at=$number
      : >"$work/expected"
    else
      printf '%s\n' "$line" >>"$work/expected"
    fi
  done <<<"$2"
  finish_command
}

# write_file NAME TEXT: with our server in place of the document's.
write_file() {
  mkdir -p "$(dirname "$work/here/$1")"
  our_server <<<"$2" >"$work/here/$1"
  case $2 in '#!'*) chmod +x "$work/here/$1" ;; esac
}

check() {
  document=$1
  local number=0 line language='' block='' began=0 skip='' exits='' inside='' file=''
  last=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [ -n "$inside" ]; then
      if [ "$line" != '```' ]; then
        block+=$line$'\n'
        continue
      fi
      inside=
      block=${block%$'\n'}
      [ -z "$file" ] || write_file "$file" "$block"
      if [ -z "$skip" ]; then
        [ "$language" != sh ] || run_list "$began" "$block"
        case $language in text) [[ $block != '$ '* ]] || run_session "$began" "$block" ;; esac
      fi
      skip='' exits='' file=''
      continue
    fi
    case $line in
      '```'*) inside=yes language=${line#'```'} block='' began=$number ;;
      '<!-- not run: '*) skip=yes ;;
      '<!-- exits: '*) exits=${line#'<!-- exits: '} exits=${exits%' -->'} ;;
      '<!-- file: '*) file=${line#'<!-- file: '} file=${file%' -->'} ;;
      '<!-- when held: '* | '<!-- when lost: '*) ;;
      '') ;;
      *) skip='' exits='' file='' ;;
    esac
  done <"$source/$document"
}

prepare
start_redis || echo "without redis-server: commands that need one are going to fail"
if [ $# -eq 0 ]; then
  cd "$source" || exit 1
  set -- README.md CONTRIBUTING.md ARCHITECTURE.md docs/*.md docs/recipes/*.md
fi
for document in "$@"; do check "$document"; done
echo "$ran commands of $# documents"
[ "$ran" -gt 0 ] || failed=1
exit "$failed"
