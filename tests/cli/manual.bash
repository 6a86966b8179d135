# interlock manual: the pages are made of the tables of the help, and man and mandoc like them.
source "$(dirname "$0")/harness.bash"

# The commands that `interlock` lists.
all_commands() { interlock | sed -n 's/^  \([a-z]*\) .*/\1/p'; }

# The flags in a text: --wait, one a line.
flags_in() { grep -o -- '--[a-z][a-z-]*' "$1" | sort -u; }

# The page as a reader of 80 columns sees it.
read_page() { MANWIDTH=80 LC_ALL=C.UTF-8 man -P cat -l "$1" 2>err | sed 's/.\x08//g'; }

# The lines of a section.
section_of() { sed -n "/^$2\$/,/^[A-Z]/p" "$1" | sed '1d'; }

test_every_command_has_a_page_and_the_pages_go_where_man_looks() {
  expect 0 interlock manual --output pages
  silent out
  silent err
  local command
  for command in $(all_commands); do exists "pages/man1/interlock-$command.1" || fail "$command"; done
  exists pages/man1/interlock.1 && exists pages/man7/interlock-stores.7 || fail "a page"
  # Without the laboratory there is nothing that reads a schedule.
  local more=2
  if all_commands | grep -qx explore; then
    exists pages/man5/interlock-schedule.5 || fail "a page"
    more=3
  fi
  equal "$(find pages -type f | wc -l)" "$(($(all_commands | wc -l) + more))"
  MANPATH=$dir/pages man -w interlock-run >found || fail "man does not find it"
  equal "$(cat found)" "$dir/pages/man1/interlock-run.1"
}

test_man_and_mandoc_have_nothing_to_say() {
  command -v mandoc >/dev/null && command -v man >/dev/null || fail "mandoc and man are needed"
  expect 0 interlock manual --output pages
  local page width
  for page in pages/man?/*; do
    for width in 60 80; do
      MANWIDTH=$width MANROFFSEQ='' LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" \
        >/dev/null 2>warnings
      equal "$(cat warnings)" ""
    done
    mandoc -Tlint -Wstyle "$page" >warnings || true
    equal "$(grep -v 'referenced manual not found' warnings)" ""
  done
}

test_a_page_fits_into_80_columns() {
  expect 0 interlock manual --output pages
  local page
  for page in pages/man?/*; do
    read_page "$page" >shown
    ! LC_ALL=C.UTF-8 grep '.\{81\}' shown || fail "a line of $page is too long"
    ! grep '‐$' shown || fail "a word of $page is broken"
    ! grep -n '\\f\|\\-\|\\(' shown || fail "a mark is shown in $page"
  done
}

test_a_page_has_all_parts() {
  expect 0 interlock manual --output pages
  local command part
  for command in $(all_commands); do
    for part in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' ENVIRONMENT EXAMPLES 'SEE ALSO'; do
      grep -qx "\.SH $part" "pages/man1/interlock-$command.1" || fail "$command has no $part"
    done
  done
  for part in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES; do
    grep -qx "\.SH $part" pages/man1/interlock.1 || fail "interlock(1) has no $part"
  done
}

# A flag of the help is an option of the page, and the reverse; so are exit codes.
test_a_page_has_the_flags_and_codes_of_the_help() {
  expect 0 interlock manual --output pages
  local command
  for command in $(all_commands); do
    interlock "$command" --help | sed -n '/^  *-/p' | grep -o '^ *\(-., \)\?--[a-z-]*' >help-heads
    read_page "pages/man1/interlock-$command.1" >shown
    section_of shown OPTIONS | grep -o '^       \(-., \)\?--[a-z-]*' >page-heads
    equal "$(flags_in page-heads)" "$(flags_in help-heads)"
    interlock "$command" --help | sed -n '/^Exit codes:/,/^$/s/^  \([0-9Nn+]\+\) .*/\1/p' | sort >help-codes
    section_of shown 'EXIT STATUS' | sed -n 's/^       \([0-9Nn+]\+\)\( .*\)\?$/\1/p' | sort >page-codes
    [ -s help-codes ] || fail "$command tells no exit codes"
    equal "$(cat page-codes)" "$(cat help-codes)"
  done
}

test_a_page_names_each_variable_of_its_flags() {
  local command variable
  for command in $(all_commands); do
    interlock manual "$command" | sed 's/\\f[BR]//g' >page
    for variable in $(interlock "$command" --help | grep -o '(or INTERLOCK_[A-Z_]*)' | tr -d '()' |
      sed 's/or //'); do
      sed -n '/^\.SH ENVIRONMENT/,/^\.SH [^E]/p' page | grep -qx "$variable" ||
        fail "$command: $variable"
    done
  done
}

test_the_pages_name_pages_that_exist() {
  expect 0 interlock manual --output pages
  local name
  for name in $(cat pages/man?/* | sed 's/\\f[BRI]//g; s/\\-/-/g' | grep -o 'interlock-[a-z]*([1-8])'); do
    exists "pages/man${name: -2:1}/${name%(*}.${name: -2:1}" || fail "$name"
  done
}

test_the_page_of_stores_has_every_form_of_a_url() {
  interlock manual stores | sed 's/\\-/-/g' >page
  interlock status --store nonsense 2>forms
  local scheme
  for scheme in $(sed 's/.*write //' forms | grep -o '[a-z+]*:' | sort -u); do
    grep -q "$scheme" page || fail "$scheme"
  done
}

test_a_page_is_found_by_each_of_its_names() {
  expect 0 interlock manual run
  cp out first
  says out '.TH INTERLOCK\-RUN 1 '
  local name
  for name in interlock-run 'interlock-run(1)' interlock-run.1; do
    expect 0 interlock manual "$name"
    cmp -s out first || fail "$name"
  done
  expect 0 interlock manual
  says out '.TH INTERLOCK 1 '
  expect 64 interlock manual rum
  says err "there is no page 'rum'; did you mean 'run'?"
  expect 64 interlock manual --output pages run
  says err "--output pages writes all pages: leave 'run' out"
  expect 71 interlock manual --output /dev/null/pages
  says err "cannot be written"
}

test_the_pages_are_the_same_each_time() {
  interlock manual --output one
  LC_ALL=C TZ=Asia/Tokyo INTERLOCK_STORE=redis://x:y@h COLUMNS=40 interlock manual --output two
  diff -r one two || fail "they differ"
}

run_tests
