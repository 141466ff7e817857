"""The error family: what a fault says, and that faults survive every way errors travel."""

import pickle

import pytest

from bura_core.errors import (
    BuraError,
    Fault,
    HiddenCardsError,
    IllegalMoveError,
    InputError,
    UnsupportedError,
)

ONE = Fault("turn", "7", "there is no such seat", "the seats are 0 and 1")
TWO = Fault("talon", "Jh", "the card is already in hands[0]", "each card is in one place only")


def test_a_fault_names_field_value_problem_and_remedy() -> None:
    assert str(ONE) == "turn '7': there is no such seat; the seats are 0 and 1"


def test_an_error_lists_one_fault_a_line_in_order() -> None:
    error = InputError([ONE, TWO])
    assert error.faults == (ONE, TWO)
    assert str(error).splitlines() == [str(ONE), str(TWO)]


def test_one_fault_may_be_given_alone() -> None:
    assert InputError(ONE).faults == (ONE,)


def test_an_error_without_faults_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError):
        InputError([])


@pytest.mark.parametrize("value", ["a\nb", "a\u2028b", "\x1b[31m", "\ud800", "'\"", "z" * 5000])
def test_a_value_never_breaks_its_line_or_floods_it(value: str) -> None:
    text = str(Fault("f", value, "p", "r"))
    assert len(text.splitlines()) == 1
    assert len(text) < 200
    assert text.isprintable()
    text.encode()


@pytest.mark.parametrize("kind", [InputError, IllegalMoveError, HiddenCardsError])
def test_faults_survive_pickling(kind: type[InputError]) -> None:
    error = kind([ONE, TWO])
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert back.faults == error.faults
    assert str(back) == str(error)


def test_what_a_caller_can_mend_is_an_input_error() -> None:
    for kind in (IllegalMoveError, HiddenCardsError):
        assert issubclass(kind, InputError)
    assert issubclass(InputError, BuraError)
    assert issubclass(InputError, ValueError)
    assert issubclass(UnsupportedError, BuraError)
    assert not issubclass(UnsupportedError, InputError)
