"""Strangers at every door of every validator, by the thousand, while clients pay: nobody notices."""
import collections
import contextlib
import os
import random
import socket
import ssl
import threading
import time
import tomllib
import unittest

from network import SANITIZED, Network
from overload import anonymous_mib

SECONDS = 12
CONNECTS = 10_000
SEED = 20_260_928


def doors(net):
    """The port of every door but /metrics."""
    members = tomllib.loads((net.path / "committee.toml").read_text())["validators"]
    addresses = [a for v in members for a in (v["primary"], v["operators"], v["workers"][0]["peers"],
                                              v["workers"][0]["clients"])]
    return [int(address.rsplit(":", 1)[1]) for address in addresses]


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def stranger(net):
    """TLS as it should be, with nothing to show."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def insider(net):
    """A client's own certificate: the hand-shake succeeds, and then comes nonsense."""
    context = stranger(net)
    context.load_cert_chain(net.path / "c1" / "client-1.pem", net.path / "c1" / "client-1.key")
    return context


class Attack:
    def __init__(self, net):
        self.net, self.ports, self.over = net, doors(net), time.monotonic() + SECONDS
        self.held, self.done = [], collections.Counter()  # of attacks that got as far as they wanted

    def keep(self, one):
        """Open and silent, the newest some hundreds."""
        self.held.append(one)
        if len(self.held) > 500:
            self.held.pop(0).close()

    def garbage(self, port, draw):
        with connect(port) as to:
            to.sendall(draw.randbytes(draw.randrange(1, 5000)))

    def oversize(self, port, draw):
        with connect(port) as to:
            to.sendall(b"\xff\xff\xff\x7f" + draw.randbytes(100))

    def trickle(self, port, draw):
        to = connect(port)
        to.sendall(b"\x16\x03\x01\x02\x00\x01")  # the start of a client's hello
        self.keep(to)

    def unknown(self, port, draw):
        with connect(port) as to, stranger(self.net).wrap_socket(to) as tls:
            tls.sendall(draw.randbytes(3000))

    def nonsense(self, port, draw):
        with connect(port) as to, insider(self.net).wrap_socket(to) as tls:
            short = b"\x10\0\0\0" + draw.randbytes(16)  # whole, and no hello
            tls.sendall(draw.choice([b"\xff" * 8, short, draw.randbytes(30_000)]))

    def silence(self, port, draw):
        self.keep(insider(self.net).wrap_socket(connect(port)))

    def run(self, kind, seed):
        draw = random.Random(seed)
        while time.monotonic() < self.over:
            with contextlib.suppress(OSError):
                getattr(self, kind)(draw.choice(self.ports), draw)
                self.done[kind] += 1

    def knock(self):
        """Connects, as many as that, and leaves."""
        for count in range(CONNECTS):
            with contextlib.suppress(OSError):
                connect(self.ports[count % len(self.ports)]).close()
                self.done["knock"] += 1

    def all(self):
        kinds = ("garbage", "oversize", "trickle", "unknown", "nonsense", "silence")
        threads = [threading.Thread(target=self.run, args=(kind, SEED + i)) for i, kind in enumerate(kinds)]
        threads.append(threading.Thread(target=self.knock))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in self.held:
            one.close()


class AttackersTest(unittest.TestCase):
    def test_attackers(self):
        with Network(clients=3) as net:
            net.start()
            net.wait_up()
            load = net.spawn("load", "client", "--config", net.client(1), "--config", net.client(2),
                             "--rate", 500, "--duration", SECONDS + 5)
            time.sleep(3)
            before = max(anonymous_mib(net.processes[f"v{i}"].pid) for i in range(4))
            attack = Attack(net)
            attack.all()
            self.assertGreater(attack.done["knock"], CONNECTS * 9 // 10)
            self.assertEqual(len(attack.done), 7, attack.done)
            # It ends with 0 only if every payment has its receipts and none was lost.
            self.assertEqual(load.wait(60), 0, net.log("load"))
            after = max(anonymous_mib(net.processes[f"v{i}"].pid) for i in range(4))
            if not SANITIZED:
                self.assertLess(after - before, 64, "MiB of memory of its own more than before")
            self.assertTrue(all(os.stat(net.directory / f"v{i}.log").st_size < 1 << 20 for i in range(4)))
            paid = net.pay(100)
            self.assertEqual(paid.returncode, 0, paid.stderr)


if __name__ == "__main__":
    unittest.main()
