#!/usr/bin/env python3
"""One validator of a network, v0, whose roles run in processes of their own."""
import contextlib
import signal
import socket
import ssl
import time
import unittest

from network import Network, wait_until

ROLES = ("primary", "worker", "executor")


class SpreadValidator:
    def __init__(self, network, issuer=None):
        """With an `issuer`, a network whose authority serves as this validator's own: over TLS."""
        self.network, self.issuer = network, issuer
        self.base_port = network.base_port + 10 * network.validators
        self.plain_text = network.node(0).read_text()

    def port(self, role):
        return self.base_port + ROLES.index(role)

    def section(self, role, tls=True, certificate=None, authority=None):
        lines = ["[internal]"] + [f'{x} = "127.0.0.1:{self.port(x)}"' for x in ROLES]
        if self.issuer and tls:
            of, by = certificate or self.certificate(role), authority or self.issuer.path / "ca.pem"
            lines += ["tls = true", f'certificate = "{of}.pem"', f'certificate_key = "{of}.key"',
                      f'authority = "{by}"']
        return "\n".join(lines) + "\n"

    def certificate(self, role):
        i = ROLES.index(role)
        return self.issuer.path / f"v{i}" / f"validator-{i}"

    def start(self, role, name=None, **section):
        """As a process called `name`; with its own store, unless it is the role itself."""
        name = name or role
        config = self.network.node(0).parent / f"{name}.toml"
        data = "" if name == role else f'data = "{name}"\n'
        config.write_text(data + self.plain_text + "\n" + self.section(role, **section))
        self.network.spawn(name, "node", "--config", config, "--roles", role, "--metrics",
                           f"127.0.0.1:{self.base_port + 5 + ROLES.index(role)}")

    def executed(self, count):
        """At all validators."""
        return all(v["executed_transactions"] == count for v in self.network.status())

    def losses(self):
        """How often each process found that another one was gone."""
        return [self.network.log(role).count("lost the roles") for role in ROLES]


def told(port, say=b"", tls=False, certificate=None):
    """What a process tells somebody who connects to `port`, within two seconds."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
        to = closing.enter_context(socket.create_connection(("127.0.0.1", port), timeout=2))
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if certificate:
                context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
            to = closing.enter_context(context.wrap_socket(to))
        to.sendall(say)
        return to.recv(1000)
    return b""


def ended(connection):
    """Whether the other end closed it, without having said anything."""
    connection.setblocking(False)
    try:
        return connection.recv(1000) == b""
    except ConnectionError:
        return True
    except BlockingIOError:
        return False


class RolesTest(unittest.TestCase):
    def pay(self, net):
        self.assertEqual(net.pay(500).returncode, 0)

    def start_and_lose_each_role(self, spread):
        """Four payments."""
        net = spread.network
        for role in ROLES:
            spread.start(role)
        net.start(1, 2, 3)
        net.wait_up()
        self.pay(net)
        wait_until(lambda: spread.executed(1), "executed at the spread validator too")
        for payments, role in enumerate(("executor", "worker", "primary"), 2):
            net.stop(role, signal.SIGKILL)
            if role != "primary":  # which answers the operator
                gone = [f"{role} {i}" for i in range({"executor": 2, "worker": 1}[role])]
                wait_until(lambda: net.status()[0].get("absent_roles") == gone, f"status misses {gone}")
            self.pay(net)
            spread.start(role)
            wait_until(lambda: spread.executed(payments), f"caught up after kill -9 of its {role}")
            self.assertEqual([v["absent_roles"] for v in net.status()], [[]] * 4)
            self.assertIn(f"{role} of validator v0 of chain", net.log(role))

    def stop_all(self, spread):
        for role in ROLES:
            code, seconds = spread.network.stop(role)
            self.assertEqual(code, 0, spread.network.log(role))
            self.assertLess(seconds, 5)

    def test_plain(self):
        with Network() as net:
            spread = SpreadValidator(net)
            self.start_and_lose_each_role(spread)
            self.stop_all(spread)

    def test_tls(self):
        with Network() as net, Network() as issuer:
            spread = SpreadValidator(net, issuer)
            self.start_and_lose_each_role(spread)
            self.stop_all(spread)

    def test_strangers(self):
        with Network() as net, Network() as issuer:
            spread = SpreadValidator(net, issuer)
            for role in ROLES:
                spread.start(role)
            net.start(1, 2, 3)
            net.wait_up()
            self.pay(net)
            wait_until(lambda: spread.executed(1), "executed")
            losses = spread.losses()
            foreign = net.path / "v1" / "validator-1"  # of this network, not of this validator
            silent = []
            for port in map(spread.port, ROLES):
                self.assertGreater(len(told(port, tls=True, certificate=spread.certificate("worker"))), 0)
                silent += [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
                for _ in range(10):
                    # A TLS alert at most: 7 bytes.
                    self.assertLess(len(told(port, b"x" * 100)), 8)
                    self.assertEqual(told(port, tls=True), b"")
                    self.assertEqual(told(port, tls=True, certificate=foreign), b"")
            self.pay(net)
            wait_until(lambda: spread.executed(2), "executed among strangers")
            self.assertEqual(spread.losses(), losses)
            # Who is silent for long makes room for the next who knocks.
            wait_until(lambda: all(told(spread.port(x), tls=True) == b"" for x in ROLES)
                       and all(ended(x) for x in silent), "the silent ones ended")
            for one in silent:
                one.close()

    def test_strange_process(self):
        """Without TLS, or certified by another authority, it is not let in and lets nobody in."""
        with Network() as net, Network() as issuer:
            spread = SpreadValidator(net, issuer)
            for role in ("primary", "worker"):
                spread.start(role)
            net.start(1, 2, 3)
            net.wait_up(3)
            own = net.path / "v1" / "validator-1"
            for name, section in {"plain": {"tls": False},
                                  "foreign": {"certificate": own, "authority": net.path / "ca.pem"}}.items():
                spread.start("executor", name, **section)
                wait_until(lambda: "is up" in net.log(name), f"{name} up")
                time.sleep(4)  # they look for each other once a second
                self.assertNotIn("found", net.log(name))
                net.stop(name)
            # A certificate and an authority that do not belong together are found at the start.
            spread.start("executor", "mixed", certificate=own)
            self.assertEqual(net.processes.pop("mixed").wait(10), 1)
            self.assertRegex(net.log("mixed"), r"\Aflamingo: .*/validator-1.pem: is refused by [^\n]*\n\Z")
            spread.start("executor")
            net.wait_up()
            self.pay(net)
            wait_until(lambda: spread.executed(1), "executed by the right one")


if __name__ == "__main__":
    unittest.main()
