#!/usr/bin/env python3
"""docs/metrics.md says what is served: names, types and labels, for a validator and for a client."""
import collections
import pathlib
import re
import socket
import time
import unittest
import urllib.request

from network import Network, wait_until

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "metrics.md"
EVERYWHERE = {"validator", "client", "le", "quantile"}  # labels that the page's head describes
FAMILY_PARTS = ("_bucket", "_sum", "_count")

Series = collections.namedtuple("Series", "name type labels")


def documented():
    """{role of a process: what the page says that it serves}; each name once, under one heading."""
    of, served_by = {"validators": set(), "clients": set()}, []
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            served_by = line.split(": ")[1].split(" and ")
        row = re.match(r"\| `(\w+)` \| (\w+) \| ([\w, ]*?) ?\| ([^|]+) \| ([^|]+\.) \|$", line)
        if not row:
            assert not line.startswith("| `"), f"a row of another form: {line}"
            continue
        name, kind, labels, unit, _ = row.groups()
        for role in served_by:
            assert name not in {x.name for x in of[role]}, f"{name} is on the page twice"
            of[role].add(Series(name, kind, frozenset(labels.split(", ")) - {""}))
        ending = re.search(r"_(seconds|bytes)(_total)?$", name)
        assert not ending or unit == ending[1], f"{name} is in {unit}"
        assert (kind == "counter") == name.endswith("_total"), f"{name} is a {kind}"
    return of


def served(page):
    """What one answer to a scrape holds."""
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", page, re.M))
    labels = collections.defaultdict(set)
    for name, inside in re.findall(r"^(\w+)(\{.*\})? \S+$", page, re.M):
        family = name if name in types else next(name[:-len(x)] for x in FAMILY_PARTS if name.endswith(x))
        labels[family] |= set(re.findall(r'(\w+)="', inside)) - EVERYWHERE
    return {Series(name, kind, frozenset(labels[name])) for name, kind in types.items()}


def scrape(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""


class MetricsTest(unittest.TestCase):
    maxDiff = None

    def test_page(self):
        with Network() as net:
            ports = {"validators": net.base_port + 2, "clients": net.base_port + 9}
            config = net.client(0)
            config.write_text(f'metrics = "127.0.0.1:{ports["clients"]}"\n' + config.read_text())
            net.start(0)  # all series are there from the start: nothing needs to be committed
            net.spawn("load", "client", "--config", config, "--rate", 1)
            expected = documented()
            for role, port in ports.items():
                wait_until(lambda: scrape(port), f"a page of {role}")
                found = served(scrape(port))
                self.assertGreater(len(found), 10)
                self.assertEqual(sorted(found - expected[role]), [], f"{role} serve it, the page lacks it")
                self.assertEqual(sorted(expected[role] - found), [], f"on the page, not served by {role}")

    def test_strangers(self):
        with Network() as net:
            port = net.base_port + 2
            net.start(0)
            wait_until(lambda: scrape(port), "a page")
            began = time.monotonic()
            idle = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(300)]
            self.assertTrue(scrape(port))
            for x in idle:
                self.assertEqual(x.recv(1), b"", "it was told something")
                x.close()
            self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
