#!/usr/bin/env python3
"""flamingo-sim used wrongly says so in one line and exits with 2: usage_test.py FLAMINGO_SIM."""
import subprocess
import sys

HUGE = "99999999999999999999999"
WRONG = [
    ([], "--seeds"),
    (["--seeds", "1-2", "--seed", "3"], "--seed"),
    (["--seed", HUGE], "--seed"),
    (["--seed", "-1"], "--seed"),
    (["--seed", "9223372036854775808"], "--seed"),
    (["--seeds", f"1-{HUGE}"], "--seeds"),
    (["--seeds", "3-1"], "--seeds"),
    (["--seeds", "-1-3"], "--seeds"),
    (["--seeds", "1-3x"], "--seeds"),
    (["--seeds", "7"], "--seeds"),
    (["--trace"], "--seed"),
    (["--seed", "1", "--validators", HUGE], "--validators"),
    (["--seed", "1", "--time", "nan"], "--time"),
    (["--seed", "1", "--time", "1e999"], "--time"),
    (["--seed", "1", "--processes", "0x4"], "--processes"),
    (["--seed", "1", "--limit", "0"], "--limit"),
    (["--seed", "1", "--scenario", "none of them"], "none of them"),
]


def main():
    wrong = 0
    for arguments, named in WRONG:
        done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=60)
        lines = done.stderr.splitlines()
        if done.returncode == 2 and len(lines) == 1 and named in lines[0] and not done.stdout:
            continue
        print(f"flamingo-sim {arguments}: exit code {done.returncode}: {done.stdout[:200]}{done.stderr}")
        wrong += 1
    sys.exit(1 if wrong else 0)


main()
