"""Every rule of the wire contract, and every case that this release answers, is held by a test.

The tests name them with `@pytest.mark.rule("C13", …)` and `@pytest.mark.case("K01", …)`. The
sources are read, so that a test which does not run on this machine counts as well.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent

RULES = {f"C{number}" for number in range(1, 117)} | {"C60a", "C62a", "C77a", "C97a", "C114a"}
CASES = {
    f"K{number:02}" for number in (*range(1, 19), 30, *range(49, 52), *range(52, 56), 60, 61, 62)
}


def named(marker: str) -> set[str]:
    """Return all that the tests name with a marker."""
    return {
        argument.value
        for path in TESTS.rglob("test_*.py")
        for decorator in decorators(ast.parse(path.read_text(encoding="utf-8")))
        if ast.unparse(decorator.func) == f"pytest.mark.{marker}"
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def decorators(module: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that decorate the functions of a module."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (call for call in node.decorator_list if isinstance(call, ast.Call))


def test_every_rule_of_the_contract_is_held_by_a_test() -> None:
    assert len(RULES) == 121
    assert sorted(RULES - named("rule")) == []


def test_no_test_names_a_rule_that_the_contract_does_not_have() -> None:
    assert sorted(named("rule") - RULES) == []


def test_every_case_of_this_release_is_held_by_a_test() -> None:
    assert sorted(CASES - named("case")) == []
