"""The rules of the tree (docs: README.md of this folder). Each takes a Tree and yields what breaks it."""
import ast
import collections
import pathlib
import re

import layers
import source_text

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
LINE_LENGTH_MAX = 110
README_LINES_MAX = 40
CPP = (".cpp", ".hpp")
SKIPPED_FOLDERS = {"build", "net", "demo", "__pycache__", "node_modules"}
VAGUE_FOLDERS = {"common", "util", "utils", "helpers", "core", "manager", "managers", "baselines", "misc"}


class Tree:
    """The source files under a root, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            if any(part in SKIPPED_FOLDERS or (part.startswith(".") and part != ".ci") for part in parts):
                continue
            if path.is_file() and (path.suffix in (".cpp", ".hpp", ".py", ".sh", ".capnp", ".md", ".cmake")
                                   or path.name in ("run", "CMakeLists.txt", "mutants.txt")):
                self.texts[path.relative_to(self.root).as_posix()] = path.read_text(errors="replace")

    def files(self, *suffixes, within=""):
        return [(path, text) for path, text in self.texts.items()
                if path.startswith(within) and path.endswith(suffixes)]

    def closure(self, path):
        """What a file includes, directly or through files of the tree: {included: (line, through)}."""
        found, todo = {}, [(path, None, "")]
        while todo:
            at, first_line, through = todo.pop()
            for line, _, included in source_text.includes(self.texts[at]):
                if included in found:
                    continue
                found[included] = (first_line or line, through)
                if included in self.texts:
                    todo.append((included, first_line or line, f" (through {included})"))
        return found


def includes_follow_the_layers(tree):
    for path, text in tree.files(*CPP):
        for layer in layers.LAYERS:
            if not layer.holds(path):
                continue
            for included, (line, through) in tree.closure(path).items():
                system = included not in tree.texts and "/" not in included and not included.endswith(".hpp")
                if layer.forbidden.match(included) or (
                        layer.allowed is not None and system and included not in layer.allowed):
                    yield path, line, f"includes {included}{through}; {layer.name} may include {layer.may}"
        for pattern, keepers, message in layers.KEPT:
            for line, _, included in source_text.includes(text):
                if pattern.match(included) and not path.startswith(keepers):
                    yield path, line, f"includes {included}; {message}"


def cores_loop_over_nothing_unordered(tree):
    """The order of an unordered container differs between validators."""
    names = collections.defaultdict(set)
    for path, text in tree.files(*CPP, within="actors/"):
        if layers.is_core(path):
            code = source_text.blank(text)
            kinds = "|".join([r"unordered_(?:multi)?(?:map|set)\s*<[^;{}()]*>"]
                             + re.findall(r"using\s+(\w+)\s*=\s*(?:std::)?unordered_", code))
            names[path.rsplit("/", 1)[0]] |= set(re.findall(rf"\b(?:{kinds})\s*&?\s+(\w+)", code))
    for path, text in tree.files(*CPP, within="actors/"):
        unordered = names[path.rsplit("/", 1)[0]]
        if not layers.is_core(path) or not unordered:
            continue
        code = source_text.blank(text)
        any_name = "|".join(sorted(unordered))
        loops = rf"\bfor\s*\([^;()]*:\s*[\w.>()-]*\b({any_name})\s*\)|\b({any_name})\s*\.\s*c?begin\s*\("
        for m in re.finditer(loops, code):
            name = m.group(1) or m.group(2)
            yield path, source_text.line_of(code, m.start()), f"loops over the unordered {name}"


def cores_have_no_floating_point_clock_or_chance(tree):
    words = re.compile(r"\b(?:float|double)\b|\b\d+\.\d|\b\w*_clock::now\b"
                       r"|\b(?:time|rand|getenv|clock_gettime)\s*\(")
    for path, text in tree.files(*CPP, within="actors/"):
        code = source_text.blank(text)
        for m in words.finditer(code) if layers.is_core(path) else ():
            before = code[max(0, m.start() - 2):m.start()]
            if m.group()[-1] == "(" and before.endswith((".", "->")):
                continue  # a member of that name
            yield path, source_text.line_of(code, m.start()), f"a core must not use {m.group().strip('( ')}"


def only_crypto_and_tests_vouch_for_a_value(tree):
    for path, text in tree.files(*CPP):
        if path.startswith(("crypto/", "tests/")) or path == "messages/verified.hpp":
            continue
        code = source_text.blank(text)
        for m in re.finditer(r"\bafter_check\b", code):
            yield path, source_text.line_of(code, m.start()), "after_check outside crypto/ and tests/"


def files_functions_and_lines_are_short(tree):
    for path, text in tree.files(*CPP, ".py", ".sh", ".capnp", ".cmake", "run", "CMakeLists.txt"):
        lines = text.splitlines()
        if len(lines) > FILE_LINES_MAX:
            yield path, 1, f"{len(lines)} lines; at most {FILE_LINES_MAX}"
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_LENGTH_MAX:
                yield path, number, f"{len(line)} columns; at most {LINE_LENGTH_MAX}"
        for name, line, count in function_lengths(path, text):
            if count > FUNCTION_LINES_MAX:
                yield path, line, f"{name} has {count} lines; a function has at most {FUNCTION_LINES_MAX}"


def function_lengths(path, text):
    if path.endswith(CPP):
        return [(f.name, f.first_line, f.lines) for f in source_text.functions(text)]
    if path.endswith(".py"):
        return [(f.name, f.lineno, f.end_lineno - f.lineno + 1) for f in ast.walk(ast.parse(text))
                if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [(m.group(1), source_text.line_of(text, m.start()), m.group().count("\n") + 1)
            for m in re.finditer(r"^(\w+)\(\) \{.*?^\}", text, re.M | re.S)]


def test_names_reach_ctest(tree):
    """CMake splits lists at `;` and joins them within brackets; doctest's filter has wildcards."""
    seen = {}
    for path, text in tree.files(".cpp", within="tests/"):
        for case in source_text.test_cases(text):
            if bad := sorted(set(case.name) & set(';[]*\\"$')):
                yield path, case.line, f"test case name with {' '.join(bad)}"
            key = (path.split("/")[1], case.name)
            if key in seen:
                yield path, case.line, f"test case name as in {seen[key]}: {case.name}"
            seen[key] = path


def test_cases_check_something(tree):
    checks = re.compile(r"\b(?:CHECK|REQUIRE|FAIL)\w*\b")
    checking = {f.name for _, text in tree.files(*CPP, within="tests/")
                for f in source_text.functions(text) if checks.search(f.body)}
    for path, text in tree.files(".cpp", within="tests/"):
        for case in source_text.test_cases(text):
            words = set(re.findall(r"\w+", case.body))
            if not checks.search(case.body) and not checking & words:
                yield path, case.line, f"test case without a check: {case.name}"


def tests_do_not_wait_for_time(tree):
    """Except those of whole processes, and of the link over real sockets."""
    real_time = ("tests/system/", "tests/actors/link_")
    for path, text in tree.files(*CPP, within="tests/"):
        code = source_text.blank(text)
        for m in re.finditer(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(", code):
            if not path.startswith(real_time):
                yield path, source_text.line_of(code, m.start()), "a sleep outside tests/system"


def nothing_is_left_undone(tree):
    for path, text in tree.files(".cpp", ".hpp", ".sh", ".capnp", ".cmake", "run", "CMakeLists.txt"):
        for m in re.finditer(r"\b(?:TODO|FIXME|XXX)\b", text):
            yield path, source_text.line_of(text, m.start()), f"{m.group()}: do it, or say what is left"


def mutants_are_hunted(tree):
    """A broken variant that no line hunts proves nothing."""
    hunted = re.findall(r"^(\w+) ", tree.texts.get("tests/sim/mutants.txt", ""), re.MULTILINE)
    for path, text in tree.files(*CPP):
        for m in re.finditer(r"^#if !?FLAMINGO_MUTANT_(\w+)", text, re.MULTILINE):
            if m.group(1) not in hunted:
                yield path, source_text.line_of(text, m.start()), f"mutants.txt hunts no {m.group(1)}"


def headers_say_what_they_are(tree):
    for path, text in tree.files(".hpp"):
        if not text.startswith("//"):
            yield path, 1, "a header begins with a comment that says what it is"


def folders_have_names_and_readmes(tree):
    folders = {parent.as_posix() for path in tree.texts for parent in pathlib.PurePosixPath(path).parents}
    for folder in sorted(folders - {"."}):
        if folder.rsplit("/", 1)[-1] in VAGUE_FOLDERS:
            yield folder, 0, "a folder is named after what it is"
        if "/" not in folder and not folder.startswith(".") and f"{folder}/README.md" not in tree.texts:
            yield folder, 0, "a top folder has a README.md"
    for path, text in tree.files("README.md"):
        count = len(text.splitlines())
        if path.count("/") == 1 and count > README_LINES_MAX:
            yield path, 1, f"{count} lines; at most {README_LINES_MAX}"


RULES = [
    includes_follow_the_layers,
    cores_loop_over_nothing_unordered,
    cores_have_no_floating_point_clock_or_chance,
    only_crypto_and_tests_vouch_for_a_value,
    files_functions_and_lines_are_short,
    test_names_reach_ctest,
    test_cases_check_something,
    tests_do_not_wait_for_time,
    nothing_is_left_undone,
    mutants_are_hunted,
    headers_say_what_they_are,
    folders_have_names_and_readmes,
]
