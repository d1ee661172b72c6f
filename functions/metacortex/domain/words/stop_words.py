"""Words that say nothing about what is asked for.

Those of other languages than English are here only where no English word, name or sign is written
alike: a text is not asked which language it is in, and how rare a word is tells the rest.
"""

# ruff: noqa: RUF001 - Cyrillic letters that look like Latin ones

from metacortex.domain.words.folding import folded

_WORDS = """
a an the this that these those and or but so if than then there here of to in on for with at by
from as into about not no is are was were be been am do does did doing have has had having will
would can could should may might must just i you he she it we they me him her us them my your his
its our their what when where who whom whose which why how
im ive id ill youre youve youll youd hes shes weve theyre theyve dont doesnt didnt isnt arent wasnt
werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt thats theres whats whos wheres hows

der das ein eine einen einem einer eines und oder aber nicht ist sind waren wird wurde wurden haben
hatte ich wir ihr sich mein dein unser von vom zum zur auf für wann wo wer wie warum welche welcher
welches welchen

les une et ou mais sont était étaient être avoir avait elle nous vous ils elles leur leurs dans avec
qui que quoi quand où pourquoi quel quelle quels quelles

los las una unos unas pero fue ser hay ella nosotros ellos para qué cuándo dónde quién cómo cuál
cuáles

uma uns umas são foi eles nós meu minha seu sua pelo pela quando onde quem como qual quais

gli uno sono noi loro nel della delle che chi dove perché quale quali

het een niet zijn jij hij wij zij voor wanneer waar waarom

и или но не в на с к о у по за из от до для что кто где когда как почему какой какая какие это я ты
он она мы вы они мой твой его её их был была было были есть
"""

STOP_WORDS = frozenset(map(folded, _WORDS.split()))
"""Folded, not stemmed."""
