"""Words that make another statement of a sentence: numbers, months and days, negations.

Folded, of the languages that stop words are known of and some more. What is written like a common
word of another of them is left out, or told apart by what stands beside it.
"""

# ruff: noqa: RUF001 - Cyrillic letters that look like Latin ones

from metacortex.domain.words.folding import folded

_NUMBERS = """
two three four five six seven eight nine ten eleven twelve
zwei drei vier fünf sechs sieben acht neun zehn - zwölf
deux trois quatre cinq - - huit - dix onze douze
dos tres cuatro cinco seis siete ocho nueve diez - doce
dois três quatro - - sete oito nove dez - doze
- - quattro cinque - sette otto - dieci undici dodici
twee drie - vijf zes zeven - negen tien - twaalf
два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать
"""
"""From two to twelve: one is an article in most languages."""

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr - jun jul aug sep oct nov dec
januar februar märz - mai juni juli - - oktober - dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março - maio junho julho - setembro outubro novembro dezembro
gennaio febbraio - aprile maggio giugno luglio - settembre ottobre - dicembre
januari februari maart - mei - - augustus - - - -
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре
"""
_UNSURE_MONTHS = "may march mar mars mai mei sep dec jan jun"

_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
montags dienstags mittwochs donnerstags freitags samstags sonntags
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
segunda-feira terça-feira quarta-feira quinta-feira sexta-feira - -
lunedì martedì mercoledì giovedì venerdì sabato domenica
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
понедельник вторник среду четверг пятницу субботу воскресенье
"""

_DAYS = """
today tomorrow yesterday tonight heute gestern demain aujourd'hui hoy ayer hoje ontem amanhã oggi
domani ieri vandaag morgen gisteren сегодня завтра вчера
"""

_NEGATIONS = """
not no never none nobody nothing nowhere neither nor cannot without non
nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
ne jamais aucun aucune rien sans ni
nunca jamás ningún ninguna ninguno nadie nada sin tampoco
não nenhum nenhuma ninguém sem
nessuno nessuna nessun senza niente
niet geen nooit niets zonder
не нет ни никогда никто ничего нельзя без
لا ليس ليست لم لن بدون
नहीं मत बिना
안 못
"""
_BEFORE_YEARS = """
in since until till from by before after year im seit bis ab en depuis jusqu'en desde hasta em até
nel dal в с до
"""
_BEFORE_VERSIONS = "version versión versão versione release версия"

_GERMAN = "der das dem ist und wird für eine einen wir nicht im vom zur zum"
_BEFORE_NAMES_IN_GERMAN = "nach in aus bei von frau herr herrn dr"


def _words(table: str) -> frozenset[str]:
    return frozenset(map(folded, table.split()))


def _places(table: str, first: int) -> dict[str, str]:
    return {
        folded(word): str(place)
        for row in table.strip().splitlines()
        for place, word in enumerate(row.split(), start=first)
        if word != "-"
    }


NUMBERS = _places(_NUMBERS, 2)
"""The digits of each."""
MONTHS = _places(_MONTHS, 1)
"""The number of each."""
UNSURE_MONTHS = _words(_UNSURE_MONTHS)
"""Other words too: months only beside a number."""
DAYS = {**_places(_WEEKDAYS, 1), **{word: word for word in _words(_DAYS)}}
"""The number of each weekday; other days are themselves."""
NEGATIONS = _words(_NEGATIONS)
DATE_JOINTS = frozenset(["of", "de", "del", "the", "den", "der"])
"""What may stand between a day, its month and its year."""
BEFORE_YEARS = _words(_BEFORE_YEARS)
"""A number after these may be a year."""
BEFORE_VERSIONS = _words(_BEFORE_VERSIONS)
GERMAN = _words(_GERMAN)
"""Words that only German texts have."""
BEFORE_NAMES_IN_GERMAN = _words(_BEFORE_NAMES_IN_GERMAN)
"""Where every noun has a capital, what follows these is a name."""
