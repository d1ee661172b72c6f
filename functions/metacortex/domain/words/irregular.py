"""English words whose forms no ending explains."""

_FORMS = """
be am is are was were been being; go went gone goes; have has had; do does did done; say said; get
got gotten; make made; know knew known; think thought; take took taken; see saw seen; come came;
find found; give gave given; tell told; feel felt; become became; leave left; bring brought; begin
began begun; keep kept; hold held; write wrote written; stand stood; hear heard; mean meant; meet
met; run ran; pay paid; sit sat; speak spoke spoken; lead led; grow grew grown; lose lost; fall
fell fallen; send sent; build built; understand understood; draw drew drawn; break broke broken;
spend spent; rise rose risen; drive drove driven; buy bought; wear wore worn; choose chose chosen;
eat ate eaten; drink drank drunk; sing sang sung; swim swam swum; fly flew flown flies; ride rode
ridden; win won; teach taught; catch caught; fight fought; sell sold; sleep slept; throw threw
thrown; forget forgot forgotten; show shown; shake shook shaken; steal stole stolen; hide hid
hidden; bite bit bitten; blow blew blown; freeze froze frozen; ring rang rung; sink sank sunk;
shoot shot; seek sought; deal dealt; dream dreamt; learn learnt; burn burnt; lend lent; bend bent;
hang hung; stick stuck; strike struck; swear swore sworn; tear tore torn; wake woke woken; weave
wove woven; feed fed; breed bred; flee fled; light lit; dig dug; spin spun; sweep swept; weep
wept; shine shone; forgive forgave forgiven; withdraw withdrew withdrawn; undo undid undone;
overwrite overwrote overwritten; rewrite rewrote rewritten; rebuild rebuilt; override overrode
overridden; die died dying; tie tied tying; lie lied lying; use used; man men; woman women; child
children; person people; foot feet; tooth teeth; mouse mice; goose geese; life lives; wife wives;
knife knives; leaf leaves; wolf wolves; half halves; shelf shelves; thief thieves; index indices
indexes; matrix matrices; vertex vertices; analysis analyses; crisis crises; hypothesis
hypotheses; criterion criteria; phenomenon phenomena
"""

IRREGULAR = {form: base for base, *forms in map(str.split, _FORMS.split(";")) for form in forms}
"""The plain form of each."""
