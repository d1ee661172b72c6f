"""Quantities: numbers with their units, and whether two of them can be one and the same.

A quantity may be read in more than one way (`1.000` is one or a thousand, a GB is decimal or
binary, `m` is metres or minutes): two agree if any readings do. A bound or range agrees with all
that it takes in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from metacortex.domain.knowledge.written_fractions import SLASH
from metacortex.domain.words.folding import folded
from metacortex.domain.words.telling_words import NUMBERS

_UNITS = """
time 1/1000 ms msec millisecond milliseconds millisekunde millisekunden
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos
time 60 min mins m minute minutes minuten minuto minutos
time 3600 h hr hrs hour hours stunde stunden heure heures hora horas
time 86400 d day days tag tage tagen jour jours dia dias
time 604800 w week weeks woche wochen semaine semaines semana semanas
time 2592000|2678400|2628000 month months monat monate monaten mois mes meses
time 31536000|31622400 y yr yrs year years jahr jahre jahren an ans annee annees ano anos
bytes 1 b byte bytes octet octets
bytes 1000|1024 kb
bytes 1024 kib
bytes 1000000|1048576|1024000 mb
bytes 1048576 mib
bytes 1000000000|1073741824|1024000000 gb
bytes 1073741824 gib
bytes 1000000000000|1099511627776|1024000000000 tb
bytes 1099511627776 tib
rate 1000 kbps
rate 1000000 mbps
rate 1000000000 gbps
frequency 1 hz
frequency 1000 khz
frequency 1000000 mhz
frequency 1000000000 ghz
length 1/1000 mm millimetre millimeter millimetres millimeters
length 1/100 cm centimetre centimeter centimetres centimeters zentimeter
length 1 m metre meter metres meters metros
length 1000 km kilometre kilometer kilometres kilometers kilometros
length 254/10000 inch inches zoll
length 3048/10000 ft foot feet
length 1609344/1000 mi mile miles
mass 1/1000000 mg milligram milligrams
mass 1/1000 g gram grams gramm
mass 1 kg kilo kilos kilogram kilograms kilogramm
mass 1000 t tonne tonnes
mass 45359237/100000000 lb lbs pound pounds
volume 1/1000 ml millilitre milliliter millilitres milliliters
volume 1/100 cl
volume 1 l litre liter litres liters litros
power 1 w watt watts
power 1000 kw kilowatt kilowatts
energy 1 wh
energy 1000 kwh
EUR 1 € eur euro euros
USD 1 $ usd dollar dollars
GBP 1 £ gbp
CHF 1 chf
number 1|1/100 % percent prozent
celsius 1 °c celsius
fahrenheit 1 °f fahrenheit
"""
_MULTIPLES = {
    "k": 1_000,
    "thousand": 1_000,
    "tausend": 1_000,
    "mil": 1_000,
    "mille": 1_000,
    "million": 1_000_000,
    "millions": 1_000_000,
    "mio": 1_000_000,
    "millionen": 1_000_000,
    "millones": 1_000_000,
    "bn": 1_000_000_000,
    "billion": 1_000_000_000,
    "milliarden": 1_000_000_000,
}
_AT_LEAST = "at least|no less than|more than|over|above|minimum|min|mindestens|au moins|>=|>|≥"
_AT_MOST = (
    "at most|no more than|up to|less than|fewer than|under|below|within|maximum|max"
    "|höchstens|bis zu|au plus|jusqu'à|hasta|<=|<|≤"
)
_ABOUT = "about|around|approximately|approx|roughly|circa|ca|etwa|rund|environ|~|≈"
_TOLERANCE = Fraction(1, 10)
"""How far about a number reaches."""
_ROUNDED = Fraction(1, 200)
"""How far two quantities in different units may lie apart."""
_WITHOUT_BOUND = Fraction(10**30)

_NUMERAL = (
    rf"[-+\u2212]?(?:\d+{SLASH}[1-9]\d*|"
    r"\d{1,3}(?:[,'\u202f ]\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d+(?:[.,]\d+)?e[-+]?\d\d?(?!\d)|\d+(?:[.,]\d+)*|\.\d+)"
)
"""What Python makes a number of, and soon: no denominator is zero, no exponent long."""
_UNIT = r"%|°\s?[cf]|[€$£]|[^\W\d_]+(?:\s?/\s?[^\W\d_]+| (?:per|pro|par|por) [^\W\d_]+)?"
QUANTITY = (
    rf"(?<![\w.,#/{SLASH}:@+-])(?:(?P<bound>{_AT_LEAST}|{_AT_MOST}|{_ABOUT})\.?\s*)?"
    rf"(?P<currency>[$€£])?\s?(?P<low>{_NUMERAL})"
    rf"(?:\s?(?:-|\u2013|to|bis|and)\s?(?P<high>{_NUMERAL}))?(?P<more>\+| or more)?"
    rf"(?:[\s-]?(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})(?!\w))?"
    rf"(?:[\s-]?(?P<unit>{_UNIT}))?(?![\w@/{SLASH}]|[.:,-]\w)"
)
"""Where a quantity stands in a text in lower case; what follows the number may be no unit."""


@dataclass(frozen=True, slots=True)
class Span:
    """One reading: from `low` to `high`, both included, in the first unit of its dimension."""

    dimension: str
    low: Fraction
    high: Fraction
    unit: Fraction = Fraction(1)
    """What its own unit is in the first of the dimension."""

    def meets(self, other: "Span") -> bool:
        """Whether a value can lie in both; what was converted by hand was rounded."""
        room = Fraction(0) if self.unit == other.unit else abs(self.low) * _ROUNDED
        return self.low - room <= other.high and other.low <= self.high + room


Quantity: TypeAlias = tuple[Span, ...]
"""All readings of one quantity."""

Factors: TypeAlias = tuple[tuple[str, Fraction], ...]
"""Dimensions with what one unit is in each."""

PLAIN = "number"
"""The dimension of a number without unit."""
_ONE: Factors = ((PLAIN, Fraction(1)),)


def _units() -> Mapping[str, Factors]:
    units: dict[str, Factors] = {}
    for row in _UNITS.strip().splitlines():
        dimension, factors, *names = row.split()
        ways = tuple((dimension, Fraction(factor)) for factor in factors.split("|"))
        for name in names:
            units[name] = (*units.get(name, ()), *ways)
    return units


UNITS = _units()


def quantity_of(found: re.Match[str]) -> tuple[Quantity, bool]:
    """Return the quantity that `QUANTITY` found, and whether the word behind it is its unit."""
    unit = found["unit"] or found["currency"]
    factors = factors_of(unit) if unit else None
    multiple = _MULTIPLES[found["multiple"]] if found["multiple"] else 1
    numbers = [value * multiple for value in readings_of(found["low"])]
    highs = [value * multiple for value in readings_of(found["high"])] if found["high"] else None
    spans = [
        _span(found, way, low, high)
        for way in factors or _ONE
        for low, high in zip(numbers, highs or numbers, strict=False)
    ]
    return tuple(map(_in_celsius, spans)), factors is not None


def agree(one: Quantity, other: Quantity) -> bool | None:
    """Whether two quantities can be the same, None where they measure different things."""
    one, other = _measured_as(one, other), _measured_as(other, one)
    pairs = [(a, b) for a in one for b in other if a.dimension == b.dimension]
    return any(a.meets(b) for a, b in pairs) if pairs else None


def measured_in(quantity: Quantity, unit: str) -> Quantity:
    """Return a number without unit as so many of this unit, any other as it is."""
    factors = UNITS.get(unit, _ONE)
    return _times(quantity, factors) if _is_plain(quantity) else quantity


def readings_of(numeral: str) -> Sequence[Fraction]:
    """Return the numbers that a numeral can stand for."""
    text = re.sub(r"['\u202f ]", "", numeral.replace("\u2212", "-"))
    if SLASH in text:
        return [Fraction(text.replace(SLASH, "/"))]
    if "e" in text:
        return [Fraction(text.replace(",", "."))]
    if re.fullmatch(r"[-+]?\d{1,3}(?:\.\d{3})+,\d+", text):
        return [Fraction(text.replace(".", "").replace(",", "."))]
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", text):
        return [Fraction(text.replace(",", ""))]
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}\.\d{3}", text):
        return [Fraction(text), Fraction(text.replace(".", ""))]
    whole, *parts = text.replace(",", ".").split(".")
    if len(parts) > 1:
        return [Fraction(whole + "".join(parts))]
    return [Fraction(f"{whole or 0}.{parts[0]}" if parts else whole)]


def with_digits(text: str) -> str:
    """Return a text in lower case with its written numbers, from zero to twelve, as digits."""
    return re.sub(r"[^\W\d_]+", lambda word: _DIGITS.get(folded(word[0]), word[0]), text)


def with_minutes(text: str) -> str:
    """Return a text with hours and minutes told as minutes: `1h 30min` is `90 min`."""
    return re.sub(
        r"(?<![\w.])(\d+)\s?h(?:(?:ou)?rs?)? ?(?:and )?(\d+)\s?m(?:in(?:ute)?s?)?(?!\w)",
        lambda told: f"{60 * int(told[1]) + int(told[2])} min",
        text,
    )


_DIGITS = {**NUMBERS, "zero": "0", "one": "1", "null": "0"}


def factors_of(unit: str) -> Factors | None:
    """Return what a unit is, None for a word that is none: `requests/s` is, `replicas` is not."""
    over = re.split(r"\s?/\s?| (?:per|pro|par|por) ", folded(unit).replace("° ", "°"), maxsplit=1)
    if len(over) == 1:
        return UNITS.get(over[0])
    times = [factor for dimension, factor in UNITS.get(over[1], ()) if dimension == "time"]
    counted = UNITS.get(over[0]) or ((over[0].removesuffix("s"), Fraction(1)),)
    ways = tuple((f"{name}/time", one / time) for name, one in counted for time in times)
    return ways or None


def _span(found: re.Match[str], way: tuple[str, Fraction], low: Fraction, high: Fraction) -> Span:
    dimension, factor = way
    low, high = sorted((low * factor, high * factor))
    bound = found["bound"] or ""
    if found["more"] or (bound and bound in _AT_LEAST.split("|")):
        high = _WITHOUT_BOUND
    elif bound in _AT_MOST.split("|"):
        low = -_WITHOUT_BOUND
    elif bound:
        low, high = low - abs(low) * _TOLERANCE, high + abs(high) * _TOLERANCE
    return Span(dimension, low, high, factor)


def _in_celsius(span: Span) -> Span:
    if span.dimension != "fahrenheit":
        return span
    low, high = ((each - 32) * Fraction(5, 9) for each in (span.low, span.high))
    return Span("celsius", low, high, Fraction(5, 9))


def _measured_as(quantity: Quantity, other: Quantity) -> Quantity:
    """Return a plain number in every unit of what the other one measures."""
    if not _is_plain(quantity) or _is_plain(other):
        return quantity
    dimensions = {span.dimension for span in other}
    ways = tuple(_in_dimensions(dimensions))
    return _times(quantity, ways or tuple((name, Fraction(1)) for name in dimensions))


def _in_dimensions(dimensions: set[str]) -> Iterator[tuple[str, Fraction]]:
    for ways in UNITS.values():
        yield from (way for way in ways if way[0] in dimensions)


def _is_plain(quantity: Quantity) -> bool:
    return all(span.dimension == PLAIN for span in quantity)


def _times(quantity: Quantity, factors: Factors) -> Quantity:
    return tuple(
        Span(dimension, span.low * factor, span.high * factor, factor)
        for span in quantity
        for dimension, factor in factors
    )
