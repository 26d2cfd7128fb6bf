"""Texts with names and numbers blanked, and how alike two texts are."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from qa.text.prose import sentences, words

_SKETCH = 24
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


def _shingles(text: str) -> set[int]:
    tokens = words(_ARTICLE.sub(" ", text))
    count = max(1, len(tokens) - _SHINGLE + 1)
    return {_hash(" ".join(tokens[i : i + _SHINGLE])) for i in range(count)}


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


class NearDuplicates:
    """Finds texts that are nearly one that came before.

    Candidates share members of their bottom-k sketches (the smallest hashes of their shingles, as
    in Broder, "On the resemblance and containment of documents", 1997); candidates are compared
    exactly.

    Args:
        threshold: Jaccard similarity of five-word shingles from which two texts are the same.
    """

    def __init__(self, threshold: float = 0.85) -> None:
        self.threshold = threshold
        self._texts: dict[str, set[int]] = {}
        self._holders: defaultdict[int, list[str]] = defaultdict(list)
        self._skeletons: dict[str, str] = {}

    def seen(self, key: str, text: str, blanked: str) -> tuple[str, str] | None:
        """An earlier text's key and how it is alike, else ``None`` and the text is remembered."""
        if blanked in self._skeletons:
            return self._skeletons[blanked], "same text but for names and numbers"
        grams = _shingles(text)
        sketch = sorted(grams)[:_SKETCH]
        shared = Counter(other for gram in sketch for other in self._holders[gram])
        for other, count in sorted(shared.items()):
            if count * 3 < len(sketch):
                continue
            theirs = self._texts[other]
            alike = len(grams & theirs) / len(grams | theirs)
            if alike >= self.threshold:
                return other, f"{alike:.2f} of its word sequences shared"
        for gram in sketch:
            self._holders[gram].append(key)
        self._texts[key] = grams
        self._skeletons[blanked] = key
        return None
