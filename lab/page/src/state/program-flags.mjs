// The flags of the program's commands that take a run or a scenario: a reader may paste a line with
// them. tests/lab/command_lines.mjs compares them with the program.
export const bounds = ['--clients', '--attempts', '--instants', '--faults', '--property'];
export const withoutValue = ['--json', '--no-symmetry', '--equal-futures', '--ascii', '--help', '-h', '--allow-deadlock', '--coverage'];
// They change nothing that the page opens.
export const others = [
  '--max-states', '--max-memory', '--seconds', '--random', '--pct', '--bitstate', '--seed', '--apart', '--servers', '--patience',
  '--threads', '--store', '--format', '-f', '--output', '-o', '--merge-by', '--max-nodes', '--checkpoint', '--resume',
];
