#!/usr/bin/env python3
"""docs/results.md says of the schedulers what its data says, and the figures can be drawn from it."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "results" / "schedulers.csv"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "apps" / "plots"))
import scheduler_goals  # noqa: E402: it is found there


class PlotsTest(unittest.TestCase):
    def test_the_goals_in_the_document_are_those_of_the_data(self):
        table = scheduler_goals.table(scheduler_goals.read(DATA))
        self.assertIn("50 µs", table)
        self.assertIn(table, (ROOT / "docs" / "results.md").read_text())

    def test_a_goal_that_is_missed_is_named(self):
        rows = scheduler_goals.read(DATA)
        for row in rows:
            if row["scheduler"] == "flamingo" and row["m"] == 8 and row["weight"] != "heavy":
                row.update(us_p50=51.0, speedup=6.0, remote_reads=2 * row["remote_reads"])
        missed = [missed for _, _, missed in scheduler_goals.goals(rows)]
        self.assertEqual([len(x) > 0 for x in missed], [True] * 6)
        self.assertEqual(len(missed[0]), 6)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs python3-matplotlib")
    def test_the_figures_are_drawn(self):
        with tempfile.TemporaryDirectory() as target:
            script = ROOT / "apps" / "plots" / "schedulers.py"
            subprocess.run([sys.executable, "-B", script, DATA, target], check=True, capture_output=True)
            for name in ("fig8", "fig9", "fig10"):
                self.assertIn("</svg>", (pathlib.Path(target) / f"{name}.svg").read_text())


if __name__ == "__main__":
    unittest.main()
