#!/usr/bin/env python3
"""Checks the rules of the tree that no compiler checks. usage: tidy.py [ROOT]. Exit code 1: one is broken."""
import sys

import rules


def problems(root):
    tree = rules.Tree(root)
    return sorted({(path, line, message) for rule in rules.RULES for path, line, message in rule(tree)})


def main(root="."):
    found = problems(root)
    for path, line, message in found:
        print(f"{path}:{line}: {message}", file=sys.stderr)
    if found:
        print(f"tidy: {len(found)} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
