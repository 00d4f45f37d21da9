#!/usr/bin/env python3
"""Draws what `flamingo bench scheduler --csv FILE` wrote, beside the paper's figures 8, 9 and 10.

usage: schedulers.py FILE.csv [DIRECTORY]    writes fig8.svg, fig9.svg and fig10.svg there, or beside FILE;
                                             prints which goals are met, for docs/results.md
"""
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "flamingo", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3})
from matplotlib import pyplot  # noqa: E402: after the backend is chosen

from scheduler_goals import TARGET_PLAN_US, chosen, read, table, values  # noqa: E402

COLOURS = {"static": "#999999", "pilotfish": "#d55e00", "hermes": "#009e73",
           "flamingo-paper": "#56b4e9", "flamingo": "#0072b2"}
WEIGHTS = ["light", "medium", "heavy"]
BESIDE = {"fontsize": 7, "loc": "upper left", "bbox_to_anchor": (1, 1)}  # legends hide no bar
# The paper's: thousands of transactions a second with eight workers, half of the load on one; the speed-up
# over one worker; the time to plan 1000 transactions.
PAPER_KTPS = {"flamingo-paper": 154, "pilotfish": 100}
PAPER_SPEEDUP = 6.9
PAPER_PLAN_US = 2000
USAGE = "usage: schedulers.py FILE.csv [DIRECTORY]"


def schedulers_of(rows):
    return [name for name in COLOURS if any(row["scheduler"] == name for row in rows)]


def speedups(rows):
    """Figure 8: a panel for each share of distributed transactions."""
    least = min(values(rows, "overlap"))
    shares = values(rows, "distributed")
    figure, axes = pyplot.subplots(1, len(shares), figsize=(5 * len(shares), 4.2), squeeze=False, sharey=True)
    for axis, distributed in zip(axes[0], shares):
        for name in schedulers_of(rows):
            for cost, style in zip(values(rows, "c"), ("-", "--", ":")):
                points = chosen(rows, scheduler=name, weight="light", overlap=least,
                                distributed=distributed, c=cost)
                points.sort(key=lambda row: row["m"])
                axis.plot([row["m"] for row in points], [row["speedup"] for row in points], style,
                          color=COLOURS[name], marker=".", label=f"{name}, c = {cost:g}")
        for name, ktps in PAPER_KTPS.items():
            axis.plot([8], [PAPER_SPEEDUP * ktps / PAPER_KTPS["flamingo-paper"]], "*", color=COLOURS[name],
                      markersize=11, label=f"{name.removesuffix('-paper')}, the paper's ({ktps} ktps)")
        most = max(values(rows, "m"))
        axis.plot([1, most], [1, most], color="black", linewidth=0.5)
        axis.set_title(f"{distributed:g} % distributed" if distributed else "single-shard")
        axis.set_xlabel("executors, half of the load starts on one")
    axes[0][0].set_ylabel("critical-path speed-up over one executor")
    axes[0][-1].legend(**BESIDE)
    return figure


def bars(rows, measure, title, names):
    """Bars for each weight and overlap at the most executors and the largest distributed share."""
    rows = chosen(rows, m=max(values(rows, "m")), distributed=max(values(rows, "distributed")), c=0.0)
    groups = [(w, o) for w in WEIGHTS for o in values(rows, "overlap") if chosen(rows, weight=w, overlap=o)]
    figure, axis = pyplot.subplots(figsize=(10, 4.2))
    width = 0.8 / len(names)
    heights = {}
    for i, name in enumerate(names):
        for g, (weight, overlap) in enumerate(groups):
            row = chosen(rows, scheduler=name, weight=weight, overlap=overlap)[0]
            heights[name, g] = row[measure]
            axis.bar(g + (i - (len(names) - 1) / 2) * width, row[measure], width, color=COLOURS[name],
                     label=name if g == 0 else None)
    axis.set_xticks(range(len(groups)), [f"{w}\n{o:g} %" for w, o in groups])
    axis.set_xlabel("accounts a transaction (1 to 2, 4, 16), and the share that was touched lately")
    axis.set_title(title)
    axis.set_yscale("log")
    axis.grid(axis="x", visible=False)
    return figure, axis, heights, groups


def times(rows):
    """Figure 9."""
    figure, axis, _, _ = bars(rows, "us_p50", "time to plan 1000 transactions, median", schedulers_of(rows))
    axis.axhline(PAPER_PLAN_US, color=COLOURS["flamingo-paper"], linestyle="--", linewidth=1,
                 label="flamingo, the paper's (2 ms; Hermes: seconds)")
    axis.axhline(TARGET_PLAN_US, color="black", linestyle=":", linewidth=1, label="target (light)")
    axis.set_ylabel("µs")
    axis.legend(**BESIDE)
    return figure


def remote_reads(rows):
    """Figure 10: the ratio to Hermes stands above flamingo's bars."""
    names = schedulers_of(rows)
    last = 0.4 - 0.4 / len(names)  # where flamingo's bar stands
    figure, axis, heights, groups = bars(rows, "remote_reads", "remote reads for 1000 transactions", names)
    if "hermes" in names and "flamingo" in names:
        for g in range(len(groups)):
            ratio = heights["flamingo", g] / heights["hermes", g] - 1
            axis.text(g + last, heights["flamingo", g], f"{ratio:+.0%}", ha="center", va="bottom", fontsize=7)
    axis.set_ylabel("values fetched from another executor")
    axis.legend(title="above flamingo:\nover hermes\n(the paper: +25 to +43 %)", title_fontsize=7, **BESIDE)
    return figure


def main(arguments):
    if len(arguments) not in (1, 2):
        print(USAGE, file=sys.stderr)
        return 2
    source = pathlib.Path(arguments[0])
    target = pathlib.Path(arguments[1]) if len(arguments) == 2 else source.parent
    try:
        rows = read(source)
    except (OSError, ValueError, KeyError) as problem:
        print(f"schedulers.py: {source}: {problem}", file=sys.stderr)
        return 1
    if not rows:
        print(f"schedulers.py: {source}: holds no result", file=sys.stderr)
        return 1
    target.mkdir(parents=True, exist_ok=True)
    for name, draw in (("fig8", speedups), ("fig9", times), ("fig10", remote_reads)):
        draw(rows).savefig(target / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    print(table(rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
