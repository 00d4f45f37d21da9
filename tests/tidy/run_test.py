#!/usr/bin/env python3
"""The front door, `run`, with stand-ins for what it calls; and the count of tests that it ends with."""
import fcntl
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stage:
    """A folder of stand-ins that comes first in PATH. Each notes its arguments in `log`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.log = self.path / "log"

    def program(self, name, says="", exit_code=0):
        file = self.path / name
        note = f'echo {name} "$@" >> {self.log}'
        file.write_text(f'#!/bin/sh\n{note}\ncat <<"END"\n{says}\nEND\nexit {exit_code}\n')
        file.chmod(0o755)
        return file

    def run(self, *command, path=None):
        env = {**os.environ, "PATH": path or f"{self.path}:{os.environ['PATH']}"}
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)

    def logged(self):
        return self.log.read_text().splitlines() if self.log.exists() else []


class Tree:
    """A tree with nothing but `run`, for its builds to be played: cmake is what a test says."""

    def __init__(self, stage):
        self.stage = stage
        self.path = stage.path / "tree"
        self.file("run", (ROOT / "run").read_text())
        for folder in ("actors", "apps/flamingo", "crypto", "messages", "storage", "tests", "build/release"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        for name in ("CMakeLists.txt", "CMakePresets.json", "build/release/build.ninja"):
            self.file(name)
        stage.program("dpkg-query", "installed")

    def file(self, name, text="#!/bin/sh\n", age=0):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        os.utime(file, (time.time() - age,) * 2)
        return file

    def run_verb(self, *arguments):
        return self.stage.run(str(self.path / "run"), *arguments)

    def lock(self):
        """As a build holds it, until it is closed."""
        held = open(self.path / "build/release/.lock", "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        return held


class BuildTest(unittest.TestCase):
    def setUp(self):
        self.stage = Stage()
        self.addCleanup(self.stage.folder.cleanup)
        self.tree = Tree(self.stage)
        for name in ("CMakeLists.txt", "CMakePresets.json"):
            self.tree.file(name, age=100)
        self.binary = "#!/bin/sh\necho ran \"$@\"\n"

    def test_a_program_that_is_up_to_date_runs_while_another_build_goes_on(self):
        self.tree.file("build/release/flamingo", self.binary, age=50)
        with self.tree.lock():
            done = self.tree.run_verb("flamingo", "version")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran version\n", ""))

    def test_a_stale_program_waits_for_another_build_and_says_so(self):
        self.tree.file("build/release/flamingo", self.binary, age=50)
        self.tree.file("apps/flamingo/new.cpp", age=10)
        self.stage.program("cmake")
        held = self.tree.lock()
        env = {**os.environ, "PATH": f"{self.stage.path}:{os.environ['PATH']}"}
        run = subprocess.Popen([self.tree.path / "run", "flamingo", "version"], text=True, env=env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(run.stderr.readline(),
                         "run: waiting for another build to end, then building flamingo\n")
        self.assertEqual(self.stage.logged()[-1].split()[0], "dpkg-query")
        held.close()
        out, _ = run.communicate(timeout=60)
        self.assertEqual((run.returncode, out), (0, "ran version\n"))
        self.assertIn("--target flamingo", self.stage.logged()[-1])

    def test_a_long_build_tells_how_far_it_is(self):
        self.tree.file("build/release/flamingo", self.binary)
        self.stage.program("cmake", "[1/3] Building a\n[2/3] Building b")
        cmake = self.stage.path / "cmake"
        cmake.write_text(cmake.read_text().replace("exit 0", "sleep 6"))
        done = self.tree.run_verb("flamingo")
        self.assertRegex(done.stderr, r"\Arun: building flamingo: \[2/3\] after \d+ s; all of it: \S+\n\Z")

    def test_a_build_that_takes_no_time_says_nothing(self):
        self.tree.file("build/release/flamingo", self.binary)
        self.stage.program("cmake", "[1/1] done")
        done = self.tree.run_verb("flamingo", "x")
        self.assertEqual((done.stdout, done.stderr), ("ran x\n", ""))

    def test_a_pattern_that_matches_no_test_is_named(self):
        self.stage.program("cmake")
        self.stage.program("prometheus")
        self.stage.program("ctest", "Total Tests: 0")
        done = self.tree.run_verb("test", "-R", "no_such_thing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run: no test matches: -R no_such_thing", done.stderr)


class RunTest(unittest.TestCase):
    def setUp(self):
        self.stage = Stage()
        self.addCleanup(self.stage.folder.cleanup)

    def run_verb(self, *arguments, **how):
        return self.stage.run(str(ROOT / "run"), *arguments, **how)

    def test_help_lists_every_verb_that_this_version_has(self):
        need_files = {"demo": "apps/demo", "bench": "apps/flamingo/bench.cpp", "soak": "tests/system/soak",
                      "image": "docker/image", "up": "docker/up", "down": "docker/down"}
        tree = Tree(self.stage)
        listed = tree.run_verb("help").stdout
        for verb in ("test", "build", "flamingo", "sim", "demands", "fmt", "check", "packages", "help"):
            self.assertRegex(listed, rf"(?m)^  {verb}\b")
        for verb, file in need_files.items():
            self.assertNotRegex(listed, rf"(?m)^  {verb}\b")
            tree.file(file)
            self.assertRegex(tree.run_verb("help").stdout, rf"(?m)^  {verb}\b")

    def test_a_verb_that_this_version_lacks_says_so(self):
        tree = Tree(self.stage)
        for verb in ("demo", "bench", "soak", "image"):
            done = tree.run_verb(verb)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Arun: {verb}: this version has no [^\n]+ yet\n\Z")

    def test_an_unknown_verb_is_wrong_use(self):
        done = self.run_verb("frobnicate")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no such verb: frobnicate", done.stderr)

    def test_missing_packages_are_named_before_they_are_installed_through_sudo(self):
        self.stage.program("dpkg-query", "")
        self.stage.program("id", "1000")
        self.stage.program("sudo")
        done = self.run_verb("demands")
        self.assertIn("installing with sudo apt-get: python3\n", done.stderr)
        installs = [line for line in self.stage.logged() if "install" in line]
        self.assertEqual(len(installs), 1)
        self.assertRegex(installs[0], r"^sudo env DEBIAN_FRONTEND=\w+ apt-get install -y .* python3$")

    def test_a_user_without_sudo_is_told_what_to_install(self):
        for name in ("bash", "dirname", "cat"):
            (self.stage.path / name).symlink_to(f"/bin/{name}")
        self.stage.program("dpkg-query", "")
        self.stage.program("id", "1000")
        self.stage.program("apt-get")
        done = self.run_verb("demands", path=str(self.stage.path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("install these Debian packages as root, then run again: python3", done.stderr)
        self.assertNotIn("install", " ".join(self.stage.logged()))

    def test_nothing_is_installed_when_nothing_is_missing(self):
        self.stage.program("dpkg-query", "installed")
        self.stage.program("apt-get")
        done = self.run_verb("demands")
        self.assertEqual(done.returncode, 0)
        self.assertFalse([line for line in self.stage.logged() if line.startswith("apt-get")])

    def test_every_package_has_a_plausible_name(self):
        for which in ("build", "check", "fuzz", "plot"):
            for package in self.run_verb("packages", which).stdout.split():
                self.assertRegex(package, r"^[a-z0-9][a-z0-9+.-]+$")


class TestCountTest(unittest.TestCase):
    def count(self, held, known, ran):
        stage = Stage()
        self.addCleanup(stage.folder.cleanup)
        said = f"[doctest] unskipped test cases passing the current filters: {held}"
        program = stage.program("unit-tests", said)
        tests = [{"name": f"unit-tests:{i}"} for i in range(known)] + [{"name": "tidy: x"}]
        stage.program("ctest", json.dumps({"tests": tests}))
        (stage.path / "test-programs.txt").write_text(f"{program}\n")
        log = stage.path / "ctest-log"
        log.write_text(f"100% tests passed, 0 tests failed out of {ran}\n")
        return stage.run("python3", str(ROOT / "tests/tidy/test_count.py"), str(stage.path), str(log))

    def test_equal_counts_pass_and_are_told(self):
        done = self.count(held=3, known=3, ran=4)
        self.assertEqual(done.returncode, 0)
        self.assertIn("4 tests", done.stdout)

    def test_a_case_that_ctest_does_not_know_fails(self):
        done = self.count(held=4, known=3, ran=4)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unit-tests has 4 test cases, ctest 3", done.stderr)

    def test_a_test_that_ctest_did_not_run_fails(self):
        done = self.count(held=3, known=3, ran=3)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ran 3 of 4", done.stderr)


if __name__ == "__main__":
    unittest.main()
