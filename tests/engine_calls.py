"""What the random calls are made of that two engines are compared by."""

from hypothesis import strategies as st

from metacortex.domain.event import EventFilter, EventStatus, EventType
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Listing
from metacortex.domain.memory import Image, NewMemory
from metacortex.domain.search import Search
from metacortex.domain.vector import EmbeddingSpace
from tests.fakes import BAG_OF_WORDS
from tests.filters import asked_filters, labels

WORDS = ("ferry", "crane", "ledger", "ferry crane", "lamp bridge", "weir ferry lamp")
OTHER_SPACE = EmbeddingSpace("other", BAG_OF_WORDS.dimension)
DAY = 86_400_000
SECRET = "postgres://crane:hunter2hunter2@ferry/ledger"

texts = st.sampled_from([*WORDS, SECRET]) | st.lists(
    st.sampled_from(WORDS), min_size=4, max_size=30
).map(" ".join)
topics = st.sampled_from(["general", "ports", "Ports"])
states = st.sampled_from(BranchState)
clients = st.sampled_from(["default-all", "team", "docs", "acme-all", "drafts", "refusing"])
tenants = st.sampled_from(["default", "acme", "nobody"])
places = st.integers(0, 12)
IMAGES = (Image(b"one", "image/png"), Image(b"two", "image/png"))
images = st.sampled_from([None, None, None, *IMAGES])
profiles = st.sampled_from(["phone", "desk", "a desk"])
verbs = st.sampled_from(["add", "rotate", "remove"])
numbers = st.sampled_from([0.0, 0.5, 1.0])
vectors = st.tuples(numbers, numbers, numbers).filter(any)
new_memories = st.builds(
    NewMemory,
    content=texts,
    topic=topics,
    branch_state=st.sampled_from([BranchState.ACTIVE, BranchState.ACTIVE, BranchState.WIP]),
    artifact_refs=st.sampled_from([(), ("a", "b")]),
    image=images,
    labels=labels,
)
searches = st.builds(
    Search,
    texts,
    asked_filters,
    limit=st.none() | st.sampled_from([1, 3, 20]),
)
listings = st.builds(
    Listing,
    asked_filters,
    limit=st.sampled_from([1, 2, 100]),
)
event_filters = st.builds(
    EventFilter,
    client_id=st.none() | clients,
    type=st.none() | st.sampled_from(EventType),
    status=st.none() | st.sampled_from(EventStatus),
    tool_name=st.none() | st.sampled_from(["fetch_context", "search_context"]),
)
