"""A validator that lost its store comes back by itself, from a checkpoint, under load."""
import shutil
import unittest

from network import Network, wait_until


class JoiningTest(unittest.TestCase):
    def test_lost_store(self):
        with Network() as net:
            net.checkpoint_every(10)
            net.start()
            net.wait_up()
            net.spawn("load", "client", "--config", net.client(0), "--config", net.client(1), "--rate", 1000)
            wait_until(lambda: all(v["state_root"] for v in net.status()), "a checkpoint")
            net.stop("v2", by=9)
            shutil.rmtree(net.path / "v2" / "data")
            before = max(v["commit_index"] for v in net.status() if v["reachable"])
            net.start(2)
            net.wait_up()
            self.assertIn("neither votes nor proposes up to round", net.log("v2"))
            self.assertRegex(net.log("v2"), r"joined at commit \d+ of a checkpoint")
            wait_until(lambda: net.one_root_after(before), "one state root, of later than the loss")
            self.assertEqual(net.stop("load")[0], 0)
            # Its vote is needed now: with another one down three must sign.
            net.stop("v3")
            self.assertEqual(net.pay(500).returncode, 0)

    def test_lost_store_of_a_small_network(self):
        with Network(validators=3) as net:
            net.start()
            net.wait_up()
            net.stop("v1", by=9)
            shutil.rmtree(net.path / "v1" / "data")
            net.start(1)
            self.assertEqual(net.processes["v1"].wait(20), 1)
            self.assertIn("with 3 validators none may lose its store", net.log("v1"))


if __name__ == "__main__":
    unittest.main()
