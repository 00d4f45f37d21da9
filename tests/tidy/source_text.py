"""C++ source as the rules see it: without comments and literals; its functions, test cases and includes."""
import dataclasses
import re

TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""", re.S)
CONTAINER = re.compile(
    r"^\s*(?:template\s*<.*>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b", re.S)
# One that stands alone, without a semicolon.
MACRO_CALL = re.compile(r"^[ \t]*(?!TEST)[A-Z][A-Z0-9_]+\([^{};]*\)[ \t]*$", re.M)
TEST_CASE = re.compile(r'\bTEST_CASE(?:_FIXTURE)?\s*\(\s*(?:\w+\s*,\s*)?((?:"(?:\\.|[^"\\])*"\s*)+)')
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*$", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group())


def blank(text):
    """Comments and literals become spaces; every other character stays where it is."""
    return TOKENS.sub(spaces, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def includes(text):
    """(line, system?, path) of each include."""
    return [(line_of(text, m.start()), m.group(1) == "<", m.group(2)) for m in INCLUDE.finditer(text)]


@dataclasses.dataclass
class Function:
    header: str  # from the end of what precedes it to its brace
    first_line: int  # of its brace
    last_line: int
    body: str  # without comments and literals

    @property
    def lines(self):
        return self.last_line - self.first_line + 1

    @property
    def name(self):
        """The last name before the first parenthesis."""
        names = re.findall(r"[~\w]+(?=\s*\()", self.header)
        return names[0] if names else self.header.strip()[:40]


def closing(code, opening):
    """The offset after the brace that closes the one at `opening`."""
    depth = 0
    for m in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if m.group() == "{" else -1
        if depth == 0:
            return opening + m.end()
    return len(code)


def opens_body(header):
    """Whether a brace after `header` opens a function's body, not a member's initializer."""
    in_initializers = re.search(r"\)\s*(?:noexcept\s*)?:[^:]", header)
    return not (in_initializers and re.search(r"[\w>]\s*$", header))


def functions(text):
    """The functions at class or name-space level; lambdas are part of what holds them."""
    code = PREPROCESSOR.sub(spaces, blank(text))
    code = MACRO_CALL.sub(spaces, code)
    found, start, at = [], 0, 0
    while m := re.compile(r"[{};]").search(code, at):
        at = m.end()
        if m.group() != "{":
            start = at
            continue
        header = code[start:m.start()]
        container = CONTAINER.match(header) and not re.search(r"\)\s*(?:const\s*)?$", header)
        if "TEST_SUITE" in header or container:
            start = at
        elif "(" in header and not re.search(r"=\s*$", header):
            end = closing(code, m.start())
            if opens_body(header):
                body = code[m.start():end]
                found.append(Function(header, line_of(code, m.start()), line_of(code, end), body))
                start = end
            at = end
        else:
            at = closing(code, m.start())
    return found


@dataclasses.dataclass
class TestCase:
    name: str
    line: int
    body: str  # without comments and literals


def test_cases(text):
    code = blank(text)
    cases = []
    for m in TEST_CASE.finditer(text):
        if not code[m.start():].startswith("TEST_CASE"):
            continue  # in a comment
        opening = code.find("{", m.end())
        name = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', m.group(1)))
        cases.append(TestCase(name, line_of(text, m.start()), code[opening:closing(code, opening)]))
    return cases
