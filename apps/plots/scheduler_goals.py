"""What `flamingo bench scheduler --csv` measured against the goals of the design. Needs no library."""
import csv

TARGET_PLAN_US = 50
TARGET_REMOTE_READS = 0.15  # over Hermes
TARGET_SPEEDUP = {0: 7.5, 20: 6.5}  # at c = 0, by per cent distributed


def read(source):
    """The rows, numbers as numbers."""
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key, value in row.items():
            if key not in ("scheduler", "weight"):
                row[key] = float(value)
    return rows


def chosen(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def values(rows, key):
    return sorted({row[key] for row in rows})


def place_of(row):
    return f"{row['weight']} {row['overlap']:g}/{row['distributed']:g}"


def span(numbers, form):
    return f"{min(numbers):{form}} to {max(numbers):{form}}"


def remote_read_goals(rows, most):
    """A goal for each weight: (goal, measured, missed)."""
    for weight in ("light", "medium"):
        over = {}
        for row in chosen(rows, scheduler="flamingo", weight=weight, m=most, c=0.0):
            same = {key: row[key] for key in ("weight", "overlap", "distributed", "m", "c")}
            least = chosen(rows, scheduler="hermes", **same)[0]["remote_reads"]
            over[place_of(row)] = row["remote_reads"] / least - 1
        yield (f"{weight}: remote reads at most {100 * TARGET_REMOTE_READS:.0f} % above hermes",
               span(over.values(), "+.0%"),
               [f"{place} {x:+.0%}" for place, x in over.items() if x > TARGET_REMOTE_READS])


def goals(rows):
    """The goals of the design for the most executors: (goal, measured, missed)."""
    most = max(values(rows, "m"))
    light = chosen(rows, scheduler="flamingo", weight="light", m=most, c=0.0)
    yield (f"light: 1000 transactions planned in {TARGET_PLAN_US} µs (median)",
           span([row["us_p50"] for row in light], ".0f") + " µs",
           [f"{place_of(row)} {row['us_p50']:.0f} µs" for row in light if row["us_p50"] > TARGET_PLAN_US])
    yield from remote_read_goals(rows, most)
    for distributed, target in TARGET_SPEEDUP.items():
        found = chosen(rows, scheduler="flamingo", m=most, c=0.0, distributed=distributed)
        yield (f"{distributed} % distributed: speed-up at c = 0 at least {target}",
               span([row["speedup"] for row in found], ".2f"),
               [f"{place_of(row)} {row['speedup']:.2f}" for row in found if row["speedup"] < target])
    missed, compared = [], 0
    for row in rows:
        if row["scheduler"] != "flamingo" or row["m"] == 1:
            continue
        same = {key: row[key] for key in ("weight", "overlap", "distributed", "m", "c")}
        other = chosen(rows, scheduler="pilotfish", **same)[0]["speedup"]
        compared += 1
        if row["speedup"] <= other:
            missed.append(f"m = {row['m']:g}, c = {row['c']:g}, {place_of(row)}: "
                          f"{row['speedup'] / other - 1:+.1%}")
    met = compared - len(missed)
    yield "speed-up above pilotfish's for every m above 1, c and load", f"{met} of {compared}", missed


def table(rows):
    """The goals, for docs/results.md."""
    lines = ["| goal | measured | missed at |", "| --- | --- | --- |"]
    for goal, measured, missed in goals(rows):
        lines.append(f"| {goal} | {measured} | {', '.join(missed) or 'none'} |")
    return "\n".join(lines) + "\n"
