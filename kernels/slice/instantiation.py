"""How an instantiation is spelled in C++: to ask for its address, and to instantiate it."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.demangle import demangle

_UNNAMED = "(anonymous namespace)::"
_OPEN, _CLOSE = "<([{", ">)]}"


@dataclass(frozen=True)
class Spelling:
    """A function in parts.

    Attributes:
        name: Qualified, with template arguments.
        parameters: Parameter list in parentheses.
        template: Whether it is an instantiation of a template.
    """

    name: str
    parameters: str
    template: bool

    @property
    def address(self) -> str:
        """An expression for its address."""
        if not self.parameters:  # of C linkage: there is only one of that name
            return f"&{self.name}"
        return f"static_cast<void (*){self.parameters}>(&{self.name})"

    def instantiate(self, *, qualified: bool = True) -> str:
        """Its explicit instantiation.

        Args:
            qualified: With its namespaces.
        """
        name = self.name if qualified else self.name[_last_scope(self.name) :]
        return f"template __global__ void {name}{self.parameters};"


def spelling_of(symbol: str) -> Spelling:
    """Spells a kernel by its mangled symbol.

    Example:
        >>> spelling_of("_Z4kernILi256EfEvPT0_").name
        'kern<256, float>'
    """
    text = demangle(symbol).replace(_UNNAMED, "")
    start = _parameters(text)
    name, parameters = text[:start], text[start:]
    # Only what comes from a template is mangled with its return type.
    template = name.endswith(">")
    return Spelling(name.removeprefix("void "), parameters, template)


def _parameters(text: str) -> int:
    """Where the parameter list begins: the last group in parentheses at the top."""
    depth, start = 0, len(text)
    for index, character in enumerate(text):
        if character in _OPEN:
            if character == "(" and depth == 0:
                start = index
            depth += 1
        elif character in _CLOSE and not (character == ">" and text[index - 1] == "-"):
            depth -= 1
    return start


def _last_scope(name: str) -> int:
    """Where the plain name begins."""
    depth, start = 0, 0
    for index, character in enumerate(name):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth == 0 and name[index : index + 2] == "::":
            start = index + 2
    return start
