"""One participant floods the others with what it may say; the other clients' p99 less than doubles."""
import json
import os
import re
import subprocess
import time
import unittest
import urllib.request

from network import FLAMINGO, SANITIZED, Network

FLOOD = os.environ.get("FLOOD", "build/release/tests/flood")
SECONDS = 15  # of each measurement
RATE = 1000
NOISE_MS = 50
LINKS = 8  # of each kind to each validator: max_links_of_peer


def counted(net, which, name, **labels):
    """The sum of a series with these labels over validators."""
    total = 0
    for i in which:
        where = f"http://127.0.0.1:{net.base_port + 10 * i + 2}/metrics"
        with urllib.request.urlopen(where, timeout=10) as page:
            for inside, value in re.findall(rf"(?m)^{name}\{{(.*)\}} (\S+)$", page.read().decode()):
                if labels.items() <= dict(re.findall(r'(\w+)="(.*?)"', inside)).items():
                    total += float(value)
    return total


def measure(net, clients, flood):
    """Latency of a steady load of some clients, in milliseconds, over SECONDS without and SECONDS with a
    flood; and what the flooder sent."""
    configs = [part for c in clients for part in ("--config", str(net.client(c)))]
    load = subprocess.Popen([FLAMINGO, "client", *configs, "--rate", str(RATE), "--every", str(SECONDS),
                             "--duration", str(2 * SECONDS), "--json"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    flooder = None
    try:
        calm = json.loads(load.stdout.readline())["recent_latency_ms"]
        flooder = subprocess.Popen([FLOOD, *map(str, flood), str(LINKS), str(SECONDS)],
                                   stdout=subprocess.PIPE, text=True)
        flooded = json.loads(load.stdout.readline())["recent_latency_ms"]
        last = json.loads(load.communicate(timeout=60)[0].splitlines()[-1])
        sent = json.loads(flooder.communicate(timeout=60)[0])
        return {"exit": load.returncode, "calm": calm, "flooded": flooded,
                "completed_tps": last["completed_tps"], **sent}
    finally:
        for one in (load, flooder):
            if one:
                one.kill()
                one.wait()
                one.stdout.close()


class FloodsTest(unittest.TestCase):
    def check(self, net, honest, seen):
        throttles = counted(net, honest, "flamingo_link_throttles_total")
        print({"throttles": throttles, **seen})
        self.assertEqual(seen["exit"], 0, "payments were lost")
        self.assertGreater(seen["completed_tps"], 0.95 * RATE)
        self.assertGreaterEqual(seen["links"], seen["wanted_links"])
        self.assertGreater(seen["sent_frames"], 20_000)
        self.assertGreater(throttles, 10)  # it would have sent more
        if not SANITIZED:
            self.assertLess(seen["flooded"]["p99"], 2 * seen["calm"]["p99"] + NOISE_MS, seen)

    def network(self):
        net = Network(clients=4)
        net.start()
        net.wait_up()
        self.assertEqual(net.pay(100).returncode, 0)
        return net

    def test_signature_flood(self):
        with self.network() as net:
            seen = measure(net, (0, 1, 2), ("signatures", net.client(3)))
            refused = counted(net, range(4), "flamingo_rejected_total", role="worker", reason="bad_signature")
            self.assertGreater(refused, 4 * 1000)
            # More checks than that nobody gets out of a validator, whatever it sends.
            self.assertLess(refused, 4 * 100 * (SECONDS + 12))
            self.check(net, range(4), seen)

    def test_sync_flood(self):
        with self.network() as net:
            net.stop("v3")  # the flooder has its certificate, and does nothing else
            time.sleep(2)
            seen = measure(net, (0, 1, 2), ("sync", net.node(3)))
            for name, least in (("flamingo_certificate_aggregator_headers_served_total", 3000),
                                ("flamingo_worker_batches_served_total", 300),
                                ("flamingo_checkpointer_served_bytes_total", 3 << 20)):
                self.assertGreater(counted(net, range(3), name), least, name)
            refused = counted(net, range(3), "flamingo_rejected_total", reason="too_many_requests")
            self.assertGreater(refused, 3 * 1000)
            self.check(net, range(3), seen)


if __name__ == "__main__":
    unittest.main()
