#!/usr/bin/env python3
"""Checks that ctest ran every test case that the test programs hold.

usage: test_count.py BUILD_DIR [CTEST_LOG]

doctest's discovery makes one ctest test of each test case. A case whose name CMake mangles, or a second
case of the same name, would be one that nobody runs.
"""
import json
import pathlib
import re
import subprocess
import sys


def counted(program):
    """How many test cases a doctest program holds."""
    out = subprocess.run([program, "--count"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"filters: (\d+)", out).group(1))


def main(build_dir, log=None):
    show = ["ctest", "--test-dir", build_dir, "--show-only=json-v1"]
    shown = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    names = [test["name"] for test in json.loads(shown)["tests"]]
    lines = (pathlib.Path(build_dir) / "test-programs.txt").read_text().split()
    programs = [pathlib.Path(line) for line in lines]
    wrong = 0
    for program in programs:
        if not program.exists():
            print(f"test count: {program} is not built", file=sys.stderr)
            wrong += 1
            continue
        have, listed = counted(program), sum(name.startswith(program.name + ":") for name in names)
        if have != listed:
            print(f"test count: {program.name} has {have} test cases, ctest {listed}", file=sys.stderr)
            wrong += 1
    printed = pathlib.Path(log).read_text() if log else ""
    if printed:
        closing = re.search(r"tests passed, \d+ tests failed out of (\d+)", printed)
        ran = int(closing.group(1)) if closing else 0
        if ran != len(names):
            print(f"test count: ctest ran {ran} of {len(names)} tests", file=sys.stderr)
            wrong += 1
    if not wrong:
        print(f"test count: {len(names)} tests, every test case of {len(programs)} programs among them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
