"""What clang takes in HIP sources and nvcc does not, said in another way.

Needs the standard library alone: it travels with exported tasks.
"""

import functools
import re

_STATIC = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+static[ \t]*$", re.M)
_ATTRIBUTE = r"__attribute__\(\(\s*(?:__)?ext_vector_type(?:__)?\s*\(\s*([^()]+?)\s*\)\s*\)\)"
_TYPE = r"((?:[\w:]+|<[^<>;]*>)(?:\s+[\w:]+)*?)"
_VECTORS = (
    # typedef T NAME __attribute__((ext_vector_type(N)));
    (re.compile(rf"\btypedef\s+{_TYPE}\s+(\w+)\s+{_ATTRIBUTE}\s*;"), (1, 3, 2)),
    # typedef __attribute__((ext_vector_type(N))) T NAME;
    (re.compile(rf"\btypedef\s+{_ATTRIBUTE}\s+{_TYPE}\s+(\w+)\s*;"), (2, 1, 3)),
    # typedef T __attribute__((ext_vector_type(N))) NAME;
    (re.compile(rf"\btypedef\s+{_TYPE}\s+{_ATTRIBUTE}\s+(\w+)\s*;"), (1, 2, 3)),
    # using NAME = T __attribute__((ext_vector_type(N)));
    (re.compile(rf"\busing\s+(\w+)\s*=\s*{_TYPE}\s+{_ATTRIBUTE}\s*;"), (2, 3, 1)),
    (re.compile(rf"\busing\s+(\w+)\s*=\s*{_ATTRIBUTE}\s+{_TYPE}\s*;"), (3, 2, 1)),
)


def for_nvcc(text: str) -> str:
    """A HIP source as nvcc takes it; lines stay where they are.

    nvcc knows no vectors of clang's: a class of ``hip_runtime.h`` stands for them. It refuses a
    storage class on an explicit specialization, which says nothing there.

    Args:
        text: The source.
    """
    for pattern, places in _VECTORS:
        text = pattern.sub(functools.partial(_vector, places), text)
    words = "|".join(["static", *map(re.escape, _STATIC.findall(text))])
    return re.sub(rf"\b(template\s*<\s*>\s*)(?:{words})\b", r"\1", text)


def _vector(places: "tuple[int, int, int]", match: "re.Match[str]") -> str:
    kind, count, name = places
    typedef = f"typedef hipcuda::vector<{match[kind]}, {match[count]}> {match[name]};"
    return typedef + "\n" * match[0].count("\n")
