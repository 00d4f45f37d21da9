#!/usr/bin/env python3
"""Executors that come, go and are killed under load; each validator has another number and scheduler."""
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

from network import FLAMINGO, Network, flamingo, wait_until

SECONDS = int(os.environ.get("SCALING_SECONDS", "25"))  # of load


def set_local(net, i, **values):
    """Before the start, in the file of validator i."""
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    text = net.node(i).read_text()
    if "\n[local]\n" in text:
        text = text.replace("\n[local]\n", "\n[local]\n" + lines)
    else:
        text += "\n[local]\n" + lines
    net.node(i).write_text(text)


class ExecutorHosts:
    """So many processes of validator i that run its executors."""

    def __init__(self, net, i, count, base_port):
        self.net, self.i = net, i
        self.ports = [base_port + 2 * k for k in range(count)]
        # Each metrics address is the port after.
        net.node(i).write_text(net.node(i).read_text() + "".join(
            f'\n[[internal.executor_hosts]]\naddress = "127.0.0.1:{port}"\n' for port in self.ports))

    def name(self, k):
        return f"v{self.i}-host{k}"

    def start(self, k):
        at = [f"127.0.0.1:{self.ports[k] + i}" for i in range(2)]
        self.net.spawn(self.name(k), "node", "--config", self.net.node(self.i), "--roles", "executor-host",
                       "--address", at[0], "--metrics", at[1])

    def busy(self):
        """Those that run an executor now."""
        places = {x["host"] for x in (listed(self.net, self.i) or {"list": []})["list"]}
        return [k for k, port in enumerate(self.ports) if f"127.0.0.1:{port}" in places]

    def kill(self, k):
        self.net.stop(self.name(k), signal.SIGKILL)


def executor(net, verb, i, *more):
    return flamingo("executor", verb, "--config", net.node(i), *more)


def listed(net, i):
    shown = executor(net, "list", i, "--json")
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def hosts_up(net, i):
    report = listed(net, i)
    return report and all(host["up"] for host in report["hosts"])


def line_of(result):
    """The one line that a command that failed wrote."""
    assert result.returncode == 1, (result.returncode, result.stdout, result.stderr)
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


class ExecutorsTest(unittest.TestCase):
    def test_scaling_under_load(self):
        with Network(clients=4) as net:
            ports = net.base_port + 10 * net.validators
            net.checkpoint_every(20)
            for i, executors in enumerate((1, 2, 3, 4)):
                set_local(net, i, executors=executors, scheduler="flamingo" if i != 2 else "pilotfish")
            hosts = {1: ExecutorHosts(net, 1, 2, ports), 2: ExecutorHosts(net, 2, 1, ports + 4)}
            for host in hosts.values():
                for k in range(len(host.ports)):
                    host.start(k)
            net.start()
            net.wait_up()
            wait_until(lambda: all(hosts_up(net, i) for i in hosts), "all executor hosts are there")
            for i in hosts:
                self.assertEqual(executor(net, "add", i).returncode, 0)
                self.assertTrue(any(x["host"] for x in listed(net, i)["list"]), "on a host")
            done = self.disturb(net, hosts, SECONDS)
            self.assertGreater(done["kill"], 1)
            self.assertGreater(sum(listed(net, i)["roll_backs"] for i in hosts), 0)
            self.check_outcome(net, done)

    def test_scaling_in_one_process(self):
        with Network(clients=4) as net:
            net.checkpoint_every(20)
            for i, scheduler in enumerate(("flamingo", "flamingo", "static", "pilotfish")):
                set_local(net, i, executors=i + 1, scheduler=scheduler)
            net.start()
            net.wait_up()
            wait_until(lambda: all(listed(net, i) for i in range(4)), "they know their executors")
            self.check_outcome(net, self.disturb(net, {}, 12))

    def check_outcome(self, net, done):
        self.assertGreater(done["add"], 2)
        self.assertGreater(done["remove"], 2)
        newest = max(v["commit_index"] for v in net.status())
        self.assertEqual(net.pay(100).returncode, 0)
        try:
            wait_until(lambda: net.one_root_after(newest), "one state root, of later than all changes")
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {self.told(net)}") from None
        wait_until(lambda: len({v["executed_transactions"] for v in net.status()}) == 1, "all executed")
        # Their number is not forgotten.
        before = [listed(net, i)["executors"] for i in range(4)]
        net.stop("v1")
        net.start(1)
        net.wait_up()
        wait_until(lambda: listed(net, 1)["executors"] == before[1], "v1 has as many as before")

    def told(self, net):
        """How far each validator and each of its executors is: for who finds out why they are not equal."""
        fields = ("commit_index", "executed_index", "executed_transactions", "state_root_index", "state_root")
        out = [{key: v.get(key) for key in fields} for v in net.status()]
        for i, report in enumerate(out):
            report["executors"] = listed(net, i)
        return json.dumps(out)

    def disturb(self, net, hosts, seconds):
        """Load, and executors that come and go meanwhile. @returns how often each was done."""
        seed = int(time.time())
        print("seed", seed)
        rng = random.Random(seed)
        done = {"add": 0, "remove": 0, "kill": 0}
        # Some of each at least, whatever the seed; v0 begins with one executor.
        first = [("add", 1), ("remove", 3), ("add", 0), ("remove", 2), ("add", 3), ("remove", 3)]
        if hosts:
            first = [("kill", 0), *first[:3], ("kill", 0), *first[3:]]
        choices = ("add", "remove") * 3 + (("kill",) if hosts else ())
        with tempfile.TemporaryFile("w+") as result:
            clients = [x for c in range(4) for x in ("--config", str(net.client(c)))]
            load = subprocess.Popen([FLAMINGO, "client", *clients, "--rate", "2000", "--json",
                                     "--duration", str(seconds)], stdout=result)
            try:
                while load.poll() is None:
                    what, where = first.pop(0) if first else (rng.choice(choices), rng.randrange(4))
                    if what == "kill":
                        busy = [(i, k) for i in hosts for k in hosts[i].busy()]
                        if not busy:
                            executor(net, "add", rng.choice(list(hosts)))
                            continue
                        i, k = rng.choice(busy)
                        hosts[i].kill(k)
                        time.sleep(rng.uniform(0, 2))
                        hosts[i].start(k)
                        done["kill"] += 1
                    else:
                        changed = executor(net, what, where)
                        done[what] += changed.returncode == 0
                        if changed.returncode != 0:
                            print(line_of(changed).strip())
                    time.sleep(rng.uniform(0, 2))
            finally:
                load.kill()
                load.wait()
            result.seek(0)
            last = json.loads(result.read().splitlines()[-1])
        print({key: last[key] for key in ("bundles", "receipts", "lost", "duplicated", "latency_ms")}, done)
        self.assertEqual(load.returncode, 0)
        self.assertEqual((last["lost"], last["duplicated"], last["outstanding"]), (0, 0, 0))
        self.assertGreater(last["completed"], 1000 * seconds)
        return done

    def test_mistakes(self):
        with Network() as net:
            self.assertIn("is it running?", line_of(executor(net, "list", 0, "--timeout", 1)))
            set_local(net, 0, executors=1)
            set_local(net, 1, executors=10)
            net.start()
            net.wait_up()
            wait_until(lambda: listed(net, 0) and listed(net, 1), "they know their executors")
            wait_until(lambda: "one executor" in line_of(executor(net, "remove", 0)), "the last stays")
            wait_until(lambda: "10 executors already" in line_of(executor(net, "add", 1)), "ten are enough")
            (net.path / "operator" / "operator.toml").rename(net.path / "operator.toml")
            self.assertIn("only an operator", line_of(executor(net, "add", 0)))
            self.assertEqual(flamingo("executor", "grow").returncode, 2)
            host = flamingo("node", "--config", net.node(2), "--roles", "executor-host")
            self.assertIn("internal.executor_hosts: missing", line_of(host))
            mixed = flamingo("node", "--config", net.node(2), "--roles", "executor,executor-host")
            self.assertEqual(mixed.returncode, 2)


if __name__ == "__main__":
    unittest.main()
