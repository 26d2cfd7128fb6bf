"""Texts with names and numbers blanked, and how alike two texts are."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from datasketch import MinHash, MinHashLSH

from qa.text.prose import sentences, words

_PERMUTATIONS = 64
_SHINGLE = 5
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_CODE_WORD = re.compile(
    r"`[^`]*`|\b[A-Za-z]\w*(?:::\w+)+|\b\w*_\w+|\b[a-z]+[A-Z]\w*|\b\w*\d\w*\b|[0-9]+"
)


def skeleton(text: str) -> str:
    """The text with names, code and numbers blanked, white space folded."""
    blanked = _CODE_WORD.sub("#", text)
    return re.sub(r"\s+", " ", re.sub(r"#(?:[\s,.()*/+<>=:;-]*#)*", "#", blanked)).strip().lower()


def code_skeleton(text: str) -> str:
    """Code with names and numbers blanked and comments left out."""
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    keep = re.compile(r"\b(?:if|for|while|return|else|switch|case|const|auto|template|typename)\b")

    def blank(match: re.Match[str]) -> str:
        return match[0] if keep.fullmatch(match[0]) else "#"

    return re.sub(r"\s+", " ", re.sub(r"\b\w+\b", blank, bare)).strip()


def shared_share(skeletons: Sequence[str]) -> float:
    """Share of texts whose skeleton another text has as well."""
    counts = Counter(skeletons)
    same = sum(count for count in counts.values() if count > 1)
    return same / len(skeletons) if skeletons else 0.0


def sentence_share(
    texts: Iterable[str], minimum_words: int = 6
) -> tuple[float, list[tuple[str, int]]]:
    """Share of sentences whose skeleton occurs more than once, and the commonest skeletons."""
    counts: Counter[str] = Counter()
    for text in texts:
        for sentence in sentences(text):
            blanked = skeleton(sentence)
            if len(blanked.split()) >= minimum_words:
                counts[blanked] += 1
    total = sum(counts.values())
    same = sum(count for count in counts.values() if count > 1)
    return (same / total if total else 0.0), counts.most_common(20)


def _shingles(text: str) -> set[bytes]:
    tokens = words(_ARTICLE.sub(" ", text))
    if len(tokens) < _SHINGLE:
        return {" ".join(tokens).encode()}
    return {" ".join(tokens[i : i + _SHINGLE]).encode() for i in range(len(tokens) - _SHINGLE + 1)}


class NearDuplicates:
    """Finds texts that are nearly one that came before.

    Args:
        threshold: Jaccard similarity of five-word shingles from which two texts are the same.
    """

    def __init__(self, threshold: float = 0.85) -> None:
        self.threshold = threshold
        self._index = MinHashLSH(threshold=threshold - 0.05, num_perm=_PERMUTATIONS)
        self._texts: dict[str, set[bytes]] = {}
        self._skeletons: defaultdict[str, list[str]] = defaultdict(list)

    def seen(self, key: str, text: str, blanked: str) -> tuple[str, str] | None:
        """An earlier text's key and how it is alike, else ``None`` and the text is remembered."""
        if self._skeletons[blanked]:
            return self._skeletons[blanked][0], "same text but for names and numbers"
        grams = _shingles(text)
        sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
        sketch.update_batch(sorted(grams))
        for other in sorted(self._index.query(sketch)):
            theirs = self._texts[other]
            alike = len(grams & theirs) / max(1, len(grams | theirs))
            if alike >= self.threshold:
                return other, f"{alike:.2f} of its word sequences shared"
        self._index.insert(key, sketch)
        self._texts[key] = grams
        self._skeletons[blanked].append(key)
        return None
