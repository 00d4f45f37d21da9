"""A validator whose disk is full ends cleanly, in one line, and goes on when there is space: a small file
system in a file, mounted for the test as root; where that is not allowed the test is skipped and says so."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from network import Network, wait_until

SKIPPED = 77  # system_tests.cmake: shown as skipped, never as passed
MIB = 1 << 20


class SmallDisk:
    """`with SmallDisk(64) as path`: a file system of about that many MiB."""

    def __init__(self, mib):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="flamingo-disk-"))
        self.image, self.path = self.directory / "image", self.directory / "disk"
        self.path.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(mib * MIB)

    def __enter__(self):
        try:
            for command in (["mkfs.ext4", "-q", "-m", "0", self.image],
                            ["mount", "-o", "loop", self.image, self.path]):
                subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as why:
            shutil.rmtree(self.directory)
            print("skipped: no file system can be mounted here:", getattr(why, "stderr", why), flush=True)
            os._exit(SKIPPED)  # unittest would take another way out for an error
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)
        shutil.rmtree(self.directory)

    def fill(self, leave):
        """Takes all space but about `leave` bytes."""
        with open(self.path / "ballast", "wb") as ballast:
            free = os.statvfs(self.path)
            os.posix_fallocate(ballast.fileno(), 0, free.f_bavail * free.f_bsize - leave)

    def free(self):
        (self.path / "ballast").unlink()


class FullDiskTest(unittest.TestCase):
    def test_full_disk(self):
        with SmallDisk(512) as disk, Network(clients=3) as net:
            node = net.node(3)
            node.write_text(re.sub(r'(?m)^data = ".*"\n', "", node.read_text()))
            text = node.read_text()
            shutil.move(net.path / "v3" / "data", disk.path / "data")
            store = f"[store]\npreallocate_bytes = {4 * MIB}\n"
            node.write_text(f'data = "{disk.path / "data"}"\n{text}\n{store}')
            net.start()
            net.wait_up()
            disk.fill(leave=2 * MIB)
            net.spawn("load", "client", "--config", net.client(1), "--config", net.client(2), "--rate", 2000,
                      "--tx-size", 512)
            self.assertEqual(net.processes["v3"].wait(60), 1)
            complaints = [line for line in net.log("v3").splitlines() if line.startswith("flamingo: ")]
            self.assertEqual(len(complaints), 1, complaints)
            self.assertRegex(complaints[0], "v3: stopped: .*No space left on device")
            self.assertEqual(net.pay(100).returncode, 0)  # three of four are enough

            disk.free()
            net.start(3)
            net.wait_up()
            caught_up = max(v["commit_index"] for v in net.status())
            wait_until(lambda: all(v["executed_index"] >= caught_up for v in net.status()), "v3 caught up")
            self.assertEqual(net.stop("load")[0], 0)


if __name__ == "__main__":
    unittest.main()
