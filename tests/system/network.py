"""A network of real processes for a test: made by `flamingo init`, started, asked, and stopped."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

FLAMINGO = os.environ.get("FLAMINGO", "build/release/flamingo")
# With sanitizers (./run check sanitize) time and memory say nothing; all else is asked as ever.
SANITIZED = "SANITIZED" in os.environ
PATIENCE = 60  # seconds; no wait in a test is longer, and one that reaches it fails


def flamingo(*arguments, timeout=PATIENCE):
    """Runs a command to its end."""
    return subprocess.run([FLAMINGO, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


def free_ports(count):
    """The first of `count` consecutive ports that are free now, below those for outgoing connections."""
    start = 10_000 + os.getpid() * 97 % 20_000
    for base in [*range(start, 31_000, count), *range(10_000, start, count)]:
        held = []
        try:
            for port in range(base, base + count):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return base
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise RuntimeError("no free ports")


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what}")
        time.sleep(0.1)


class Network:
    """Use it in a `with`: it ends the processes that it started, and no others."""

    def __init__(self, validators=4, clients=2, accounts=10_000, init=()):
        self.validators = validators
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="flamingo-system-"))
        self.path = self.directory / "net"
        self.base_port = free_ports(10 * validators)
        made = flamingo("init", "--dir", self.path, "--validators", validators, "--clients", clients,
                        "--accounts", accounts, "--base-port", self.base_port, *init)
        assert made.returncode == 0, made.stderr
        self.processes = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def node(self, i):
        return self.path / f"v{i}" / "node.toml"

    def client(self, i):
        return self.path / f"c{i}" / "client.toml"

    def log(self, name):
        return (self.directory / f"{name}.log").read_text()

    def spawn(self, name, *arguments):
        with open(self.directory / f"{name}.log", "a") as log:
            self.processes[name] = subprocess.Popen([FLAMINGO, *map(str, arguments)], stderr=log,
                                                    stdout=subprocess.DEVNULL)
        return self.processes[name]

    def start(self, *which):
        for i in which or range(self.validators):
            self.spawn(f"v{i}", "node", "--config", self.node(i))

    def stop(self, name, by=signal.SIGTERM):
        """Its exit code (minus the signal that ended it), and how long it took."""
        begun = time.monotonic()
        process = self.processes.pop(name)
        process.send_signal(by)
        return process.wait(PATIENCE), time.monotonic() - begun

    def status(self):
        shown = flamingo("status", "--config", self.path / "operator" / "operator.toml", "--json")
        return json.loads(shown.stdout) if shown.returncode == 0 else []

    def checkpoint_every(self, anchors):
        """Before the start: a checkpoint at each of so many commits."""
        committee = self.path / "committee.toml"
        committee.write_text(re.sub(r"(?m)^checkpoint_anchors = \d+$", f"checkpoint_anchors = {anchors}",
                                    committee.read_text()))

    def one_root_after(self, index):
        """Whether all validators that can be reached tell the same state, of a commit after that one."""
        roots = {(v["state_root_index"], v["state_root"]) for v in self.status() if v["reachable"]}
        return len(roots) == 1 and min(roots)[0] > index

    def wait_up(self, count=None):
        wanted = self.validators if count is None else count
        wait_until(lambda: sum(v["reachable"] for v in self.status()) >= wanted, f"{wanted} validators up")

    def pay(self, cents, source=0, target=1, timeout=20):
        return flamingo("bank", "pay", "--config", self.client(0), "--from", source, "--to", target,
                        "--cents", cents, "--json", "--timeout", timeout)
