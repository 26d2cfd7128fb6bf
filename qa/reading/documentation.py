"""What a library's public headers say about its entry points."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BLOCK = re.compile(r"/\*[*!](.*?)\*/", re.S)
_PROTOTYPE = re.compile(r"\b(\w+)\s*\(")
_PARAMETER = re.compile(r"[@\\]param\s*(?:\[[^\]]*\])?\s*(\w+)\s+(.*?)(?=[@\\]param|\Z)", re.S)


_MATRIX = re.compile(r"\\left\[(.*?)\\right\]", re.S)
_REMARKS = re.compile(r",?\s*\b(?:where|However|with|The (?:vectors|matrices))\b.*", re.S)
_LONGEST_FORMULA = 220


@dataclass(frozen=True)
class Documentation:
    """Words of a header about one entry point.

    Attributes:
        text: What it does, one paragraph.
        formula: Its formula as typed, or nothing.
        parameters: Parameter: what it is.
    """

    text: str
    formula: str = ""
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        """What it does with its formula, in one clause; nothing where no words can be had."""
        words = self.text
        introduced = words.endswith(":")
        formula = self.plain_formula
        if "\\" in words or (len(words) <= 15 and not (introduced and formula)):
            return ""
        words = words.rstrip(":. ")
        if formula and formula not in words and words not in formula:
            return f"{words}: {formula}" if introduced else f"{words} ({formula})"
        if introduced and not formula:  # what the last sentence announces is not there
            sentences = re.split(r"(?<=[.)])\s+(?=[A-Z])", words)
            words = " ".join(sentences[:-1]).rstrip(". ")
        return words

    @property
    def plain_formula(self) -> str:
        """The formula without remarks; nothing where it is long or typesetting is left in it."""
        text = _REMARKS.sub("", self.formula).strip(" ,.;")
        if len(text) > _LONGEST_FORMULA or re.search(r"[\\&]|\^(?=\s|$)", text):
            return ""
        return text


def read_header(text: str) -> dict[str, Documentation]:
    """Documentation by function name; a block counts for all prototypes up to the next block."""
    found: dict[str, Documentation] = {}
    blocks = list(_BLOCK.finditer(text))
    for index, block in enumerate(blocks):
        end = blocks[index + 1].start() if index + 1 < len(blocks) else len(text)
        if "\\brief" not in block[1] and "@brief" not in block[1]:
            continue
        read = _read(block[1])
        for match in _PROTOTYPE.finditer(text[block.end() : end]):
            if re.match(r"[a-z]+_\w+$", match[1]):
                found.setdefault(match[1], read)
    return found


def _read(block: str) -> Documentation:
    bare = re.sub(r"^\s*\*", "", block, flags=re.M)
    head = re.split(r"[@\\]param", bare)[0]
    brief = re.search(r"[@\\]brief(.*?)(?=[@\\]details|\Z)", head, re.S)
    details = re.search(r"[@\\]details(.*)", head, re.S)
    lead = _clean(brief[1]) if brief else ""
    rest = details[1] if details else ""
    paragraphs = [p for p in re.split(r"\n\s*\n", rest) if p.strip()]
    formula = ""
    words = "" if re.search(r"BLAS (?:Level|EX)|API|auxiliary", lead) else lead
    for paragraph in paragraphs:
        announced = words.endswith(":") and re.search(r"\S\s+=\s+\S", paragraph)
        if not formula and (announced or re.search(r"\\f\[|:=|^\s+\w+\s*=", paragraph)):
            formula = _clean(_alternatives(paragraph))
            if not words:
                words = formula
        elif not words and not paragraph.strip().startswith("("):
            words = _clean(paragraph)
    parameters = {
        name: _clean(re.sub(r"^\s*\[[^\]]*\]", "", what)) for name, what in _PARAMETER.findall(bare)
    }
    return Documentation(words, formula, parameters)


def _alternatives(paragraph: str) -> str:
    """A paragraph of formulas; ``or`` between lines that say what one and the same thing is."""
    rows = [row for row in paragraph.split("\n") if row.strip()]
    left = {match[1] if (match := re.match(r"\s*(\w+)\s*:?=", row)) else "" for row in rows}
    same = len(rows) > 1 and len(left) == 1 and "" not in left
    if any("\\" in row for row in rows):
        return paragraph
    if same and not any(re.search(r"(?:,|\bor|\band)\s*$", row) for row in rows):
        return ", or ".join(row.strip() for row in rows)
    return _equations(rows)


def _equations(rows: list[str]) -> str:
    """Rows of a formula in one line: each equation of its own, and each further case of one."""
    text = ""
    for row in rows:
        bare = row.strip()
        if not text or re.search(r"(?:[,;:]|\b(?:or|and))$", text, re.I):
            mark = " "
        elif re.match(r"=(?!=)", bare):
            mark = ", "
        else:
            mark = "; " if re.match(r"\w+\s*:?=(?!=)", bare) else " "
        text += (mark if text else "") + bare
    return text


def _clean(text: str) -> str:
    text = re.sub(r'[@\\]ref\s+\w+\s+"([^"]*)"', r"\1", text)
    text = re.sub(r"\\(?:cdots|ldots|dots)\b", "...", text)
    text = re.sub(r"\\begin\{[^}]*\}(?:\{[^}]*\})?|\\end\{[^}]*\}", " ", text)
    text = re.sub(r"\\(?:text|mathrm)\{([^{}]*)\}", r" \1 ", text)
    text = re.sub(r"\^\{\s*\}", "", text)
    text = re.sub(r"([_^])\{\s*([^{}]*?)\s*\}", r"\1\2", text)
    text = _MATRIX.sub(_in_a_line, text)
    text = re.sub(r"\\(lambda|alpha|beta|tau|gamma|sigma|mu)(?![a-z])", r"\1", text)
    text = re.sub(r"(?<=\s)&(?=\s)|\\\\(?=\s)", " ", text)
    text = re.sub(
        r"<[^>]*>|\\f[\[\]$]|\\begin\{[^}]*\}(?:\{[^}]*\})?|\\end\{[^}]*\}|[@{}]", " ", text
    )
    text = re.sub(r"\\(?:text|mathrm)\b|\\[,;!]", " ", text)
    text = text.replace("\\times", "x").replace("\\cdot", "*").replace("\\alpha", "alpha")
    text = text.replace("\\beta", "beta").replace("\\leq", "<=").replace("\\:", " ")
    return re.sub(r"\s+", " ", text).strip()


def _in_a_line(match: re.Match[str]) -> str:
    """A matrix as ``[first row; second row]``, its elements with commas between them."""
    rows = [", ".join(part.strip() for part in row.split("&")) for row in match[1].split("\\\\")]
    return f"[{'; '.join(row.strip() for row in rows if row.strip())}]"
