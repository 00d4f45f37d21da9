#!/usr/bin/env python3
"""Every rule of tidy catches a small bad input, and leaves the good one beside it alone."""
import pathlib
import sys
import tempfile
import unittest

import source_text
import tidy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import demands  # noqa: E402

READMES = {f"{folder}/README.md": "# x\n" for folder in ("actors", "crypto", "messages", "storage", "tests")}
HEAD = "// What it is.\n#pragma once\n"


def found(files):
    """What tidy says about a tree of these files, without the paths' order."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**READMES, **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [f"{path}:{line}: {message}" for path, line, message in tidy.problems(root)]


class TidyTest(unittest.TestCase):
    def assert_bad(self, path, text, words, others=None):
        said = found({**(others or {}), path: text})
        self.assertEqual(len(said), 1, said)
        self.assertIn(path, said[0])
        self.assertIn(words, said[0])

    def assert_good(self, path, text, others=None):
        self.assertEqual(found({**(others or {}), path: text}), [])

    def test_a_core_includes_plain_values_only(self):
        plain = {"messages/dag.hpp": HEAD + "#include <vector>\n"}
        self.assert_good("actors/primary/primary.cpp", '#include "messages/dag.hpp"\n#include <map>\n', plain)
        for bad in ("<caf/all.hpp>", "<capnp/message.h>", "<openssl/evp.h>", "<lmdb.h>", "<thread>",
                    "<random>", "<prometheus/counter.h>", "<mutex>", '"actors/link/link.hpp"',
                    '"storage/kv.hpp"', '"actors/interfaces.hpp"', '"actors/primary/primary_actor.hpp"',
                    '"crypto/hash.hpp"'):
            with self.subTest(bad):
                self.assertNotEqual(found({"actors/primary/primary.cpp": f"#include {bad}\n"}), [])

    def test_a_core_does_not_reach_a_framework_through_another_header(self):
        self.assert_bad("actors/primary/primary.cpp", '#include "messages/votes.hpp"\n', "through",
                        {"messages/votes.hpp": HEAD + "#include <capnp/message.h>\n"})

    def test_a_shell_may_use_the_framework(self):
        self.assert_good("actors/primary/primary_actor.cpp", "#include <caf/all.hpp>\n#include <thread>\n")
        metrics = HEAD + "#include <prometheus/gauge.h>\ndouble x;\n"
        self.assert_good("actors/primary/primary_metrics.hpp", metrics)
        self.assert_good("actors/link/link.cpp", "#include <caf/all.hpp>\n#include <openssl/ssl.h>\n")

    def test_layers_below_the_actors_know_none_of_them(self):
        self.assert_bad("storage/kv.cpp", "#include <caf/all.hpp>\n", "storage may include")
        self.assert_bad("crypto/hash.cpp", '#include "actors/errors.hpp"\n', "crypto may include")
        self.assert_bad("messages/codec.cpp", '#include "storage/kv.hpp"\n', "messages may include")
        self.assert_bad("actors/worker/worker_actor.cpp", '#include "tests/sim/world.hpp"\n', "tests/")

    def test_lmdb_and_openssl_stay_where_they_belong(self):
        self.assert_bad("storage/lmdb_kv.cpp", "#include <lmdb.h>\n", "LMDB belongs")
        self.assert_bad("actors/worker/worker_actor.cpp", "#include <openssl/evp.h>\n", "OpenSSL belongs")

    def test_a_core_loops_over_nothing_unordered(self):
        member = {"actors/dag/store.hpp": HEAD + "#include <unordered_map>\n"
                                                 "struct s { std::unordered_map<int, int> rows_; };\n"}
        self.assert_good("actors/dag/store.cpp", "int f(s& x) { return x.rows_.find(1)->second; }\n", member)
        self.assert_bad("actors/dag/store.cpp", "void f(s& x) {\n  for (auto& row : x.rows_) g(row);\n}\n",
                        "unordered rows_", member)
        self.assert_bad("actors/dag/store.cpp", "void f(s& x) { g(x.rows_.begin()); }\n", "unordered", member)
        self.assert_bad("actors/dag/store.cpp", "using table = std::unordered_set<int>;\n"
                        "void f(const table& seen) { for (int x : seen) g(x); }\n", "unordered seen")

    def test_a_core_uses_no_floating_point_clock_or_chance(self):
        for bad in ("double x;", "float f();", "auto x = n * 0.5;", "int x = rand();", "auto t = time(0);",
                    "auto t = std::chrono::steady_clock::now();"):
            with self.subTest(bad):
                self.assert_bad("actors/load_monitor/load_monitor.cpp", bad + "\n", "a core must not use")
        self.assert_good("actors/load_monitor/load_monitor.cpp", "// double, 0.5\nint x = in.time() / 2;\n")
        self.assert_good("actors/load_monitor/load_monitor_actor.cpp", "double x = 0.5;\n")

    def test_only_crypto_and_tests_vouch(self):
        self.assert_bad("actors/primary/primary_actor.cpp", "auto x = verified<vote>::after_check(v);\n",
                        "after_check")
        self.assert_good("crypto/verify.cpp", "auto x = verified<vote>::after_check(v);\n")
        self.assert_good("actors/primary/primary.cpp", "// after_check is crypto's\n")

    def test_files_functions_and_lines_are_short(self):
        self.assert_bad("storage/kv.cpp", "int x;\n" * 501, "501 lines")
        self.assert_good("storage/kv.cpp", "int x;\n" * 500)
        self.assert_bad("storage/kv.cpp", "int slow(int a) {\n" + "  ++a;\n" * 69 + "}\n", "slow has 71")
        self.assert_good("storage/kv.cpp", "int f(int a) {\n" + "  ++a;\n" * 68 + "}\n")
        self.assert_bad("storage/kv.cpp", f"int x;  // {'x' * 100}\n", "111 columns")
        self.assert_bad("tests/x.py", "def f():\n" + "    pass\n" * 70, "f has 71")
        self.assert_bad("run", "f() {\n" + "  :\n" * 69 + "}\n", "f has 71")

    def test_test_names_reach_ctest(self):
        for bad in ("a; b", "a [b", "a * b", 'a \\" b'):
            with self.subTest(bad):
                case = f'TEST_CASE("{bad}") {{ CHECK(f()); }}\n'
                self.assert_bad("tests/unit/x_test.cpp", case, "test case name with")
        split = 'TEST_CASE("a claim "\n    "in two; parts") { CHECK(f()); }\n'
        self.assert_bad("tests/unit/x_test.cpp", split, "test case name with ;")

    def test_two_cases_of_a_program_have_two_names(self):
        case = 'TEST_CASE("the same") { CHECK(f()); }\n'
        self.assert_bad("tests/unit/y_test.cpp", case, "as in tests/unit/x_test.cpp",
                        {"tests/unit/x_test.cpp": case})
        self.assert_good("tests/actors/y_test.cpp", case, {"tests/unit/x_test.cpp": case})

    def test_a_test_case_checks_something(self):
        case = 'TEST_CASE("runs") { f(); /* CHECK */ }\n'
        self.assert_bad("tests/unit/x_test.cpp", case, "without a check")
        self.assert_good("tests/unit/x_test.cpp", 'void holds(int x) { CHECK(x); }\n'
                         'TEST_SUITE("s") {\n  TEST_CASE("calls a check") { holds(1); }\n}\n')

    def test_tests_do_not_sleep(self):
        case = 'TEST_CASE("waits") { std::this_thread::sleep_for(1ms); CHECK(f()); }\n'
        self.assert_bad("tests/unit/x_test.cpp", case, "a sleep")
        self.assert_good("tests/system/x_test.cpp", case)
        self.assert_good("tests/actors/link_test.cpp", case)

    def test_nothing_is_left_undone(self):
        self.assert_bad("storage/kv.cpp", "// TODO: sync\n", "TODO")

    def test_headers_say_what_they_are(self):
        self.assert_bad("storage/kv.hpp", "#pragma once\n", "says what it is")

    def test_folders_have_names_and_readmes(self):
        self.assertIn("docker:0: a top folder has a README.md", found({"docker/x.sh": "true\n"}))
        self.assertIn("actors/util:0: a folder is named after what it is", found({"actors/util/x.cpp": "\n"}))
        self.assert_bad("tests/README.md", "x\n" * 41, "41 lines")

    def test_a_broken_variant_is_hunted_by_a_line(self):
        hunted = {"tests/sim/mutants.txt": "# a_comment is none\nvote_twice  crashes  1-200  what\n"}
        self.assert_good("actors/a.cpp", "#if !FLAMINGO_MUTANT_vote_twice\n#endif\n", hunted)
        self.assert_bad("actors/a.cpp", "\n#if FLAMINGO_MUTANT_vote\n#endif\n", "hunts no vote", hunted)


class SourceTextTest(unittest.TestCase):
    def test_functions_are_told_from_classes_and_initializers(self):
        text = """
namespace a {
MACRO(x)
struct s : base {
  s() : one_{1}, two_(f()) {
    go();
  }
  int get() const { return one_; }
  int one_{0};
};
auto table = std::array{1, 2};
template <class T>
bool s::twice(T x) requires(true) {
  return [x] { return x; }() ? "}" : '{';
}
}
"""
        self.assertEqual([(f.name, f.lines) for f in source_text.functions(text)],
                         [("s", 3), ("get", 1), ("twice", 3)])

    def test_comments_and_literals_are_blanked_in_place(self):
        text = 'int x = 1\'000; // "a"\nchar c = \'"\'; auto s = R"(no // comment)"; /* b\n */ f();'
        blanked = source_text.blank(text)
        self.assertEqual(len(blanked), len(text))
        self.assertEqual(blanked.count("\n"), 2)
        self.assertIn("f();", blanked)
        self.assertNotIn("comment", blanked)
        self.assertIn("auto s", blanked)


class DemandsTest(unittest.TestCase):
    def test_a_line_names_tests_that_exist_or_where_it_is_left_for(self):
        def said(demand):
            return list(demands.problems([{"line": 1, **demand}], {"a claim"}, lambda path: False))
        self.assertEqual(said({"tests": ["a claim"]}), [])
        self.assertEqual(said({"later": "there"}), [])
        self.assertIn("no test", said({"tests": ["a clam"]})[0])
        self.assertIn("no test", said({"tests": ["tests/system/none"]})[0])
        self.assertIn("neither", said({})[0])

    def test_tests_of_every_kind_are_found(self):
        names = demands.existing_tests()
        self.assertIn("writes that wait are committed as one group with one sync", names)
        self.assertIn("tidy: the tree keeps its rules", names)


if __name__ == "__main__":
    unittest.main()
