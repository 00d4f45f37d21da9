#!/usr/bin/env python3
"""flamingo local: whole networks under load, with their counts."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from network import FLAMINGO, flamingo

FIELDS = {"offered_tps", "sent_tps", "busy_tps", "committed_tps", "executed_tps", "latency_ms",
          "commit_latency_ms", "bundles", "receipts", "lost", "duplicated", "state_roots_equal", "cpu_cores",
          "rss_anon_mib_max", "store_mib_max", "never_sent", "results_not_heard", "on"}
SMALL = ("local", "--accounts", 10_000, "--clients", 2, "--json")


class LocalTest(unittest.TestCase):
    def good(self, code, out, err=""):
        """A run that lost nothing, printed one line, and whose validators agree."""
        self.assertEqual(code, 0, err + out)
        self.assertEqual(out.count("\n"), 1)
        result = json.loads(out)
        self.assertEqual((result["lost"], result["duplicated"], result["state_roots_equal"]), (0, 0, True))
        self.assertGreater(result["receipts"], 0)
        return result

    def test_counts(self):
        with tempfile.TemporaryDirectory() as directory:
            series = pathlib.Path(directory) / "run.csv"
            done = flamingo(*SMALL, "--rate", 1000, "--duration", 8, "--series", series, timeout=200)
            result = self.good(done.returncode, done.stdout, done.stderr)
            self.assertEqual(done.stderr, "")
            self.assertEqual(set(result), FIELDS)
            self.assertEqual(set(result["latency_ms"]), {"p50", "p99", "max"})
            self.assertEqual(set(result["commit_latency_ms"]), {"p50", "p99"})
            self.assertEqual((result["on"]["tls"], result["on"]["sync"], result["on"]["executors"]),
                             (True, "group", 2))
            self.assertAlmostEqual(result["offered_tps"], 1000, delta=10)
            self.assertGreaterEqual(result["executed_tps"], 0.9 * result["offered_tps"])
            # Committed is what receipts were given for; nothing else ran on this network.
            self.assertAlmostEqual(result["committed_tps"], result["executed_tps"], delta=0.2)
            # What was due when the load ended and had no room is told, to the transaction but for rounding.
            unsent = 8 * (result["offered_tps"] - result["sent_tps"])
            self.assertAlmostEqual(result["never_sent"], unsent, delta=2)
            self.assertEqual(result["results_not_heard"], 0)
            rows = list(csv.DictReader(series.read_text().splitlines()))
            self.assertGreaterEqual(len(rows), 7)
            # What comes after the load is no row: it would draw a drop that never was.
            seconds = [float(row["seconds"]) for row in rows]
            self.assertEqual(sorted(set(seconds)), seconds)
            self.assertLess(seconds[-1], 8.6)
            plots = pathlib.Path(__file__).parents[2] / "apps" / "plots" / "timeline.py"
            drawn = subprocess.run([plots, series], capture_output=True, text=True)
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            self.assertIn("<polyline", series.with_suffix(".svg").read_text())

    def test_chaos(self):
        done = flamingo(*SMALL, "--rate", 1000, "--duration", 15, "--chaos", "kill=3,cut=2,pause=1",
                        "--seed", 5, timeout=200)
        result = self.good(done.returncode, done.stdout, done.stderr)
        wanted = {"kills": 3, "restarts": 3, "cuts": 2, "healed": 2, "pauses": 1, "resumed": 1, "seed": 5}
        self.assertEqual({key: result[key] for key in wanted}, wanted)

    def test_side_by_side(self):
        command = [FLAMINGO, *map(str, SMALL), "--rate", "200", "--duration", "5"]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        for run in runs:
            out, err = run.communicate(timeout=200)
            self.good(run.returncode, out, err)

    def stopped(self, by):
        """A long run that gets a signal under load; its stdout, its stderr, and what it left on disk."""
        with tempfile.TemporaryDirectory() as directory:
            run = subprocess.Popen([FLAMINGO, *map(str, SMALL[:-1]), "--rate", "500", "--duration", "60"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": directory}, start_new_session=True)
            told = []
            while not any(" of 60 s: offered" in line for line in told):
                told.append(run.stderr.readline())
                self.assertTrue(told[-1], told)
            # As a terminal does: to the whole process group.
            os.killpg(run.pid, by)
            out, err = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 1, err)
            return out, "".join(told) + err, os.listdir(directory)

    def test_stopped(self):
        for by in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            out, err, left = self.stopped(by)
            self.assertEqual(left, [])
            self.assertIn("lost 0, duplicated 0", out)
            self.assertRegex(err, r"(?m)^4 validators and 2 clients, 500 transactions a second for 60 s")
            self.assertRegex(err, r"(?m)^flamingo: stopped by a signal after \d+ of 60 s of load$")

    def test_bare(self):
        done = flamingo(*SMALL, "--rate", 500, "--duration", 5, "--preset", "bare", "--skew", "0.9:v0",
                        timeout=200)
        result = self.good(done.returncode, done.stdout, done.stderr)
        self.assertEqual((result["on"]["tls"], result["on"]["sync"]), (False, "os"))

    def test_usage(self):
        for wrong in (["--chaos", "kill=x"], ["--rate", "0"], ["--preset", "fast"],
                      ["--skew", "0.9:v9"], ["--skew", "x"]):
            done = flamingo("local", *wrong)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
