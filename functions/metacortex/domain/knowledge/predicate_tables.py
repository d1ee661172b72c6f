"""The documented tables of predicates: which ask for the same, which deny, which have many values.

English, with some German, French and Spanish. Words are compared by their stems, and without those
that say nothing: `has_owner` stands here as `owner`. What a tenant adds comes to them in
`metacortex.domain.knowledge.vocabulary`.
"""

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
works_without runs_without does_without works_without_needing > requires
"""
"""Each line: predicates that deny what the one behind the sign says."""

PREDICATE_ALIASES = """
owner besitzer eigentümer gehört propietario dueño pertenece_a propriétaire appartient_à
location standort ort ubicación lieu emplacement sitz sede hq head_office main_office
residence wohnt_in wohnort lebt_in vive_en lugar_de_residencia reside_en habite_à domicile address
residence home_address
employer arbeitet_bei arbeitgeber trabaja_en trabaja_para empresa travaille_chez employeur company
deadline frist fällig_am abgabetermin fecha_límite plazo échéance date_limite
birth_date geboren_am geburtsdatum geburtstag fecha_de_nacimiento nacido_el date_de_naissance né_le
birthplace geburtsort geboren_in lugar_de_nacimiento nació_en lieu_de_naissance né_à
price preis kostet precio cuesta prix coûte fee charge cost_per_unit
database datenbank base_de_datos base_de_données
manager chef vorgesetzter jefe supérieur
status zustand estado statut état
color farbe couleur
name heißt nombre nom
phone telefon telefonnummer teléfono téléphone
spouse verheiratet_mit ehepartner casado_con marié_à partner
cloud cloud_provider cloud_platform
supplier vendor supplied_by provider supplied_from
customer client
operating_system os
ci_system ci ci_server
conductor conducted_by
coach trainer coached_by trained_by
teacher taught_by instructor
driver driven_by
sponsor sponsored_by funded_by
publisher published_by
editor edited_by
architect designed_by designer
organizer organised_by organized_by organiser host_person
chair chaired_by chairperson
director directed_by
tenant rented_by
landlord rented_from
manufacturer made_by manufactured_by produced_by maker brand
approver approved_by
reviewer reviewed_by
requires needs
depends_on relies_on
uses utilizes
salary annual_salary pay earns
budget annual_budget
diet eats
religion faith
allergic_to allergy has_allergy
lunch_time lunch
opening_time opens_at opens opening_hour
closing_time closes_at closes closing_hour
arrival arrives_at arrives arrival_time
departure departs_at departs departure_time leaves_at
launch_date launched_on launches_on launch go_live goes_live_on
release_date released_on released release_day publication_date published_on
meeting_time meets_at
meeting_day meets_on
duration lasts takes length_of_time runtime running_time
distance distance_to
speed max_speed top_speed
memory ram memory_size
disk_size storage disk disk_space
replicas replica_count number_of_replicas instances instance_count
retries max_retries retry_count retry_limit
rate_limit request_limit max_requests
log_level logging_level
date_format format_of_dates
time_zone timezone tz
currency paid_in billed_in invoiced_in
encoding character_encoding charset
package_manager dependency_manager
editor_program ide code_editor
test_framework testing_framework test_runner
issue_tracker bug_tracker ticket_system
source_control version_control vcs
api_style api_type
auth_method authentication_method authenticates_via login_method
orm persistence_framework
container_runtime container_engine
web_server http_server
reverse_proxy proxy
gender sex
eye_color eye_colour
blood_type blood_group
parking_space parking_spot
owner owned_by owning_team owned_by_team belongs_to responsible responsible_team accountable
owner responsible_person
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
worked_at note comment remark description rule guideline requirement reason constraint example
warning accepts allows forbids rejects permits prohibits excludes avoids monitors monitored_by
logs_to notifies alerts deployed_by reviewed_by reviewer approver approved_by contributor
has_contributor contributed_by sponsor partner_of feature has_feature hobby interest author_of wrote
published maintains manages teaches taught_by studies migrates_to provides offers serves served_by
exposes endpoint has_endpoint stores handles validates trusts verifies_caller_via authenticates_with
deploys builds runs made_of ingredient language_spoken speaks_language has_language medication
takes_medication symptom instrument plays_instrument award nickname citizenship nationality degree
certified_in compatible_with works_on assigned_to responds_to works_in appears_in cites cited_by
references based_on derived_from inspired_by hängt_ab_von benutzt verwendet spricht hat_kind enthält
getestet_mit dépend_de utilise parle a_enfant contient testé_avec depende_de usa utiliza habla
tiene_hijo contiene probado_con runs_on listens_on listens_on_port port_opened opens_port
works_for_client serves_customer has_customer has_label has_tag tagged tagged_with has_permission
has_branch has_subsidiary has_department has_team has_owner_group co_author recipient sent_to
shared_with subscriber has_subscriber invited available_in sold_in delivered_to ships_to
translated_into translation platform_supported speaks_with met_with collaborator co_founder
has_founder founder trained_in experienced_in interested_in fan_of follows followed_by watches reads
read_book has_read listens cooks bakes grows contains_allergen may_contain has_ingredient pairs_with
served_with prescribed_for treats treated_with side_effect contraindicated_with risk has_risk goal
has_goal objective milestone action_item task todo question open_question issue has_issue bug
has_bug incident has_incident dependency has_dependency dependency_of library has_library plugin
has_plugin module has_module component has_component consists has_part deployed_in_environment
event_type cloud_region_available replica_of backup_of mirror mirrored_to replicated_to copies_to
alert_channel notification_channel documented_in linked_to link see_also reference volunteer_at
volunteers_at teaches_subject teaches_class class_taught course has_cat has_dog has_car owns_car
has_vehicle phase_dependency approved_for licensed_in certified_for certification has_certification
award_won won holiday day_off open_on closed_on available_on meets_weekday works_weekday
friend colleague neighbour neighbor cousin aunt uncle nephew niece grandchild grandparent
relative ancestor descendant ally competitor rival opponent enemy guest speaker panelist student
pupil apprentice volunteer known_for used_for suitable_for witness suspect victim investor
shareholder donor backer supporter translator illustrator performer actor actress starring
cast_member character band_member player song track album episode chapter section topic theme
genre category cuisine motif quote photo screenshot attachment document synonym antonym
instance_of subclass_of example_of kind_of_work material tool equipment machine device sensor
accessory spare_part browser protocol scope permission privilege webhook hook listener handler
middleware table column field parameter flag option header subdomain nameserver ip_address
env_var environment_variable certificate secret test_case check job step stage task_assigned
assignee watcher stakeholder beneficiary signatory treatment therapy vaccine complication
trigger intolerance food dish drink recipe sport game toy book film movie podcast newspaper
magazine subscription membership club charity cause campaign destination stop stopover landmark
border borders neighbouring_country exported_product product service project responsibility duty
benefit advantage disadvantage drawback strength weakness opportunity threat assumption
hypothesis finding conclusion recommendation citation keyword_used freundin freund kollege
kollegin mitglied teilnehmer zutat hobbys merkmal aufgabe amigo amiga miembro participante
ingrediente tarea ami amie membre participant ingrédient tâche
used_by required_by needed_by relied_on_by depended_on_by supported_by imported_by consumed_by
read_by implemented_by extended_by referenced_by mentioned_by included_in included_by validated_by
triggered_by trusted_by known_by liked_by loved_by enjoyed_by watched_by visited_by accepted_by
notified_by
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

BEFORE_MANY = "with against about among alongside including"
"""What ends with one of these may have several values: `warned_about`, `vaccinated_against`."""

VERBS_OF_MANY = """
support supports accept accepts allow allows speak speaks like likes play plays own owns know knows
can may contain contains include includes export exports emit emits publish publishes tested works
knows talks reads writes connects integrates subscribes listens
"""
"""What begins with one of these may have several values, whatever comes behind."""
