"""The circuit before Gemini: closed, open, and one try after each rest."""

from metacortex.adapters.gemini.circuit import FAILURES, REST, Circuit


class Hands:
    """The hands of a clock, which a test moves."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def now(self) -> float:
        """Return where they stand."""
        return self.at


def opened(hands: Hands) -> Circuit:
    """Return a circuit that has just opened."""
    circuit = Circuit(hands.now)
    for _ in range(FAILURES):
        circuit.failed("was late")
    return circuit


def test_a_new_circuit_admits_everyone() -> None:
    circuit = Circuit(Hands().now)
    assert [circuit.admits() for _ in range(100)] == [True] * 100


def test_it_opens_only_after_several_failures_in_a_row() -> None:
    circuit = Circuit(Hands().now)
    for _ in range(3):
        for _ in range(FAILURES - 1):
            circuit.failed("was late")
        assert circuit.admits()
        circuit.succeeded()
    assert circuit.admits()


def test_an_open_circuit_admits_nobody_until_its_rest_is_over() -> None:
    hands = Hands()
    circuit = opened(hands)
    hands.at += REST - 0.1
    assert not circuit.admits()
    assert circuit.fault == "was late"


def test_after_a_rest_it_admits_one_try_and_no_other() -> None:
    hands = Hands()
    circuit = opened(hands)
    hands.at += REST
    assert [circuit.admits() for _ in range(3)] == [True, False, False]


def test_a_try_that_goes_well_closes_it() -> None:
    hands = Hands()
    circuit = opened(hands)
    hands.at += REST
    circuit.admits()
    circuit.succeeded()
    assert [circuit.admits() for _ in range(3)] == [True] * 3


def test_a_try_that_fails_begins_the_next_rest() -> None:
    hands = Hands()
    circuit = opened(hands)
    hands.at += REST
    circuit.admits()
    circuit.failed("was late again")
    hands.at += REST - 0.1
    assert not circuit.admits()
    hands.at += 0.1
    assert circuit.admits()
    assert circuit.fault == "was late again"


def test_a_try_that_never_tells_how_it_ended_keeps_it_open_for_one_rest() -> None:
    hands = Hands()
    circuit = opened(hands)
    hands.at += REST
    circuit.admits()
    hands.at += REST
    assert circuit.admits()
