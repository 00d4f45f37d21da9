"""Reads the simulator's JSON lines; prints seed and property of the first violation, if there is one."""
import json
import sys

runs = [json.loads(line) for line in sys.stdin if line.startswith("{")]
failed = [run for run in runs if run["violations"]]
if failed:
    first = min(failed, key=lambda run: run["seed"])
    print(first["seed"], first["violations"][0]["property"])
