#!/usr/bin/env python3
"""Draws what `flamingo local --series FILE.csv` wrote: throughput, latency, queue delay over time.

usage: timeline.py FILE.csv [OUT.svg]
"""
import csv
import pathlib
import sys

from svg import Line, Panel, chart


def number(text):
    return float(text) if text not in ("", None) else None


def column(rows, name):
    return [(float(row["seconds"]), number(row[name])) for row in rows]


def draw(rows, title):
    names = list(rows[0])
    throughput = Panel("transactions a second", [
        Line("offered", column(rows, "offered_tps"), dashed=True),
        Line("committed", column(rows, "committed_tps")),
        Line("executed", column(rows, "executed_tps")),
        Line("with receipts", column(rows, "completed_tps")),
    ])
    latency = Panel("latency, ms (intended send time to f+1 receipts)", [
        Line("p50", column(rows, "latency_p50_ms")),
        Line("p99", column(rows, "latency_p99_ms")),
    ])
    queues = Panel("queue delay, ms", [
        Line(name[len("queue_ms_"):], column(rows, name)) for name in names if name.startswith("queue_ms_")])
    marks = [(float(row["seconds"]), row["event"]) for row in rows if row["event"]]
    return chart(title, [throughput, latency, queues], marks)


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    source = pathlib.Path(arguments[0])
    target = pathlib.Path(arguments[1]) if len(arguments) == 2 else source.with_suffix(".svg")
    try:
        with open(source, newline="") as file:
            rows = list(csv.DictReader(file))
        if not rows:
            raise ValueError("holds no rows: was there any load?")
        target.write_text(draw(rows, f"Flamingo: {source.stem}"))
    except (OSError, ValueError, KeyError) as e:
        print(f"timeline.py: {source}: {e}: expected what flamingo local --series writes", file=sys.stderr)
        return 1
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
