#!/usr/bin/env python3
"""Runs the seeds that once failed: regressions.py FLAMINGO_SIM [FILE].

Each line of the file (regressions.txt beside this script, unless another one is named) is a scenario, a seed
and, in words, what was broken. Fails if one of them fails, if a line is none, or if there is no line.
"""
import pathlib
import re
import subprocess
import sys


def seeds_of(text):
    """(scenario, seed, what was broken) of each line; ValueError for a line that is none."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(r"([a-z_]+) +([0-9]+) +(\S.*)", line)
        if not found:
            raise ValueError(f"line {number}: expected scenario, seed and what was broken, found: {line}")
        yield found.groups()


def main(arguments):
    beside = pathlib.Path(__file__).parent / "regressions.txt"
    file = pathlib.Path(arguments[1]) if len(arguments) > 1 else beside
    seeds = list(seeds_of(file.read_text()))
    failed = [] if seeds else [f"{file}: no seed in it"]
    for scenario, seed, broken in seeds:
        command = [arguments[0], "--scenario", scenario, "--seed", seed]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            failed.append(f"scenario {scenario}, seed {seed} ({broken}):\n{run.stdout}{run.stderr}")
    print("\n".join(failed) or f"{len(seeds)} seeds hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
