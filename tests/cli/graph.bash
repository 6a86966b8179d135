# interlock graph: states and steps for Graphviz and for programs.
source "$(dirname "$0")/harness.bash"
export LC_ALL=C.UTF-8

value() { python3 -c "import json,sys; graph=json.load(open(sys.argv[1])); print($2)" "$1"; }

test_it_has_the_states_that_a_search_visits() {
  local scenario states
  # No violation ends these searches.
  for scenario in "stamp-lock --clients 3" "lost-wakeup-repaired" \
    "setnx-expire-lock-repaired"; do
    states=$(interlock explore $scenario --no-symmetry --json | sed -n 's/.*"states":\([0-9]*\).*/\1/p')
    expect 0 interlock graph $scenario -f json --max-nodes 100000
    equal "$(value out "graph['states']")" "$states"
    equal "$(value out "sum(node['states'] for node in graph['nodes'])")" "$states"
    equal "$(value out "sum(edge['steps'] for edge in graph['edges'])")" "$(value out "graph['steps']")"
  done
}

test_the_shortest_violation_is_as_deep_as_the_search_says() {
  expect 0 interlock graph del-setnx-lock -f json
  equal "$(value out "min(n['depth'] for n in graph['nodes'] if 'violates' in n)")" 8
  equal "$(value out "[e for e in graph['edges'] if 'violates' in graph['nodes'][e['from']]]")" "[]"
}

test_states_are_merged_by_what_is_named() {
  expect 0 interlock graph del-setnx-lock --merge-by beliefs -f json
  equal "$(value out "graph['merged_by']")" beliefs
  equal "$(value out "sorted(n['lines'] for n in graph['nodes'])")" \
    "[['A holds lock.foo'], ['A holds lock.foo', 'B holds lock.foo'], ['B holds lock.foo'], ['nobody is inside']]"
  expect 0 interlock graph del-setnx-lock --merge-by values,A -f json
  value out "[n['lines'] for n in graph['nodes']][0]" >first
  says first "A has not begun"
}

test_graphviz_can_read_it() {
  expect 0 interlock graph del-setnx-lock --merge-by values,beliefs -o states.dot
  says states.dot "digraph states {"
  says states.dot "VIOLATES mutual exclusion of lock.foo"
  says states.dot "SETNX lock.foo"
  command -v dot >/dev/null || return 0
  dot -Tsvg states.dot >states.svg || fail "dot refuses it"
  says states.svg "lock.foo"
}

test_a_graph_that_is_too_large_says_how_to_make_it_smaller() {
  expect 2 interlock graph lease-lock -o large.dot
  lines err 1
  says err "no graph: 'lease-lock' has more than 500 nodes in its graph: choose fewer clients"
  says err "(--merge-by, --max-nodes, --max-states)"
  [ ! -e large.dot ] || fail "a part was written"
  expect 2 interlock graph lease-lock --merge-by beliefs --max-states 20
  says err "'lease-lock' has more than 20 states: "
}

test_what_is_wrong_is_said() {
  expect 64 interlock graph
  says err "no scenario given"
  expect 64 interlock graph stamp-lock --merge-by nonsense
  says err "'nonsense' is no view of a state: there are keys, values, beliefs, clients, time, faults, resources, A, B"
  expect 64 interlock graph stamp-lock -f svg
  says err "is no format; write one of dot, json"
}

run_tests
