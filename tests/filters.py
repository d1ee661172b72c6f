"""Filters and what they admit: of each part an example, and what Hypothesis makes up, of so few
labels and moments that some memories pass.
"""

from datetime import UTC
from typing import Any

from hypothesis import strategies as st

from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.details import A_NOTE, EpisodeCategory, EpisodeDetails, Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Author, Labels
from metacortex.domain.moment import Moment
from metacortex.domain.search import Filters, MemoryFilter, TagsMatch
from tests.fakes import START
from tests.samples import NOW, a_memory

SELDOM = st.one_of([st.none()] * 5)
TAGS = ("auth", "authentication", "auth2", "Auth", '["auth"]', "認証", "auth\0", 'auth\0"')

PARTS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"kind": Kind.EPISODE}, {"kind": Kind.NOTE}, {"kinds": (Kind.EPISODE,)}),
    ({"tags": ("a", "auth")}, {"tags": ("authentication",)}, {"tags": ("auth", "none")}),
    (
        {"tags": ("auth", "urgent")},
        {"tags": ("auth",)},
        {"tags": ("auth", "urgent"), "tags_match": TagsMatch.ALL},
    ),
    ({"tags": ("keep",)}, {"tags": ("keep\0x", 'x"keep"')}, {"tags": ("keep", "keep\0")}),
    (
        {"tags": ("keep\0x", "keep\0y")},
        {"tags": ("keep\0x", "keep")},
        {"tags": ("keep\0x", "keep\0y"), "tags_match": TagsMatch.ALL},
    ),
    ({"session_id": "s1"}, {"session_id": "s"}, {"session_id": "s1"}),
    ({"session_id": "s1"}, {"session_id": "s1\0"}, {"session_id": "s1"}),
    ({"session_id": "s1"}, {"session_id": None}, {"session_id": "s1"}),
    ({"importance": 0.7}, {"importance": 0.6999999999}, {"min_importance": 0.7}),
    ({"written_by": Author("web")}, {"written_by": Author("Web", "web")}, {"client": "web"}),
    ({"created_at": NOW}, {"created_at": NOW - 1}, {"created_from": NOW}),
    ({"created_at": NOW - 1}, {"created_at": NOW}, {"created_until": NOW}),
    ({"valid_from": Moment(NOW)}, {"valid_from": Moment(NOW - 1)}, {"started_from": NOW}),
    ({"valid_from": Moment(NOW)}, {"valid_from": None}, {"started_from": NOW}),
    ({"valid_from": Moment(NOW - 1)}, {"valid_from": Moment(NOW)}, {"started_until": NOW}),
    ({"valid_from": Moment(NOW - 1)}, {"valid_from": None}, {"started_until": NOW}),
]
"""Of each part of a filter a memory that passes, one that does not, and the filter."""


texts = st.lists(
    st.sampled_from(["relay", "relays", "pump", "the", "max_tokens", "Zürich", "会議室", "🚀"]),
    max_size=6,
).map(" ".join)
tags = st.lists(st.sampled_from(TAGS), max_size=3, unique=True).map(tuple)
moments = st.none() | st.integers(NOW - 2, NOW + 2).map(Moment)
bounds = SELDOM | st.integers(NOW - 3, NOW + 3)
shares = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.1 + 0.2, 1.0])
kinds = st.sampled_from([(Kind.NOTE, A_NOTE), (Kind.EPISODE, EpisodeDetails())])
memories = st.builds(
    lambda kind, **fields: a_memory(kind=kind[0], details=kind[1], **fields),
    kinds,
    content=texts,
    namespace=st.sampled_from(["a", "b", "a/b", "a\0b"]),
    topic=st.sampled_from(["x", "y", "x\0"]),
    tags=tags,
    branch_state=st.sampled_from([BranchState.ACTIVE, BranchState.ACTIVE, BranchState.WIP]),
    session_id=st.sampled_from([None, "s", "s", "t", "s\0"]),
    importance=shares,
    written_by=st.sampled_from([Author("web"), Author("web2"), Author("Web", "web")]),
    created_at=st.integers(NOW - 2, NOW + 1),
    valid_from=moments,
    valid_until=moments,
)
filters = st.builds(
    MemoryFilter,
    namespaces=st.none() | st.sets(st.sampled_from(["a", "b", "a/b", "c", "a\0"])).map(tuple),
    branch_state=st.sampled_from([BranchState.ACTIVE, BranchState.WIP]),
    valid_at=st.integers(NOW - 3, NOW + 3),
    topic=SELDOM | st.sampled_from(["x", "y", "z", "x\0"]),
    kinds=st.sampled_from([(), (), (), (Kind.NOTE,), (Kind.EPISODE,), tuple(Kind)]),
    tags=st.just(()) | st.just(()) | tags,
    tags_match=st.sampled_from(TagsMatch),
    session_id=SELDOM | st.sampled_from(["s", "t", "u"]),
    min_importance=SELDOM | shares,
    client=SELDOM | st.sampled_from(["web", "Web", "nobody"]),
    created_from=bounds,
    created_until=bounds,
    started_from=bounds,
    started_until=bounds,
)

sessions = st.sampled_from(["s", "t"])
some_tags = st.lists(st.sampled_from(["a", "b", "A"]), max_size=2, unique=True).map(tuple)
periods = st.sampled_from(
    [
        parse_period("", text, START, UTC)
        for text in ("2026", "2026-02", "2026-03-01", "2026-03-01T12:10Z", "2026-04", "last week")
    ]
)
episodes = st.sampled_from(
    [
        {},
        {},
        {"kind": Kind.EPISODE},
        {
            "kind": Kind.EPISODE,
            "title": "ferry",
            "category": EpisodeCategory.INCIDENT,
            "files_touched": ("crane.py", "weir/lamp.py"),
        },
    ]
)
labels = st.builds(
    lambda ends, episode, **given: Labels(
        valid_until=ends.ends if ends else None, **episode, **given
    ),
    ends=SELDOM | periods,
    episode=episodes,
    tags=some_tags,
    importance=st.none() | shares,
    session_id=st.none() | sessions,
    entities=st.sampled_from([(), ("Ferry",), ("ferry", "Crane")]),
    valid_from=SELDOM | st.just(Moment(0)),
)
asked_filters = st.builds(
    Filters,
    topic=SELDOM | st.sampled_from(["general", "ports", "Ports"]),
    branch_state=st.none() | st.sampled_from(BranchState),
    kinds=st.sampled_from([(), (), (Kind.EPISODE,), tuple(Kind)]),
    tags=st.just(()) | some_tags,
    tags_match=st.sampled_from(TagsMatch),
    session_id=SELDOM | sessions,
    min_importance=SELDOM | shares,
    namespace=SELDOM | st.sampled_from(["team", "default"]),
    client=SELDOM | st.sampled_from(["default-all", "team"]),
    created_after=SELDOM | periods,
    started_before=SELDOM | periods,
    valid_at=SELDOM | periods,
)
