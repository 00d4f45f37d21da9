"""With more than f validators down nothing can commit: the others wait without burning the machine."""
import os
import time
import unittest

from network import Network

SECONDS = 10
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        after_name = stat.read().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS


class IdleTest(unittest.TestCase):
    def test_idle(self):
        with Network() as net:
            net.start()
            net.wait_up()
            self.assertEqual(net.pay(1).returncode, 0)
            for name in ("v2", "v3"):
                net.stop(name)
            # A client goes on asking meanwhile.
            net.spawn("load", "client", "--config", net.client(1), "--rate", 100)
            time.sleep(5)
            before = {name: cpu_seconds(net.processes[name].pid) for name in ("v0", "v1")}
            time.sleep(SECONDS)
            for name, then in before.items():
                used = cpu_seconds(net.processes[name].pid) - then
                print(name, used)
                self.assertLess(used, 0.1 * SECONDS, f"{name}: seconds of CPU in {SECONDS}")
            net.start(2)
            net.wait_up(3)
            self.assertEqual(net.pay(1).returncode, 0)
            self.assertEqual(net.stop("load")[0], 0, net.log("load"))


if __name__ == "__main__":
    unittest.main()
