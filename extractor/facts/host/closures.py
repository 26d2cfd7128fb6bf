"""What the facts of a host function depend on: its own tree and those of all that it calls."""

from __future__ import annotations

import hashlib

from extractor.facts.host.program import HostProgram


class Closures:
    """Digests of functions together with everything below them.

    Args:
        program: The host side of a configuration.
    """

    def __init__(self, program: HostProgram) -> None:
        self._program = program
        self._effects = program.trees.effects
        self._own: dict[str, bytes] = {}
        self._files: dict[str, bytes] = {}

    def digest(self, index: int) -> bytes:
        """Changes with anything that facts of a node of the host graph could say."""
        symbol = self._program.graph.host.nodes[index].symbol
        found, pending = {symbol}, [symbol]
        while pending:
            for callee in self._effects.callees.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        digest = hashlib.blake2b(digest_size=20)
        for one in sorted(found):
            digest.update(self._alone(one))
        return digest.digest()

    def _alone(self, symbol: str) -> bytes:
        known = self._own.get(symbol)
        if known is None:
            digest = hashlib.blake2b(symbol.encode(), digest_size=20)
            digest.update(self._program.bodies.digests.get(symbol, b""))
            tree = self._program.trees.trees.get(symbol)
            if tree is not None:
                digest.update(self._file(tree["file"]))
            for stub, name in self._effects.kernels.get(symbol, ()):
                digest.update("\0".join(self._program.kernel(stub, name)).encode())
            known = self._own[symbol] = digest.digest()
        return known

    def _file(self, file: str) -> bytes:
        # Spans carry a hash of their lines.
        known = self._files.get(file)
        if known is None:
            lines = self._program.project.text.lines(file)
            known = self._files[file] = hashlib.blake2b(b"".join(lines), digest_size=20).digest()
        return known
