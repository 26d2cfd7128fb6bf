"""Products of sizes in an index that are computed in 32 bits although the sizes may be large."""

from __future__ import annotations

from extractor.facts.device.kernel import KernelReader
from extractor.facts.device.polynomial import Monomial, Polynomial
from extractor.facts.device.record import Access, Loop


def narrow_product(reader: KernelReader, access: Access, index: Polynomial) -> str | None:
    """A product of two sizes that the index has as a term and that was computed in 32 bits.

    Only what stands in the access's own expression counts, so that its type is certain. One factor
    has to be a parameter, and another one a parameter, a number of a block, or a loop variable that
    a parameter bounds: what template constants or the threads of a block bound stays small.

    Returns:
        The product; ``None`` where there is none.
    """
    for product in access.narrow:
        for monomial in product.terms:
            if monomial in index.terms and _large(reader, access.loops, monomial):
                return product.text
    return None


def _large(reader: KernelReader, loops: tuple[Loop, ...], monomial: Monomial) -> bool:
    parameters = [name for name in monomial if _parameter(reader, name)]
    others = [
        name
        for name in monomial
        if name.startswith("blockIdx.") or any(_grows(reader, loop, name) for loop in loops)
    ]
    return len(parameters) > 1 or bool(parameters and others)


def _parameter(reader: KernelReader, name: str) -> bool:
    return reader.symbols.atoms[name].kind == "parameter"


def _grows(reader: KernelReader, loop: Loop, name: str) -> bool:
    return (
        loop.symbol == name
        and loop.limit is not None
        and any(_parameter(reader, atom) for atom in reader.symbols.closure([loop.limit]))
    )
