"""Which column a node stands in: strongly connected components, then longest paths.

Every rank (entry point, host, launcher, kernel, device, boundary) owns a run of columns, so that a
kind is always found in the same place; within a rank a caller stands left of what it calls. The
members of a cycle share a column.
"""

from __future__ import annotations

from collections.abc import Sequence


def components(count: int, after: Sequence[Sequence[int]]) -> list[int]:
    """Numbers the strongly connected components so that callees have smaller numbers.

    Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), without recursion.

    Args:
        count: Number of nodes.
        after: For each node, the nodes it points to.

    Returns:
        For each node the number of its component.
    """
    index = [-1] * count
    low = [0] * count
    component = [-1] * count
    stack: list[int] = []
    visited = found = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                index[node] = low[node] = visited
                visited += 1
                stack.append(node)
            targets = after[node]
            descended = False
            while position < len(targets):
                target = targets[position]
                position += 1
                if index[target] < 0:
                    work.append((node, position))
                    work.append((target, 0))
                    descended = True
                    break
                if component[target] < 0:
                    low[node] = min(low[node], index[target])
            if descended:
                continue
            if low[node] == index[node]:
                while True:
                    member = stack.pop()
                    component[member] = found
                    if member == node:
                        break
                found += 1
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
    return component


def layers(ranks: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[int]:
    """Assigns columns.

    Args:
        ranks: For each node the rank that its kind fixes, from 0.
        edges: (caller, callee) pairs of nodes.

    Returns:
        For each node its column, from 0, without empty columns.
    """
    count = len(ranks)
    after: list[list[int]] = [[] for _ in range(count)]
    for caller, callee in sorted(set(edges)):
        if caller != callee and ranks[caller] == ranks[callee]:
            after[caller].append(callee)
    component = components(count, after)
    depth = [0] * (max(component, default=-1) + 1)
    members: list[list[int]] = [[] for _ in depth]
    for node in range(count):
        members[component[node]].append(node)
    for number in range(len(depth) - 1, -1, -1):
        for node in members[number]:
            for callee in after[node]:
                if component[callee] != number:
                    depth[component[callee]] = max(depth[component[callee]], depth[number] + 1)
    columns = sorted({(ranks[node], depth[component[node]]) for node in range(count)})
    column = {place: index for index, place in enumerate(columns)}
    return [column[ranks[node], depth[component[node]]] for node in range(count)]
