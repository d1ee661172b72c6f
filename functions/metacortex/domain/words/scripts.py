"""Scripts that put no space between words, and signs that are words by themselves.

A run of such a script is read as all pairs of its neighbouring letters: what stands in a text in a
row stands there in the query, too, wherever a dictionary would cut.
"""

import re
from itertools import pairwise

_IDEOGRAPHS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_SOUTH_EAST = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
)
_EMOJI = "\u2190-\u24ff\u25a0-\u2bff\u3030\u303d\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"

APART = re.compile(f"([{_IDEOGRAPHS}{_KANA}]+|[{_HANGUL}]+|[{_SOUTH_EAST}]+|{_FLAG}|[{_EMOJI}])")
"""One run of what has no spaces around it; splitting by it leaves the rest between the runs."""

_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_HANGUL_RUN = re.compile(f"[{_HANGUL}]")
_SIGN = re.compile(f"{_FLAG}|[{_EMOJI}]")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")
_WITH_MARKS = re.compile(f"[{_SOUTH_EAST}]")
_ABOVE_AND_BELOW = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3"
)
_CLUSTER = re.compile(f"[{_SOUTH_EAST}][{_ABOVE_AND_BELOW}]*|.")
"""A letter with the vowels and tones that stand above, below and after it."""


def grams(run: str) -> list[str]:
    """Return the terms of one run that `APART` found: every pair of neighbours, or all of it where
    it has no pair.
    """
    if _SIGN.match(run):
        return [] if _SKIN.match(run) else [run]
    letters = _CLUSTER.findall(run) if _WITH_MARKS.match(run) else run
    return [one + other for one, other in pairwise(letters)] or [run]


def alone(run: str) -> list[str]:
    """Return what of a run may be asked for alone: each ideograph, and the beginning of a Korean
    word, whose end is often a particle.
    """
    if len(run) == 1:
        return []
    return [run[0]] if _HANGUL_RUN.match(run) else _IDEOGRAPH.findall(run)
