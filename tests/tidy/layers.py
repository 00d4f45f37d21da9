"""Which files of the tree may include what (actors/README.md, "Dependency rule")."""
import dataclasses
import pathlib
import re
import typing

# What a core may take from outside the tree: no clock, thread, file, randomness, framework.
PLAIN_STANDARD = set("""
    algorithm any array bit bitset cassert charconv chrono climits compare concepts cstddef cstdint
    cstdio cstdlib cstring deque functional initializer_list iterator limits list map memory numeric
    optional queue ranges set span stack stdexcept string string_view tuple type_traits
    unordered_map unordered_set utility variant vector
    """.split())
NOT_PURE = ("link", "runtime", "validator")


def is_core(path):
    """Pure: decides, and performs nothing."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] != "actors" or not path.endswith((".hpp", ".cpp")):
        return False
    if len(parts) == 2:
        return path not in ("actors/interfaces.hpp", "actors/frames.hpp")
    return parts[1] not in NOT_PURE and not re.search(r"_(actor|metrics)\.[ch]pp$", path)


@dataclasses.dataclass
class Layer:
    name: str
    holds: typing.Callable[[str], bool]
    may: str  # in words, for the message
    forbidden: typing.Pattern  # matched against what is included, directly or through other files of the tree
    allowed: typing.Optional[set] = None  # of system headers; None: all that are not forbidden


def under(*folders):
    return lambda path: path.startswith(tuple(folder + "/" for folder in folders))


FRAMEWORKS = r"(caf|kj|capnp|prometheus|spdlog|fmt)/|.*\.capnp\.h$"
LAYERS = [
    Layer("core", is_core, "the plain values of messages/, other cores and the plain standard library",
          re.compile(rf"{FRAMEWORKS}|(crypto|storage|apps|tests|openssl)/|lmdb\.h|messages/(frame|codec)"
                     rf"|actors/({'|'.join(NOT_PURE)})/|actors/(interfaces|frames)|.*_(actor|metrics)\.hpp$"),
          PLAIN_STANDARD),
    Layer("crypto", under("crypto"), "plain values and OpenSSL",
          re.compile(rf"{FRAMEWORKS}|(storage|actors|apps|tests)/|lmdb\.h")),
    Layer("storage", under("storage"), "plain values and LMDB",
          re.compile(rf"{FRAMEWORKS}|(crypto|actors|apps|tests|openssl)/")),
    Layer("messages", under("messages"), "plain values, Cap'n Proto and crypto/",
          re.compile(r"(caf|prometheus|spdlog|storage|actors|apps|tests)/|lmdb\.h")),
    Layer("actors", under("actors"), "everything but apps/, tests/ and LMDB itself",
          re.compile(r"(apps|tests)/")),
    Layer("apps", under("apps"), "everything but tests/", re.compile(r"tests/")),
]
# Headers that only one folder may include itself; others get at them through its interface.
KEPT = [
    (re.compile(r"lmdb\.h$"), ("storage/lmdb_environment.",), "LMDB belongs to storage/lmdb_environment"),
    (re.compile(r"openssl/"), ("crypto/", "actors/link/", "tests/"),
     "OpenSSL belongs to crypto/ and actors/link/"),
]
