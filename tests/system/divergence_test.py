"""A validator whose state is not the others' finds out at a checkpoint, says so, and goes on voting."""
import os
import subprocess
import unittest

from network import Network, flamingo, wait_until

CHANGE_STATE = os.environ.get("CHANGE_STATE", "build/release/tests/change-state")


class DivergenceTest(unittest.TestCase):
    def test_divergence(self):
        with Network(clients=3) as net:
            net.checkpoint_every(10)
            net.start()
            net.wait_up()
            net.spawn("load", "client", "--config", net.client(1), "--config", net.client(2), "--rate", 200)
            wait_until(lambda: all(v["state_root"] for v in net.status()), "a checkpoint")
            net.stop("v3")
            changed = subprocess.run([CHANGE_STATE, net.path / "v3" / "data"], capture_output=True, text=True)
            self.assertEqual(changed.returncode, 0, changed.stderr)
            net.start(3)
            net.wait_up()
            wait_until(lambda: net.status()[3]["diverged_at"], "v3 knows that its state is another one")
            self.assertEqual([v["diverged_at"] for v in net.status()[:3]], [None] * 3)
            self.assertIn("differs", net.log("v3"))
            self.assertIn("diverged", self.shown(net))
            executed = net.status()[3]["executed_index"]
            # Its vote counts: with another one down three must sign, and two receipts are enough.
            net.stop("v0")
            paid = net.pay(1)
            self.assertEqual(paid.returncode, 0, paid.stderr)
            self.assertEqual(net.status()[3]["executed_index"], executed)

    def shown(self, net):
        return flamingo("status", "--config", net.path / "operator" / "operator.toml").stdout


if __name__ == "__main__":
    unittest.main()
