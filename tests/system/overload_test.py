"""A network that gets several times what it can do says so, stays small, and loses nothing of it."""
import unittest

import overload
from network import SANITIZED


class OverloadTest(unittest.TestCase):
    def test_overload(self):
        seen = overload.run(rate=250_000, seconds=20, after=8)
        self.assertGreater(seen["flood_busy_tps"], 0, seen)  # told, not left to find out
        if not SANITIZED:
            self.assertLess(seen["memory_mib_max"], 400, seen)
        self.assertEqual((seen["lost"], seen["duplicated"]), (0, 0), seen)
        self.assertGreater(seen["flood_executed_tps"], 0, seen)
        self.assertEqual(seen["steady_completed"], seen["steady_sent"], seen)


if __name__ == "__main__":
    unittest.main()
