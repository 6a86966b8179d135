"""usage: search.py PROGRAM PORT DOCUMENT [SECTION...]

Does the searches of the file `rows` beside this file with PROGRAM, an interlock, and prints DOCUMENT
with what they say between its marks:

  <!-- searched SECTION -->   the table of the rows of this section, up to <!-- end -->
  <!-- drawn WORKER -->       the shortest run of a row that is marked `draw`, up to <!-- end -->

A run that breaks a property is then taken by real processes at the Redis on PORT (on_redis.py). If
sections are named, the others keep what they say. Run it in the folder that has the workers.
"""

import json
import os
import subprocess
import sys
import time

import on_redis

program, port, document, *sections = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
until = float(os.environ.get("INTERLOCK_UNTIL", "inf"))  # no search begins later


class Row:
    def __init__(self, line):
        fields = [field.strip() for field in line.split("|")]
        self.section, self.lock, self.command, self.flags = fields[:4]
        self.draws = fields[4:] == ["draw"]
        self.worker = self.command.split()[-1]
        self.picture = ""


# On a busy machine Node.js may take a while to start.
def run(verb, *words):
    every = [program, verb, "--patience", "60", *words]
    return subprocess.run(every, capture_output=True, text=True)


# On a real Redis: whether the run is possible there.
def taken(row, short):
    lines = run("replay", "-f", "json", short, "--", *row.command.split()).stdout.splitlines()
    steps = [step for step in map(json.loads, lines) if step["event"] == "step"]
    redis_cli("FLUSHALL")
    try:
        compared = on_redis.take_run(steps, row.command.split(), int(port))
    except on_redis.OtherRun as other:
        return f"**another run**: {other}"
    if compared == 0:
        return "**nothing to compare**"
    return f"the same, {compared} answers" if compared != 1 else "the same, 1 answer"


def redis_cli(*words):
    subprocess.run(["redis-cli", "-p", port, *words], check=True, capture_output=True)


def searched(row):
    words = row.flags.split() + ["--", *row.command.split()]
    done = run("explore", "--json", *words)
    said = json.loads(done.stdout)
    if "error" in said:
        return ["not decided: " + said["error"].removeprefix("not decided: "), "", "", ""]
    states = f"{said['states']:,}".replace(",", " ")
    if said["verdict"] == "proved":
        # What depends on a draw was searched for one draw of each client.
        draws = any(trust.startswith("random bytes") for trust in said["trusts"])
        return ["proved" + (" for one draw" if draws else ""), states, "", ""]
    if said["verdict"] != "violated":
        return ["not decided: " + said.get("reason", said["verdict"]), "", "", ""]
    short = said["replay"].split()[0]
    if row.draws:
        drawn = run("replay", short, "--", *row.command.split())
        row.picture = "```text\n" + drawn.stdout.rstrip("\n") + "\n```\n"
    return [f"**violated**: {said['property']}", states, f"`{short}`", taken(row, short)]


# Once found, it stands in a file: a script that was interrupted, or whose time was over, goes on from
# there.
def found(row):
    name = f"{row.command} {row.flags}".replace("/", "_").replace(" ", "_")
    path = os.path.join("found", name)
    if not os.path.exists(path):
        if time.time() > until:
            return ["not searched yet", "", "", ""]
        cells = searched(row)
        with open(path, "w", encoding="utf-8") as file:
            json.dump([cells, row.picture], file)
    with open(path, encoding="utf-8") as file:
        cells, row.picture = json.load(file)
    return cells


def table(rows):
    columns = ["lock", "worker", "bounds", "verdict", "states", "shortest run", "on a real Redis"]
    lines = []
    for row in rows:
        print(f"  {row.lock}: {row.worker} {row.flags}", file=sys.stderr, flush=True)
        lines.append([row.lock, f"`{row.worker}`", f"`{row.flags}`", *found(row)])
    text = ""
    # What is the same in all rows stands above the table.
    if len({row.flags for row in rows}) == 1:
        text += f"Bounds: `{rows[0].flags}`."
        options = {short.rsplit(":", 1)[0] + ":" for *_, short, _ in lines if short}
        if len(options) == 1:
            text += f" The runs begin with {options.pop()}`."
            for cells in lines:
                cells[-2] = cells[-2] and "`" + cells[-2].rsplit(":", 1)[1]
        for cells in [columns, *lines]:
            del cells[2]
        text += "\n\n"
    rule = ["---:" if column == "states" else "---" for column in columns]
    return text + "".join("| " + " | ".join(cells) + " |\n" for cells in [columns, rule, *lines])


def between(text, mark, content):
    begin = f"<!-- {mark} -->\n"
    if begin not in text:
        sys.exit(f"{document} has no mark {begin.strip()}")
    before, after = text.split(begin, 1)
    end = after.index("<!-- end -->")
    return before + begin + "\n" + content + "\n" + after[end:]


with open(os.path.join(here, "rows"), encoding="utf-8") as file:
    lines = [line for line in file if line.strip() and not line.startswith("#")]
every = [Row(line) for line in lines]
names = list(dict.fromkeys(row.section for row in every))
for name in sections:
    if name not in names:
        sys.exit(f"no section is called {name}: there are {', '.join(names)}")

with open(document, encoding="utf-8") as file:
    text = file.read()
for name in sections or names:
    rows = [row for row in every if row.section == name]
    text = between(text, f"searched {name}", table(rows))
    for row in rows:
        if row.draws:
            text = between(text, f"drawn {row.worker}", row.picture)
print(text, end="")
