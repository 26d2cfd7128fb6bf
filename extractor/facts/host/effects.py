"""What a call can do besides return a value, read off the trees of everything it calls."""

from __future__ import annotations

from typing import Any

from extractor.facts.host.loops import walked

_ASSIGNMENTS = range(22, 33)


class Effects:
    """Whether functions launch kernels, and which members they write.

    Args:
        trees: By mangled symbol.

    Attributes:
        callees: Functions with a tree that a function calls or names.
        kernels: Launch stub and name of each kernel that a function itself launches.
    """

    def __init__(self, trees: dict[str, dict[str, Any]]) -> None:
        self._launches: set[str] = set()
        self._members: dict[str, set[str]] = {}
        self.callees: dict[str, set[str]] = {}
        self.kernels: dict[str, list[tuple[str, str]]] = {}
        for symbol, tree in trees.items():
            for node in walked(tree["body"]):
                if node[0] == "launch":
                    self._launches.add(symbol)
                    self.kernels.setdefault(symbol, []).append((node[3], node[4]))
            called, members = _done(tree["body"])
            self.callees[symbol] = called & trees.keys()
            self._members[symbol] = members
        self._close()

    def _close(self) -> None:
        callers: dict[str, list[str]] = {}
        for symbol, called in self.callees.items():
            for callee in called:
                callers.setdefault(callee, []).append(symbol)
        pending = list(self._launches)
        while pending:
            for caller in callers.get(pending.pop(), ()):
                if caller not in self._launches:
                    self._launches.add(caller)
                    pending.append(caller)
        pending = [symbol for symbol, members in self._members.items() if members]
        while pending:
            symbol = pending.pop()
            for caller in callers.get(symbol, ()):
                if not self._members[symbol] <= self._members[caller]:
                    self._members[caller] |= self._members[symbol]
                    pending.append(caller)

    def launches(self, symbol: str) -> bool:
        """Whether a call can lead to a launch."""
        return symbol in self._launches

    def members(self, symbol: str) -> set[str]:
        """Names of members that a call can write."""
        return self._members.get(symbol, set())

    def written(self, nodes: Any) -> frozenset[str]:
        """Names of members that some statements, and what they call, can write."""
        called, members = _done(nodes)
        return frozenset(members).union(*(self.members(symbol) for symbol in called))


def _done(nodes: Any) -> tuple[set[str], set[str]]:
    """Functions that statements call or name, and members that they themselves write."""
    called, members = set(), set()
    for node in walked(nodes):
        if node[0] == "call" and len(node) == 9:
            called.add(node[3])
            for index in node[7]:
                if index < len(node[6]) and node[6][index][0] == "m":
                    members.add(node[6][index][1])
        elif node[0] == "fn":
            called.add(node[1])
        elif _writes_member(node):
            members.add(node[3][1])
    return called, members


def _writes_member(node: list[Any]) -> bool:
    return bool(
        node[0] == "b"
        and len(node) == 5
        and node[1] in _ASSIGNMENTS
        and node[3][0] == "m"
        and node[3][3] is not None
    )
