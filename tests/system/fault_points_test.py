"""A validator crashes before its store is synced, after that, and after the roles were told so, at each table
of the store: at every line of what must be durable before something leaves. Under load, one after another."""
import os
import subprocess
import unittest

from network import PATIENCE, Network, wait_until

WITH_FAULTS = os.environ.get("FLAMINGO_WITH_FAULTS", "build/release/tests/flamingo-with-faults")
TABLES = ("batches", "votes", "headers", "certificates", "commits", "state", "executor", "meta")
MOMENTS = ("before_sync", "after_sync", "after_news")


class FaultPointsTest(unittest.TestCase):
    def crash(self, net, moment, table, number):
        """v1, started anew, crashes there; then it is started again."""
        config = ["node", "--config", net.node(1)]
        with open(net.directory / "v1.log", "a") as log:
            crashing = subprocess.Popen([WITH_FAULTS, *config], stderr=log, stdout=subprocess.DEVNULL,
                                        env={**os.environ, "FLAMINGO_CRASH": f"{moment}:{table}:{number}"})
        net.processes["v1"] = crashing
        self.assertEqual(crashing.wait(PATIENCE), -9, (moment, table, number))

    def test_fault_points(self):
        with Network() as net:
            net.checkpoint_every(5)
            net.start()
            net.wait_up()
            net.spawn("load", "client", "--config", net.client(0), "--config", net.client(1), "--rate", 500)
            net.stop("v1")
            for i, table in enumerate(TABLES):
                for j, moment in enumerate(MOMENTS):
                    self.crash(net, moment, table, 1 + (3 * i + j) % 7)
            net.start(1)
            net.wait_up()
            target = max(v["commit_index"] for v in net.status())
            wait_until(lambda: all(v["executed_index"] >= target for v in net.status()), "v1 caught up")
            # 0 only if whatever was admitted has its receipts.
            self.assertEqual(net.stop("load")[0], 0, net.log("load"))
            target = max(v["commit_index"] for v in net.status())
            wait_until(lambda: net.one_root_after(target), "one state root, of later than all crashes")
            self.assertNotIn("differs", net.log("v1"))
            # Its vote is needed now.
            net.stop("v3")
            paid = net.pay(1)
            self.assertEqual(paid.returncode, 0, paid.stderr)


if __name__ == "__main__":
    unittest.main()
