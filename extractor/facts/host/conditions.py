"""Conjunctions of conditions, simplified: what is implied is dropped, what cannot be is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from extractor.facts.host import expression as ex
from extractor.facts.host.expression import FALSE, TRUE, Expression

Conjunction = tuple[Expression, ...]


def parts(x: Expression) -> list[Expression]:
    """The conditions that ``&&`` joins."""
    if x[0] == "b" and x[1] == "&&":
        return [*parts(x[3]), *parts(x[4])]
    return [x]


def alternatives(x: Expression) -> list[Expression]:
    """The conditions that ``||`` joins."""
    if x[0] == "b" and x[1] == "||":
        return [*alternatives(x[3]), *alternatives(x[4])]
    return [x]


def joined(conditions: Iterable[Expression]) -> Expression:
    """One condition that says all of them."""
    result = TRUE
    for condition in conditions:
        result = ex.binary("&&", "b", result, condition)
    return result


def either(conditions: Iterable[Expression]) -> Expression:
    """One condition that says any of them."""
    result = FALSE
    for condition in conditions:
        result = ex.binary("||", "b", result, condition)
    return result


def conjoin(known: Conjunction, *more: Expression) -> Conjunction | None:
    """Adds conditions to a conjunction.

    Returns:
        The conjunction, each condition once and none that others imply, in the order added;
        ``None`` where it can never hold.
    """
    result = list(known)
    about = [subjects(other) for other in result]
    pending = [part for condition in more for part in parts(condition)]
    while pending:
        condition = pending.pop(0)
        own = subjects(condition)
        reduced = _reduced(
            condition, [r for r, s in zip(result, about, strict=True) if not own.isdisjoint(s)]
        )
        if reduced == TRUE:
            continue
        if reduced == FALSE:
            return None
        pieces = parts(reduced)
        if len(pieces) > 1:
            pending[:0] = pieces
            continue
        kept, own = [], subjects(reduced)
        for other, theirs in zip(result, about, strict=True):
            if own.isdisjoint(theirs):
                kept.append(other)
                continue
            again = _reduced(other, [reduced])
            if again == FALSE:
                return None
            if again == other:
                kept.append(other)
            elif again != TRUE:
                pending[:0] = parts(again)
        result = [*kept, reduced]
        about = [subjects(other) for other in result]
    return tuple(result)


def excluded(known: Conjunction, condition: Expression) -> bool:
    """Whether conditions exclude another for good: not by what may have been written meanwhile."""
    steady = (one for one in (*known, condition) if not moving(one))
    return conjoin((), *steady) is None


@lru_cache(maxsize=100_000)
def moving(x: object) -> bool:
    """Whether an expression speaks of members, of what pointers refer to or of calls."""
    if not isinstance(x, tuple):
        return False
    if x and (x[0] in ("m", "i", "call", "x", "g") or (x[0] == "u" and x[1] == "*")):
        return True
    return any(map(moving, x))


_SUBJECTS: dict[int, tuple[Expression, frozenset[int]]] = {}
_ABSORBED: dict[int, Expression] = {}
_MOST_SUBJECTS = 200_000


def subjects(x: Expression) -> frozenset[int]:
    """Marks of what a condition speaks about; conditions without a common one say nothing of each
    other, neither by being equal or opposite nor by bounds of the same value."""
    known = _SUBJECTS.get(id(x))
    if known is not None:
        return known[1]
    if x[0] == "b" and x[1] in ("&&", "||"):
        marks = subjects(x[3]) | subjects(x[4])
    elif x[0] == "u" and x[1] == "!":
        marks = subjects(x[3])
    else:
        marks = frozenset([hash(x[3] if x[0] == "b" and x[1] in ex.COMPARISONS else x)])
    if len(_SUBJECTS) >= _MOST_SUBJECTS:
        _SUBJECTS.clear()
    # The condition is kept as well, so that its identity is not given away.
    _SUBJECTS[id(x)] = (x, marks)
    return marks


def settled(x: Expression, known: Sequence[Expression]) -> Expression:
    """An expression without the choices that known conditions make."""
    if not known or not _chooses(x):
        return x
    if x[0] == "?":
        test = _reduced(x[2], known)
        if test == TRUE:
            return settled(x[3], known)
        if test == FALSE:
            return settled(x[4], known)
        return ex.conditional(test, settled(x[3], known), settled(x[4], known), x[1])
    if x[0] == "b":
        return ex.binary(x[1], x[2], settled(x[3], known), settled(x[4], known))
    if x[0] == "c":
        return ex.converted(x[1], x[2], settled(x[3], known))
    if x[0] == "fn":
        return (*x[:3], tuple(settled(part, known) for part in x[3]))
    if x[0] == "dim":
        return ("dim", *(settled(part, known) for part in x[1:]))
    return x


@lru_cache(maxsize=100_000)
def _chooses(x: object) -> bool:
    if not isinstance(x, tuple):
        return False
    return bool(x and x[0] == "?") or any(_chooses(part) for part in x)


def _reduced(condition: Expression, known: Sequence[Expression]) -> Expression:
    """A condition as it reads where others are known to hold."""
    if condition[0] == "k":
        return condition
    if condition[0] == "b" and condition[1] == "||":
        rest: list[Expression] = []
        same = True
        for alternative in alternatives(condition):
            simpler = _conjoined(alternative, known)
            if simpler == TRUE:
                return TRUE
            if simpler == FALSE or simpler in rest:
                same = False
            else:
                same = same and simpler is alternative
                rest.append(simpler)
        kept = rest if same and id(condition) in _ABSORBED else _absorbed(rest)
        left = _resolved(kept, known)
        if same and kept is rest and left is rest:
            return condition
        result = either(left)
        if len(_ABSORBED) >= _MOST_SUBJECTS:
            _ABSORBED.clear()
        _ABSORBED[id(result)] = result
        return result
    for other in known:
        verdict = implied(other, condition)
        if verdict is not None:
            return ex.truth(verdict)
    return condition


def _conjoined(alternative: Expression, known: Sequence[Expression]) -> Expression:
    kept = []
    own = parts(alternative)
    for part in own:
        simpler = _reduced(part, known)
        if simpler == FALSE:
            return FALSE
        if simpler != TRUE:
            kept.append(simpler)
    if len(kept) == len(own) and all(a is b for a, b in zip(kept, own, strict=True)):
        return alternative
    return joined(kept)


def _absorbed(rest: list[Expression]) -> list[Expression]:
    """``a || (a && b)`` is ``a``, and ``a || (!a && b)`` is ``a || b``."""
    sets = [parts(alternative) for alternative in rest]
    singles = [s[0] for s in sets if len(s) == 1]
    opposites = [ex.negated(single) for single in singles]
    result = []
    for whole, alternative in zip(rest, sets, strict=True):
        if len(alternative) > 1:
            if any(single in alternative for single in singles):
                continue
            needed = [part for part in alternative if part not in opposites]
            result.append(whole if len(needed) == len(alternative) else joined(needed))
        else:
            result.append(whole)
    return result


def _resolved(rest: list[Expression], known: Sequence[Expression]) -> list[Expression]:
    """Where ``p || q`` holds, ``p || !q || r`` is ``p || r``."""
    for other in known:
        if other[0] != "b" or other[1] != "||":
            continue
        others = alternatives(other)
        for option in others:
            opposite = ex.negated(option)
            if opposite in rest and all(o in rest for o in others if o != option):
                rest = [r for r in rest if r != opposite]
    return rest


def implied(known: Expression, asked: Expression) -> bool | None:
    """What a condition that holds says about another: true, false or nothing."""
    if known == asked:
        return True
    if _opposite(known, asked):
        return False
    if known[0] != "b" or asked[0] != "b" or known[3] != asked[3]:
        return None
    first, second = _bound(known), _bound(asked)
    if first is None or second is None or first[0] != second[0]:
        return None
    (_, op, a), (_, wanted, b) = first, second
    if op == "==":
        return _holds(wanted, a, b)
    low, high = _range(op, a)
    if wanted == "==":
        if (low is not None and b < low) or (high is not None and b > high):
            return False
        return False if op == "!=" and a == b else None
    if wanted == "!=":
        if (low is not None and b < low) or (high is not None and b > high):
            return True
        return True if op == "!=" and a == b else None
    asked_low, asked_high = _range(wanted, b)
    if asked_low is not None:
        if low is not None and low >= asked_low:
            return True
        if high is not None and high < asked_low:
            return False
    if asked_high is not None:
        if high is not None and high <= asked_high:
            return True
        if low is not None and low > asked_high:
            return False
    return None


def _opposite(x: Expression, y: Expression) -> bool:
    """Whether one plain condition is the other's negation; what ``||`` joins is not looked at."""
    if x[0] == "u" and x[1] == "!":
        return bool(x[3] == y)
    if y[0] == "u" and y[1] == "!":
        return bool(y[3] == x)
    if x[0] != "b" or y[0] != "b" or ex.COMPARISONS.get(x[1]) != y[1]:
        return False
    return bool(x[3] == y[3] and x[4] == y[4] and ex.negated(x) == y)


def _bound(x: Expression) -> tuple[Expression, str, int] | None:
    if x[0] == "b" and x[1] in ex.COMPARISONS:
        value = ex.value_of(x[4])
        if value is not None and ex.type_of(x[3])[:1] in ("i", "u", "e", "b", "p"):
            return x[3], x[1], value
    return None


def _holds(op: str, a: int, b: int) -> bool:
    return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op]


def _range(op: str, a: int) -> tuple[int | None, int | None]:
    if op in (">", ">="):
        return (a + 1 if op == ">" else a), None
    if op in ("<", "<="):
        return None, (a - 1 if op == "<" else a)
    return None, None
