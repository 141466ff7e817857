"""Who may ask, and how much: tokens from a file, compared in constant time, each with limits."""

import hashlib
import hmac
import logging
import re
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bura_service import logs
from bura_service.status import RateLimitedError, UnauthenticatedError

__all__ = ["Access", "Token", "TokenFileError", "read_tokens"]

# How often the file is looked at for a change, in seconds.
_LOOK_EVERY = 2.0

# What a client over its limit of calls at once is told to wait, in seconds.
_SOON = 0.25

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SHORTEST_TOKEN = 16
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEYS = {"token", "sha256", "calls_per_second", "calls_at_once"}


class TokenFileError(Exception):
    """A file of tokens that can't be used; says why, and never what a token is."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token, as its digest.

    Attributes:
        name: what logs and metrics call whoever uses it.
        digest: SHA-256 of the token.
        calls_per_second: how many calls it may begin, in the long run; None for any number. As
            many again, one at least, may come at once.
        calls_at_once: how many of its calls may run or wait; None for any number.
    """

    name: str
    digest: bytes
    calls_per_second: float | None
    calls_at_once: int | None


def read_tokens(path: Path) -> list[Token]:
    """The tokens of a file: TOML, a table for each name (docs/operations.md).

    Raises TokenFileError with everything that is wrong with it.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TokenFileError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # Its own text would show a part of the file.
        raise TokenFileError(f"{path}: not TOML") from None
    faults: list[str] = []
    tokens = [token for name, table in tables.items() if (token := _token(name, table, faults))]
    digests = [token.digest for token in tokens]
    if len(set(digests)) < len(digests):
        faults.append("two names have the same token")
    if not tables:
        faults.append("no tokens: nobody could ask")
    if faults:
        raise TokenFileError("\n".join(f"{path}: {fault}" for fault in faults))
    return tokens


def _token(name: str, table: Any, faults: list[str]) -> Token | None:
    before = len(faults)
    if not _NAME.fullmatch(name):
        faults.append("a name is not 1 to 64 letters, digits and _.-")
        return None
    if not isinstance(table, dict):
        faults.append(f"{name}: not a table; write [{name}] and its keys below")
        return None
    if unknown := sorted(table.keys() - _KEYS):
        faults.append(f"{name}: no such keys: {', '.join(unknown)}")
    secret, digest = table.get("token"), table.get("sha256")
    if (secret is None) == (digest is None):
        faults.append(f"{name}: give one of token and sha256")
    elif secret is not None:
        if not isinstance(secret, str) or len(secret) < _SHORTEST_TOKEN or not secret.isascii():
            faults.append(f"{name}.token: not at least {_SHORTEST_TOKEN} ASCII characters")
        else:
            digest = hashlib.sha256(secret.encode()).hexdigest()
    elif not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        faults.append(f"{name}.sha256: not 64 hexadecimal digits in lower case")
    rate, at_once = table.get("calls_per_second"), table.get("calls_at_once")
    if rate is not None and (type(rate) not in (int, float) or not 0 < rate < 1e9):
        faults.append(f"{name}.calls_per_second: not a number above 0")
    if at_once is not None and (type(at_once) is not int or at_once < 1):
        faults.append(f"{name}.calls_at_once: not a whole number of at least 1")
    if len(faults) > before:
        return None
    return Token(name, bytes.fromhex(str(digest)), rate, at_once)


class _Client:
    """How much of its limits a token has used."""

    def __init__(self, token: Token) -> None:
        self.token = token
        self.running = 0
        self._left = self._most
        self._seen = time.monotonic()

    @property
    def _most(self) -> float:
        return max(1.0, self.token.calls_per_second or 1.0)

    def begin(self) -> None:
        """Counts a call; raises RateLimitedError where it is one too many."""
        token = self.token
        if token.calls_at_once is not None and self.running >= token.calls_at_once:
            raise RateLimitedError(_SOON)
        if token.calls_per_second is not None:
            now = time.monotonic()
            refilled = self._left + (now - self._seen) * token.calls_per_second
            self._left, self._seen = min(self._most, refilled), now
            if self._left < 1:
                raise RateLimitedError((1 - self._left) / token.calls_per_second)
            self._left -= 1
        self.running += 1

    def end(self) -> None:
        """Counts it no more."""
        self.running -= 1


class Access:
    """The tokens of a file, read anew when it changes; one that can't be used changes nothing."""

    def __init__(self, path: Path) -> None:
        """Reads the file; raises TokenFileError."""
        self._path = path
        self._state = self._stat()
        self._clients = [_Client(token) for token in read_tokens(path)]
        self._looked = time.monotonic()

    def _stat(self) -> tuple[int, int] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        state = self._stat()
        if state == self._state:
            return
        self._state = state
        try:
            tokens = read_tokens(self._path)
        except TokenFileError as error:
            logs.write(logging.ERROR, "tokens_not_read", problem=str(error))
            return
        known = {client.token: client for client in self._clients}
        self._clients = [known.get(token) or _Client(token) for token in tokens]
        logs.write(logging.WARNING, "tokens_read", count=len(tokens))

    def admit(self, authorization: str | None) -> _Client:
        """Whose call it is that came with this `authorization` header; count its end by `end`.

        Raises:
            UnauthenticatedError: there is no token, or none that is known.
            RateLimitedError: it has used up what it may.
        """
        self._refresh()
        scheme, _, secret = (authorization or "").partition(" ")
        digest = hashlib.sha256(secret.strip().encode()).digest()
        found = None
        for client in self._clients:  # all of them, so that time tells nothing
            if hmac.compare_digest(client.token.digest, digest):
                found = client
        if found is None or scheme.lower() != "bearer":
            raise UnauthenticatedError
        found.begin()
        return found
