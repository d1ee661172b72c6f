"""Which memories a filter admits."""

from typing import Any

import pytest

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Moment
from metacortex.domain.search import passes
from tests.filters import PARTS
from tests.samples import NOW, a_filter, a_memory


@pytest.mark.case("K28", "K32")
@pytest.mark.parametrize(("own", "other", "where"), PARTS, ids=repr)
def test_each_part_admits_what_it_names_and_nothing_near_it(
    own: dict[str, Any], other: dict[str, Any], where: dict[str, Any]
) -> None:
    assert passes(a_memory(**own), a_filter(**where))
    assert not passes(a_memory(**other), a_filter(**where))


@pytest.mark.case("K51")
@pytest.mark.parametrize("namespace", ["team-secret", "team/inner", "Team", "tea"])
def test_a_namespace_admits_its_whole_name_only(namespace: str) -> None:
    where = a_filter(namespaces=("team",))
    assert passes(a_memory(namespace="team"), where)
    assert not passes(a_memory(namespace=namespace), where)
    assert not passes(a_memory(namespace="team"), a_filter(namespaces=()))


def test_state_and_topic_are_compared_whole() -> None:
    assert not passes(a_memory(branch_state=BranchState.WIP), a_filter())
    assert not passes(a_memory(topic="Auth"), a_filter(topic="auth"))


def test_valid_time_includes_its_start_and_excludes_its_end() -> None:
    memory = a_memory(valid_from=Moment(NOW), valid_until=Moment(NOW + 2))
    admitted = [passes(memory, a_filter(valid_at=NOW + n)) for n in (-1, 0, 1, 2)]
    assert admitted == [False, True, True, False]
