"""A definition's text before it is parsed: blanked lines, parameters, where the body begins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.launch_text import split_arguments

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


@dataclass(frozen=True)
class Parameter:
    """One parameter: type as written, and name."""

    type: str
    name: str


def without_comments(text: str) -> str:
    """A text with white space for its comments; lines and places stay."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def blanked(text: str) -> str:
    """Comments and preprocessor lines as white space; of a choice the first branch is kept."""
    text = without_comments(text)
    rows, keep, depth = [], [True], 0
    continued = False
    for row in text.split("\n"):
        bare = row.strip()
        inside, continued = continued, bare.endswith("\\") and (continued or bare.startswith("#"))
        if inside:
            rows.append(" " * len(row))
        elif bare.startswith("#"):
            if re.match(r"#\s*if", bare):
                depth += 1
                keep.append(keep[-1])
            elif re.match(r"#\s*(?:else|elif)", bare) and depth:
                keep[-1] = False
            elif re.match(r"#\s*endif", bare) and depth:
                keep.pop()
                depth -= 1
            rows.append(" " * len(row))
        else:
            shown = row.rstrip("\\") + " " * (len(row) - len(row.rstrip("\\")))
            rows.append(shown if keep[-1] else " " * len(row))
    return "\n".join(rows)


_LOCAL_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(([^()\n]*)\))?[ \t]*((?:[^\n]*\\\n)*[^\n]*)\n",
    re.M,
)


def macros_written_out(text: str) -> str:
    """A definition in which macros that its own body defines are written out; lines stay."""
    while (found := _LOCAL_MACRO.search(text)) is not None:
        name, names, body = found[1], found[2], re.sub(r"\s*\\\n\s*", " ", found[3]).strip()
        blank = "\n" * found[0].count("\n")
        rest = text[found.end() :]
        undefined = re.search(rf"^[ \t]*#[ \t]*undef[ \t]+{name}\b[^\n]*", rest, re.M)
        scope = rest[: undefined.start()] if undefined else rest
        after = rest[undefined.end() :] if undefined else ""
        if "##" in body or re.search(rf"\b{name}\b", body):
            return text
        text = text[: found.start()] + blank + _used(scope, name, names, body) + after
    return text


def _used(text: str, name: str, names: str | None, body: str) -> str:
    """A text with each use of a macro written out."""
    use = re.compile(rf"(?<![\w.]){name}\b" + (r"\s*\(" if names is not None else ""))
    wanted = [one.strip() for one in (names or "").split(",") if one.strip()]
    parts, place = [], 0
    while (at := use.search(text, place)) is not None:
        end, given = at.end(), ""
        if names is not None:
            end = _closing(text, at.end() - 1)
            given = text[at.end() : end - 1]
        shown = body
        for one, value in zip(wanted, split_arguments(given) if given else [], strict=False):
            shown = re.sub(rf"\b{one}\b", value.replace("\\", r"\\"), shown)
        parts += [text[place : at.start()], shown, "\n" * given.count("\n")]
        place = end
    return "".join((*parts, text[place:]))


def _closing(text: str, opening: int) -> int:
    """The place behind the bracket that closes the one at a place."""
    depth = 0
    for index in range(opening, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index + 1
    return len(text)


def under_directive(text: str, row: int) -> bool:
    """A row, counted from 0, stands between ``#if`` and ``#endif``: a build may be without it."""
    depth = 0
    for line in text.split("\n")[:row]:
        directive = re.match(r"\s*#\s*(if|endif)", line)
        if directive:
            depth += 1 if directive[1] == "if" else -1
    return depth > 0


def body_start(text: str) -> int:
    """Offset of the brace that opens the body; -1 where there is none."""
    depth = 0
    seen = False
    for index, character in enumerate(text):
        if character in "(":
            depth += 1
            seen = True
        elif character == ")":
            depth -= 1
        elif character == "{" and depth == 0 and seen:
            return index
    return -1


def parameters_of(head: str) -> tuple[Parameter, ...]:
    """Parameters of a signature, in order."""
    close = head.rfind(")")
    depth = 0
    for index in range(close, -1, -1):
        depth += (head[index] == ")") - (head[index] == "(")
        if depth == 0:
            break
    else:
        return ()
    found = []
    for part in split_arguments(head[index + 1 : close]):
        bare = part.split("=")[0].strip()
        match = re.match(r"(.*?)([A-Za-z_]\w*)\s*(\[[^\]]*\])?$", bare, re.S)
        if match and match[1].strip():
            kind = re.sub(r"\s+", " ", match[1]).strip()
            found.append(Parameter(re.sub(r"\s*__restrict__", "", kind), match[2]))
    return tuple(found)
