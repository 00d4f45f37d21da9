#!/usr/bin/env python3
"""What users ask for (demands.toml) and the tests that prove it.

usage: demands.py           prints each line with its tests, or where it is left for
       demands.py --check   says nothing unless a named test does not exist or a line has neither; then exit 1
"""
import pathlib
import re
import sys
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tidy"))
import source_text  # noqa: E402


def existing_tests():
    """Names of test cases and of ctest tests."""
    names = {case.name for path in HERE.rglob("*.cpp") for case in source_text.test_cases(path.read_text())}
    for path in [*HERE.rglob("CMakeLists.txt"), *HERE.rglob("*.cmake")]:
        added = re.findall(r'(?:add_test\(\s*NAME|system_test\()\s*"?([^"\n]+?)"?\s*\n', path.read_text())
        names |= set(added)
    return names


def problems(demands, names, exists=lambda path: (HERE.parent / path).exists()):
    for demand in demands:
        for test in demand.get("tests", []):
            if test not in names and not (test.startswith("tests/") and exists(test)):
                yield f"demand {demand['line']}: there is no test \"{test}\""
        if not demand.get("tests") and not demand.get("later"):
            yield f"demand {demand['line']}: neither a test nor a place where it is left for"
    if [demand["line"] for demand in demands] != list(range(1, len(demands) + 1)):
        yield "the lines are not 1, 2, 3, ..."


def print_all(data):
    sections = {section["before"]: section["name"] for section in data["section"]}
    proven = 0
    for demand in data["demand"]:
        if demand["line"] in sections:
            print(f"\n{sections[demand['line']]}")
        tests, later = demand.get("tests", []), demand.get("later")
        proven += bool(tests) and not later
        state = "proven" if not later else "in part" if tests else "later"
        print(f"\n{demand['line']:3}. [{state}]")
        print(textwrap.indent(textwrap.fill(" ".join(demand["asks"].split()), 100), "     "))
        for test in tests:
            print(f"       + {test}")
        if later:
            print(f"       - left for: {later}")
    print(f"\n{proven} of {len(data['demand'])} lines are proven whole.")


def main(arguments):
    data = tomllib.loads((HERE / "demands.toml").read_text())
    wrong = list(problems(data["demand"], existing_tests()))
    for problem in wrong:
        print(f"demands: {problem}", file=sys.stderr)
    if "--check" not in arguments:
        print_all(data)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
