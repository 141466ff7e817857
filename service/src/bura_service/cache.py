"""Answers to questions that were asked before, within a bound of memory."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeAlias

__all__ = ["AnswerCache", "Stored"]

# What an entry takes beside its bytes, about: the places in both tables, the keys.
_OVERHEAD = 600


Stored: TypeAlias = tuple[type, bytes]
"""An answer: the class of its message, and its bytes."""


class AnswerCache:
    """Serialized answers by the canonical question, the least lately used leaving first.

    The bytes of a request lead to its question as well, so that an equal request need not even
    be read; another spelling of it finds the answer by the question.

    Attributes:
        hits: answers found so far.
        misses: those not found.
    """

    def __init__(self, max_bytes: int) -> None:
        """A cache that holds so many bytes, 0 for none at all."""
        self._max_bytes = max_bytes
        self._answers: OrderedDict[Hashable, Stored] = OrderedDict()
        self._questions: OrderedDict[tuple[str, bytes], Hashable] = OrderedDict()
        self._size = 0
        self.hits = 0
        self.misses = 0

    @property
    def size(self) -> int:
        """Bytes held, about."""
        return self._size

    def __len__(self) -> int:
        return len(self._answers)

    def asked(self, request: tuple[str, bytes]) -> Stored | None:
        """The answer to a request that came before, byte for byte."""
        key = self._questions.get(request)
        return None if key is None else self._find(key)

    def get(self, key: Hashable, request: tuple[str, bytes]) -> Stored | None:
        """The answer to a question; from now on `request` leads to it as well."""
        found = self._find(key)
        if found is None:
            self.misses += 1
        else:
            self._remember(request, key)
        return found

    def _find(self, key: Hashable) -> Stored | None:
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
            self.hits += 1
        return found

    def put(self, key: Hashable, request: tuple[str, bytes], answer: Stored) -> None:
        """Keeps an answer, unless it alone would take an eighth of the memory."""
        size = len(answer[1]) + _OVERHEAD
        if 8 * size > self._max_bytes or key in self._answers:
            return
        self._answers[key] = answer
        self._size += size
        self._remember(request, key)

    def _remember(self, request: tuple[str, bytes], key: Hashable) -> None:
        size = len(request[1]) + _OVERHEAD
        if request not in self._questions and 8 * size <= self._max_bytes:
            self._questions[request] = key
            self._size += size
        while self._size > self._max_bytes:
            if len(self._questions) > len(self._answers):
                (_, data), _ = self._questions.popitem(last=False)
            else:
                _, (_, data) = self._answers.popitem(last=False)
            self._size -= len(data) + _OVERHEAD
