# Completion in real shells: what appears when a line is typed and Tab is pressed.
source "$(dirname "$0")/harness.bash"

# What each shell offers for a line, one word a line, sorted.
in_bash() {
  LINE=$1 bash --norc --noprofile -c '
    source <(interlock completion bash)
    COMP_LINE=$LINE COMP_POINT=${#LINE}
    # As readline splits it.
    mapfile -t COMP_WORDS < <(printf %s "$LINE" | sed "s/[:=]\+/\n&\n/g; s/ /\n/g" | sed "/^$/d")
    [[ $LINE != *[\ :=] ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    compopt() { :; }
    _interlock interlock "${COMP_WORDS[COMP_CWORD]}" ""
    printf "%s\n" "${COMPREPLY[@]}"' | sort -u
}
in_fish() {
  fish --no-config -c 'interlock completion fish | source; complete -C $argv[1]' "$1" | cut -f 1 | sort
}
# zsh completes only in a terminal.
in_zsh() {
  cat >typist.zsh <<'SCRIPT'
zmodload zsh/zpty
zpty typist "PS1=; export PS1; zsh -f -i"
await() { local seen=; while [[ $seen != *$1* ]]; do zpty -r typist part || return; seen+=$part; done; print -rn -- "$seen"; }
zpty -w typist "autoload -U compinit && compinit -u -D; source <(interlock completion zsh); LISTMAX=100000; unsetopt beep zle_bracketed_paste 2>/dev/null
zstyle ':completion:*' list-prompt ''; compadd() { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; else typeset -a hits; builtin compadd -O hits \"\$@\"; print -l -- \$hits >>$PWD/offered; builtin compadd \"\$@\"; fi }
all_offered() { touch $PWD/all-offered }; zle -N all_offered; bindkey '^G' all_offered; print rea''dy"
await ready >/dev/null
zpty -w -n typist "$1"$'\t\a'
# The next key is heard when everything has been offered.
for _ in {1..600}; do [[ -e all-offered ]] && break; sleep 0.05; done
zpty -d typist
SCRIPT
  rm -f offered all-offered
  timeout 60 zsh -f typist.zsh "$1" >/dev/null 2>&1
  sort -u offered 2>/dev/null
}

# The line of a real bash at a terminal, after Tab.
line_in_bash() {
  rm -f line
  mkfifo keyboard
  TERM=dumb env --default-signal script -qefc 'bash --norc --noprofile -i' screen <keyboard >/dev/null 2>&1 &
  local terminal=$! keys
  exec {keys}>keyboard
  printf '%s\n' 'source <(interlock completion bash); touch prompt' \
    "bind -x '\"\\C-g\": printf %s \"\$READLINE_LINE\" >typed && mv typed line'" >&"$keys"
  until_true exists prompt
  printf '%s\t\007' "$1" >&"$keys"
  until_true exists line
  exec {keys}>&-
  kill -9 "$terminal" 2>/dev/null
  wait "$terminal" 2>/dev/null
  rm keyboard prompt
  cat line
}

hold() {
  mkfifo "pipe-$1"
  interlock hold "$1" --ready-file "ready-$1" <"pipe-$1" >/dev/null 2>&1 &
  exec {input}>"pipe-$1"
  until_true exists "ready-$1"
}

# offers LINE WORD...: each shell offers these words, and no other ones.
offers() {
  local line=$1 shell
  shift
  printf '%s\n' "$@" | sort >wanted
  for shell in bash zsh fish; do
    "in_$shell" "$line" >offered-words
    diff wanted offered-words >difference || fail "$shell for '$line': $(cat difference)"
  done
}

test_commands_are_completed() {
  offers 'interlock wa' watch
  offers 'interlock --' --help --version
  offers 'interlock st' status
  offers 'interlock help ho' hold
}

test_flags_are_completed_before_the_command_only() {
  offers 'interlock run --sto' --store --store-file --store-outage
  offers 'interlock status --ex' --exit-code
  offers 'interlock run --store x --ver' --verbose
}

test_values_are_completed() {
  offers 'interlock run --on-lost k' kill
  offers 'interlock run --left-behind ' end stay wait
  # The others behind the sign alone.
  equal "$(in_fish 'interlock run --on-lost=k')" --on-lost=kill
  equal "$(in_zsh 'interlock run --on-lost=k')" --on-lost=kill
  equal "$(in_bash 'interlock run --on-lost=k')" kill
}

test_lock_names_come_from_the_store() {
  hold deploy
  hold depot
  offers 'interlock run dep' deploy depot
  offers 'interlock break depl' deploy
  unset INTERLOCK_STORE
  local other="sqlite:$dir/locks.db"
  [ "$kind" = sqlite ] || other=redis://127.0.0.1:$redis_port
  equal "$(in_fish "interlock status --store $other depl")" deploy
}

test_a_name_with_a_colon_or_a_blank_is_completed() {
  interlock run 'a:b c' -c 'touch up; read -r _ <gate' &
  mkfifo gate
  until_true exists up
  equal "$(in_bash 'interlock status a:')" 'b\ c'
  equal "$(in_bash 'interlock status ')" 'a:b\ c'
  echo >gate
  wait
}

test_bash_itself_completes_at_a_terminal() {
  hold deploy
  equal "$(line_in_bash 'interlock wa')" 'interlock watch '
  equal "$(line_in_bash 'interlock run dep')" 'interlock run deploy '
  equal "$(line_in_bash 'interlock run --on-lost=k')" 'interlock run --on-lost=kill '
  equal "$(line_in_bash 'interlock check --store sq')" 'interlock check --store sqlite:'
  equal "$(line_in_bash 'interlock run deploy -- sha256su')" 'interlock run deploy -- sha256sum '
  interlock run 'a:b c' -c 'touch up; read -r _ <gate' &
  mkfifo gate
  until_true exists up
  equal "$(line_in_bash 'interlock status a:')" 'interlock status a:b\ c '
  equal "$(line_in_bash 'interlock status "a:b')" 'interlock status "a:b c" '
  echo >gate
}

test_the_token_of_the_holder_is_offered() {
  hold deploy
  local token
  token=$(field token <ready-deploy)
  offers 'interlock break deploy --token ' "$token"
}

test_several_names_are_completed_after_a_comma() {
  hold deploy
  equal "$(in_fish 'interlock run --all a,dep')" a,deploy
}

test_scenarios_faults_formats_and_properties_are_completed() {
  interlock demo --help >/dev/null 2>&1 || return 0
  offers 'interlock explore del-setnx-lock-r' del-setnx-lock-recheck
  offers 'interlock explore del-setnx-lock --format s' sarif schedule short svg
  offers 'interlock explore --faults crash,rest' crash,restart crash,restart-empty
  offers 'interlock explore del-setnx-lock --property mut' mutual-exclusion
  offers 'interlock scenarios --verdict ' proved violated
}

test_files_are_completed() {
  touch secret-file
  offers 'interlock run --store-file secr' secret-file
}

test_behind_the_lock_the_shell_completes_the_command() {
  equal "$(in_bash 'interlock run deploy -- sha256su')" sha256sum
  equal "$(in_bash 'interlock run deploy sha256su')" sha256sum
  equal "$(in_fish 'interlock run deploy -- sha256su')" sha256sum
  in_zsh 'interlock run deploy -- sha256su' | grep -qx sha256sum || fail zsh
  touch some-file
  equal "$(in_bash 'interlock run -w 0 deploy cat some-f')" some-file
  equal "$(in_fish 'interlock run -w 0 deploy cat some-f')" some-file
}

# It accepts connections and never answers: a user who types must not wait for it.
test_a_dead_store_does_not_hang_the_shell() {
  [ "$kind" = redis ] || return 0
  trap 'kill -CONT "$redis_pid"' EXIT
  kill -STOP "$redis_pid"
  local begin=$EPOCHREALTIME took
  expect 0 interlock complete fish -- run dep
  took=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
  kill -CONT "$redis_pid"
  silent out
  silent err
  [ "$took" -lt 3000 ] || fail "it took $took ms"
}

test_a_store_file_that_would_wait_is_not_read() {
  mkfifo pipe
  expect 0 timeout 20 interlock complete fish -- run --store-file pipe x
  expect 0 timeout 20 interlock complete fish -- run --store-file /dev/stdin x
  INTERLOCK_STORE=nonsense expect 0 interlock complete fish -- run x
  silent err
}

test_a_completion_makes_no_store() {
  [ "$kind" = sqlite ] || return 0
  expect 0 interlock complete fish -- run x
  [ ! -e locks.db ] || fail "a file was made"
}

test_a_shell_is_needed() {
  expect 64 interlock completion
  says err "no shell given; write interlock completion bash, zsh or fish"
  expect 64 interlock completion ksh
  says err "'ksh' is not a known shell"
}

run_tests
