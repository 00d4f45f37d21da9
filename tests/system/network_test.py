#!/usr/bin/env python3
"""Real processes: what an operator and a client see of a network that `init` made."""
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

from network import FLAMINGO, Network, flamingo, free_ports, wait_until

ONE_LINE = re.compile(r"\Aflamingo: [^\n]+\n\Z")


class NetworkTest(unittest.TestCase):
    def refused(self, done, *parts):
        """It ended with code 1 and one line that holds all parts."""
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        complaint = [line for line in done.stderr.splitlines(True) if line.startswith("flamingo: ")]
        self.assertEqual(len(complaint), 1, done.stderr)
        for part in parts:
            self.assertIn(str(part), complaint[0])

    def test_payment(self):
        with Network() as net:
            net.start()
            net.wait_up()
            paid = net.pay(500)
            self.assertEqual(paid.returncode, 0, paid.stderr)
            result = json.loads(paid.stdout)
            self.assertEqual(result["result"], "applied")
            self.assertGreater(result["commit_index"], 0)
            over = net.pay(100_000_000)
            self.assertEqual(over.returncode, 1)
            self.assertEqual(json.loads(over.stdout)["result"], "insufficient")
            self.assertRegex(over.stderr, ONE_LINE)
            self.assertIn("insufficient", over.stderr)
            # In text: a verdict once, and no promise of amounts that a receipt does not hold.
            over = flamingo("bank", "pay", "--config", net.client(0), "--from", 0, "--to", 1,
                            "--cents", 100_000_000)
            self.assertEqual((over.returncode, over.stdout), (1, ""))
            self.assertRegex(over.stderr, r"\Aflamingo: commit \d+: not applied: insufficient \(\d+ ms\)\n\Z")
            read = flamingo("bank", "balance", "--config", net.client(0), "--account", 0)
            self.assertEqual((read.returncode, read.stderr), (0, ""))
            self.assertRegex(read.stdout, r"\Acommit \d+: applied \(\d+ ms\)\n.*not the amounts\.\n\Z")
            # The accounts as they were: 10000 in checking, 5 paid, so this is all that is left.
            self.assertEqual(net.pay(999_500).returncode, 0)
            self.assertEqual(net.pay(1).returncode, 1)

    def test_stopped_network(self):
        with Network() as net:
            begun = time.monotonic()
            done = net.pay(500, timeout=2)
            self.assertLess(time.monotonic() - begun, 6)
            self.refused(done, "within 2 s", "is the network running?")

    def test_one_validator_down(self):
        with Network() as net:
            net.start()
            net.wait_up()
            net.stop("v3", signal.SIGKILL)
            self.assertEqual(net.pay(500).returncode, 0)
            answered = net.status()
            self.assertEqual([v["reachable"] for v in answered], [True, True, True, False])
            net.start(3)
            net.wait_up()
            self.assertEqual(net.pay(500).returncode, 0)

    def test_restart_of_all(self):
        with Network() as net:
            net.start()
            net.wait_up()
            self.assertEqual(net.pay(900_000).returncode, 0)
            for i in range(4):
                code, seconds = net.stop(f"v{i}")
                self.assertEqual(code, 0, net.log(f"v{i}"))
                self.assertLess(seconds, 5)
            net.start()
            net.wait_up()
            # The payment is remembered: what is left does not suffice for another.
            over = net.pay(900_000)
            self.assertEqual(json.loads(over.stdout)["result"], "insufficient", over.stderr)
            wait_until(lambda: len({v["executed_transactions"] for v in net.status()}) == 1, "all equal")

    def test_sigterm_under_load(self):
        with Network() as net:
            net.start()
            net.wait_up()
            net.spawn("load", "client", "--config", net.client(0), "--config", net.client(1), "--rate", 3000)
            wait_until(lambda: all(v["committed_transactions"] > 2000 for v in net.status()), "load")
            for i in range(4):
                code, seconds = net.stop(f"v{i}")
                self.assertEqual(code, 0, net.log(f"v{i}"))
                self.assertLess(seconds, 5)

    def test_load_without_network(self):
        with Network() as net:
            config = net.client(0)
            config.write_text(config.read_text() + "\n[load]\ngive_up_s = 1\n")
            done = flamingo("client", "--config", config, "--rate", 100, "--duration", 1, "--every", 0)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"(?m)^flamingo: nothing was committed: [^\n]+$")
            # Without any answer it does not wait for receipts as long as it might.
            begun = time.monotonic()
            silent = flamingo("client", "--config", net.client(1), "--rate", 100, "--quiet")
            self.assertLess(time.monotonic() - begun, 20)
            self.assertEqual((silent.returncode, silent.stdout), (1, ""))
            self.assertRegex(silent.stderr, r"(?m)^flamingo: nothing was committed: no validator answered "
                                            r"within 10 s: [^\n]+\n\Z")

    def test_refused_starts(self):
        with Network() as net, Network() as other:
            key = net.path / "v0" / "signing.key"
            own = key.read_bytes()
            key.write_bytes((net.path / "v1" / "signing.key").read_bytes())
            self.refused(flamingo("node", "--config", net.node(0)), "v0/signing.key", "v0")
            key.write_bytes(own)
            key.chmod(0o644)
            self.refused(flamingo("node", "--config", net.node(0)), "v0/signing.key")
            key.chmod(0o600)
            # A store of another network: v0's, under the committee and keys of the other one.
            net.start(0)
            wait_until(lambda: "is up" in net.log("v0"), "v0 up")
            self.assertEqual(net.stop("v0")[0], 0)
            config = other.node(0)
            config.write_text(f'data = "{net.path}/v0/data"\n' + config.read_text())
            chains = [flamingo("check-config", n.path / "committee.toml").stdout.split()[-1]
                      for n in (net, other)]
            self.refused(flamingo("node", "--config", config), "holds the store of chain", *chains)

    def refused_by_the_other(self, net, base, *parts):
        """Files in `base` that are of another network than `net`, which runs at the same addresses."""
        client = base / "c0" / "client.toml"
        for command in (["bank", "pay", "--config", client, "--from", 0, "--to", 1, "--cents", 5],
                        ["client", "--config", client, "--rate", 100, "--duration", 30, "--quiet"],
                        ["status", "--config", base / "operator" / "operator.toml"]):
            begun = time.monotonic()
            done = flamingo(*command)
            self.assertLess(time.monotonic() - begun, 8, command)  # of 10 s of patience, or 60
            self.assertEqual(done.returncode, 1, done.stderr)
            told = done.stderr.splitlines()[-1]
            self.assertRegex(told, "^flamingo: .*validators refuse the link; v", command)
            for part in parts:
                self.assertIn(part, told)
        self.assertEqual(net.pay(5).returncode, 0)

    def test_other_network(self):
        with Network() as net:
            net.start()
            net.wait_up()
            # The same authority, and one byte more in the committee file.
            changed = net.directory / "changed"
            shutil.copytree(net.path, changed)
            with open(changed / "committee.toml", "a") as committee:
                committee.write("\n")
            chains = [flamingo("check-config", x / "committee.toml").stdout.split()[-1][:16]
                      for x in (net.path, changed)]
            self.refused_by_the_other(net, changed, "(wrong_chain)", *chains)
            # Another authority: it is not even asked for its chain.
            other = net.directory / "other"
            made = flamingo("init", "--dir", other, "--base-port", net.base_port, "--clients", 2)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.refused_by_the_other(net, other, "(bad_tls)", "another network runs there")

    def test_interrupted_init(self):
        with tempfile.TemporaryDirectory() as directory:
            parent = pathlib.Path(directory)
            for by, code in ((signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGKILL, -signal.SIGKILL)):
                made = subprocess.Popen([FLAMINGO, "init", "--dir", parent / "net", "--validators", "1000"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                wait_until(lambda: any(parent.glob(".net.new-*/v1")), "half made")
                made.send_signal(by)
                _, err = made.communicate(timeout=30)
                self.assertEqual(made.returncode, code, err)
                self.assertFalse((parent / "net").exists())
                if by != signal.SIGKILL:
                    self.assertRegex(err, r"\Aflamingo: .*/net: stopped by a signal: nothing was made\n\Z")
                    self.assertEqual(list(parent.iterdir()), [])
            again = flamingo("init", "--dir", parent / "net")
            self.assertEqual(again.returncode, 0, again.stderr)

    def test_lost_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([FLAMINGO, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, ONE_LINE)

    def test_busy_ports(self):
        with Network() as net:
            net.start(0)
            wait_until(lambda: "is up" in net.log("v0"), "v0 up")
            config = net.node(1)
            text = config.read_text()
            metrics = re.search(r'metrics = "([^"]+)"', text)[1]
            config.write_text(text.replace(metrics, f"127.0.0.1:{net.base_port + 2}"))
            self.refused(flamingo("node", "--config", config), "metrics", f"127.0.0.1:{net.base_port + 2}")
            config.write_text(text + f'\n[listen]\nprimary = "127.0.0.1:{net.base_port}"\n')
            self.refused(flamingo("node", "--config", config), f"127.0.0.1:{net.base_port}")

    def test_json_log(self):
        with Network() as net:
            net.spawn("v0", "node", "--config", net.node(0), "--log-format", "json")
            wait_until(lambda: "is up" in net.log("v0"), "v0 up")
            self.assertEqual(net.stop("v0")[0], 0)
            for line in net.log("v0").splitlines():
                self.assertEqual({"time", "level", "node", "message"}, set(json.loads(line)))

    def test_open_files(self):
        with Network() as net:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
            try:
                net.spawn("v0", "node", "--config", net.node(0))
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            wait_until(lambda: "is up" in net.log("v0"), "v0 up")
            self.assertEqual(resource.prlimit(net.processes["v0"].pid, resource.RLIMIT_NOFILE), (hard, hard))

    def test_prometheus(self):
        with Network() as net:
            targets = [f"127.0.0.1:{net.base_port + 10 * i + 2}" for i in range(4)]
            config = net.directory / "prometheus.yml"
            config.write_text(json.dumps({
                "global": {"scrape_interval": "1s"},
                "scrape_configs": [{"job_name": "flamingo", "static_configs": [{"targets": targets}]}]}))
            net.start()
            net.wait_up()
            port = free_ports(1)
            with open(net.directory / "prometheus.log", "w") as log:
                net.processes["prometheus"] = subprocess.Popen(
                    ["prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{port}",
                     f"--storage.tsdb.path={net.directory}/tsdb"], stderr=log, stdout=log)

            def query(expression):
                quoted = urllib.parse.quote(expression)
                try:
                    url = f"http://127.0.0.1:{port}/api/v1/query?query={quoted}"
                    with urllib.request.urlopen(url, timeout=5) as r:
                        return {x["metric"].get("validator"): float(x["value"][1])
                                for x in json.load(r)["data"]["result"]}
                except OSError:
                    return {}

            # A counter of what never happened here is there, at 0, at every validator.
            zero = 'sum by (validator) (flamingo_committer_bundles_total{verdict="expired"})'
            wait_until(lambda: query(zero) == {f"v{i}": 0 for i in range(4)}, "series at 0")
            self.assertEqual(net.pay(500).returncode, 0)
            counted = "sum by (validator) (flamingo_committer_transactions_total)"
            wait_until(lambda: query(counted) == {f"v{i}": 1 for i in range(4)}, "the payment counted")
            for role in ("worker", "primary", "certificate_aggregator", "committer", "executor", "link",
                         "store", "load_monitor", "migration_coordinator"):
                names = f'count by (validator) ({{__name__=~"flamingo_{role}_.+"}})'
                self.assertEqual(set(query(names)), {f"v{i}" for i in range(4)}, role)


if __name__ == "__main__":
    unittest.main()
