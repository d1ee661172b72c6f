"""The documented tables by which contradictions are found.

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
light | dark heavy
thick | thin
deep | shallow
increase increasing rising | decrease decreasing falling
supported | unsupported deprecated
begin | end
inbound incoming ingress | outbound outgoing egress
aktiv aktiviert an | inaktiv deaktiviert aus
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

NEGATED_PREDICATES = """
forbid forbids prohibits prohibit disallows disallow denies deny bans ban > allow
disables disable > enable
excludes exclude > include
rejects reject refuses refuse > accept
dislikes dislike hates hate > like
lacks lack misses > has
avoids avoid > use
distrusts distrust > trust
opposes oppose > support
"""
"""Each line: predicates that deny what the one behind the sign says."""

PREDICATE_ALIASES = """
owner owned_by owning_team belongs_to responsible responsible_team responsible_person accountable
maintainer maintained_by
lead led_by team_lead tech_lead leader head headed_by
manager managed_by reports_to boss supervisor supervised_by line_manager
location located_in located_at based_in situated_in headquarters headquartered_in office_location
residence lives_in resides_in home_city living_in home_town
employer works_for works_at employed_by
job_title role position profession occupation works_as
deadline due due_date due_on due_by delivery_date
start_date starts_on begins_on start starts starts_at begins begins_at start_time
end_date ends_on ends ends_at finishes_on end_time end closes_on
birth_date born_on birthday date_of_birth dob birthdate born
birthplace born_in place_of_birth
spouse married_to husband wife
author written_by authored_by creator created_by
version current_version runs_version release running_version installed_version
port listens_on listening_port listens_on_port listen_port service_port
timeout request_timeout times_out_after timeout_after
price cost costs priced_at unit_price
database uses_database stores_data_in persists_to backed_by data_store datastore storage_engine
database primary_database main_database database_engine database_system stores_in persists_in
language written_in programming_language implemented_in coded_in implementation_language
status state current_status
region deployed_in hosted_in runs_in cloud_region deployment_region aws_region
host hosted_on runs_on deployed_on deployed_to deployment_target platform hosting_platform hosted_by
token_format auth_token_format
signing_algorithm signs_with signature_algorithm signing_primitive signed_with signing_method
isolation_level requires_isolation_level transaction_isolation isolation transaction_isolation_level
license licensed_under licence license_type
url website homepage web_address
capacity seats max_occupancy holds_people
height tall
weight weighs
phone phone_number telephone telephone_number mobile
email email_address mail e_mail contact_email
retention retention_period keeps_for retained_for kept_for retention_time
interval runs_every frequency schedule scheduled_every
name called named title
color colour
type kind
default_branch main_branch trunk_branch
school attends goes_to_school
team_size headcount number_of_members member_count size
founded founded_in founded_on established established_in founding_year year_founded foundation_year
venue takes_place_in held_in held_at takes_place_at meeting_room
encryption encrypted_with encrypts_with cipher encryption_algorithm
queue message_queue message_broker broker event_bus
cache cached_in cache_backend caching_layer cache_store
build_system ci_system build_tool builds_with built_with
framework web_framework
principal_investigator pi
doctor physician treated_by
expiry expires expires_on expiry_date expiration expiration_date valid_until
"""
"""Each line: predicates that ask for the same."""

MANY_VALUED = """
tested_with tested_on tested_by depends_on uses use relies_on requires needs supports speaks
has_child child tag label keyword alias known_as also_known_as member_of has_member contains
includes consists_of composed_of part_of integrates_with works_with collaborates_with calls
called_by imports exports emits publishes subscribes_to consumes produces listens_to reads_from
writes_to connects_to talks_to interacts_with communicates_with related_to relates_to similar_to
knows friend_of likes dislikes loves enjoys plays owns has has_skill skill has_pet pet allergic_to
allergy has_allergy sibling has_sibling brother sister parent has_parent child_of parent_of blocks
blocked_by mentions mentioned_in affects affected_by causes caused_by fixes fixed_by implements
extends participant attended attended_by attendee visited has_visited traveled_to studied_with
worked_at note comment remark description rule guideline decision requirement reason constraint
example warning accepts allows forbids rejects permits prohibits excludes avoids monitors
monitored_by logs_to notifies alerts deployed_by reviewed_by reviewer approver approved_by
contributor has_contributor contributed_by sponsor partner_of customer supplier client feature
has_feature hobby interest author_of wrote published maintains manages teaches taught_by studies
migrates_to provides offers serves served_by exposes endpoint has_endpoint stores handles validates
trusts verifies_caller_via authenticates_with deploys builds runs made_of ingredient language_spoken
speaks_language has_language medication takes_medication symptom instrument plays_instrument award
nickname citizenship nationality degree certified_in compatible_with works_on assigned_to
responds_to works_in appears_in cites cited_by references based_on derived_from inspired_by
hängt_ab_von benutzt verwendet spricht hat_kind enthält getestet_mit dépend_de utilise parle
a_enfant contient testé_avec depende_de usa utiliza habla tiene_hijo contiene probado_con
"""
"""Predicates that may have several values at a time."""

SINGULAR_IN_S = """
status address class process basis access focus business analysis bus axis radius campus census
https tls dns aws ios is has was costs weighs expires starts begins ends closes opens measures
lasts equals totals
"""
"""Words that end in s and are neither a plural nor what a subject does to many."""

COUNTED = (
    "max min maximum minimum limit count number total size length average seconds minutes hours"
)
"""With one of these words a predicate asks for one number, in the plural too: `max_retries`."""

DATED = """
date year born birthday founded established deadline due expires expiry expiration released release
start starts begin begins end ends since until launched launch opened built anniversary day
geburtstag gegründet frist fällig année naissance fecha nacido fundado
"""
"""With one of these words a bare year in the value is a date."""

VERBS_OF_MANY = """
support supports accept accepts allow allows speak speaks like likes play plays own owns know knows
can may contain contains include includes export exports emit emits publish publishes tested works
knows talks reads writes connects integrates subscribes listens
"""
"""What begins with one of these may have several values, whatever comes behind."""

SILENT = """
the a an is are be was were do does did has have had will its it currently current now yet still
longer anymore always ever any at uses use very really just
"""
"""Words that change nothing of what is stated."""

YES, NO = "true yes ja oui si sí wahr vrai verdadero cierto", "false nein falsch faux falso"
"""What says of a predicate by itself that it is so, or is not."""
