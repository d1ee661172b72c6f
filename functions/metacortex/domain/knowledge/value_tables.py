"""The documented tables of values: words that exclude each other, and words that are one.

English, with some German, French and Spanish. Words are compared by their stems, so each stands
here in one form. `metacortex.domain.knowledge.vocabulary` reads them, with what a tenant adds.
"""

ANTONYMS = """
enabled active activated on | disabled inactive deactivated off
allowed permitted | forbidden prohibited denied banned disallowed
required mandatory compulsory | optional voluntary
asynchronous async | synchronous sync
public | private confidential secret
internal | external
manual manually | automatic automatically automated
stateful | stateless
mutable | immutable
open opened | closed shut
up | down
online | offline
strong | weak
high | low
hot warm | cold
fast quick | slow
big large | small little tiny
safe | dangerous unsafe
permanent | temporary
local | remote
primary | secondary
pass passed succeeded success | fail failed failure
approved accepted | rejected declined
left | right
north | south
east | west
single unmarried | married
alive living | dead deceased
full | empty
positive | negative
optimistic | pessimistic
eager | lazy
static | dynamic
ascending | descending
horizontal | vertical
encrypted ciphertext | plaintext cleartext unencrypted
sequential serial | parallel concurrent
centralized | decentralized distributed
monolith monolithic | microservice
paid | free unpaid gratis
full | part
read | write
only | write
in | out
early | late
indoor indoors | outdoor outdoors
present | absent
all | none
strict | lenient
healthy | sick ill
happy | sad
verbose | quiet
wet | dry
locked | unlocked
visible shown | hidden
known | unknown
available | unavailable
reachable | unreachable
clockwise | counterclockwise anticlockwise
relational | nosql
vegetarian vegan | carnivore
odd | even
day | night
morning | evening
sharp | blunt
sweet | sour
soft | hard
wired | wireless
beginner novice junior | advanced expert senior
rough | smooth
rich | poor
rural | urban
domestic | foreign
major | minor
profit | loss
guilty | innocent
cheap | expensive
clean | dirty
calm | nervous
busy | idle
occupied | vacant free
true | false
clear | cloudy
rigid | flexible
narrow | wide broad
long | short
young new | old
simple | complex
lossy | lossless
volatile | persistent
interactive batch | noninteractive
ephemeral | durable persistent
bullish | bearish
introverted | extroverted
victory won win | defeat lost lose
refundable | nonrefundable
fixed | variable floating
original | copy
front | back rear
above | below
inside | outside
import | export
buyer | seller
mono | stereo
analog analogue | digital
sober | drunk
opted opt | declined
light | dark heavy
thick | thin
deep | shallow
increase increasing rising | decrease decreasing falling
supported | unsupported deprecated
begin | end
inbound incoming ingress | outbound outgoing egress
ein an eingeschaltet | ausgeschaltet aus
nass feucht | trocken
voll | leer
laut | leise
aktiv aktiviert | inaktiv deaktiviert
erlaubt zulässig | verboten unzulässig
offen geöffnet | geschlossen zu
öffentlich | privat vertraulich
ledig | verheiratet
warm heiß | kalt
verpflichtend pflicht | optional freiwillig
automatisch | manuell
schnell | langsam
groß | klein
intern | extern
synchron | asynchron
activé actif | désactivé inactif
ouvert | fermé
autorisé permis | interdit
publique public | privé
obligatoire | facultatif
automatique | manuel
rapide | lent
chaud | froid
activado activo encendido | desactivado inactivo apagado
abierto | cerrado
permitido | prohibido
público | privado
obligatorio | opcional facultativo
automático | manual
rápido | lento
caliente | frío
lleno | vacío
soltero | casado
vivo | muerto
plein | vide
célibataire | marié
allumé | éteint
"""
"""Each line: words that exclude those behind the bar."""

OPPOSITE_BEGINNINGS = ("un", "in", "im", "ir", "il", "dis", "de", "non", "anti", "dés", "des")
"""What makes a word the opposite of the rest of it: `immutable`."""

SYNONYMS = """
postgresql postgres pg psql
kubernetes k8s
javascript js
typescript ts
python py python3
golang go
mongodb mongo
elasticsearch elastic
production prod
development dev
staging stage
repository repo
database db
authentication auth authn
configuration config
enabled on
disabled off
asynchronous async
synchronous sync
required mandatory compulsory obligatory
forbidden prohibited disallowed banned
allowed permitted
large big
small little
fast quick rapid
car automobile
doctor physician dr
usa us
uk gb britain
nyc ny
english en englisch anglais inglés
german de deutsch allemand alemán
french fr französisch français francés
spanish es spanisch espagnol español
github gh
street st str
avenue ave
company co
incorporated inc
limited ltd
"""
"""Each line: words that stand for the first of them."""

SILENT = """
the a an is are be was were do does did has have had will its it currently current now yet still
longer anymore always ever any at uses use very really just
"""
"""Words that change nothing of what is stated."""

YES, NO = "true yes ja oui si sí wahr vrai verdadero cierto", "false nein falsch faux falso"
"""What says of a predicate by itself that it is so, or is not."""
