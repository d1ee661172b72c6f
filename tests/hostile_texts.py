"""Texts that tokenizers and C strings have stumbled over."""

HOSTILE = {
    "NUL": "before\0after",
    "a ligature of eighteen letters": "\ufdfa" * 300,
    "emoji": "🙂👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "a long text": "The harbour budget was discussed again. " * 500,
    "a long word": "x" * 20_000,
    "right to left": "\u202e\u05e9\u05dc\u05d5\u05dd\u202c and back",
    "nothing to see": "\u200b",
    "half of a pair": "cut \ud83d off",
    "stacked marks": "e\u0301" * 200 + "Z\u0351\u036b\u0343" * 50,
}
