"""Certificates that are read anew when their files change, for both ports."""

import asyncio
import contextlib
import logging
import ssl
from pathlib import Path
from typing import Any

import grpc

from bura_service import logs
from bura_service.config import Config

__all__ = ["Tls", "TlsError"]

# How often the files are looked at for a change, in seconds.
_LOOK_EVERY = 2.0


class TlsError(Exception):
    """Certificates that can't be used; says which files and why."""


class Tls:
    """The certificates of the service; those that can't be used leave the ones before in place."""

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        """Reads the files; raises TlsError."""
        self._certificate, self._key, self._client_ca = certificate, key, client_ca
        self._files = [each for each in (certificate, key, client_ca) if each is not None]
        self._state = self._stat()
        self._context = self._load()
        self._grpc = self._configuration()
        self._watching: asyncio.Future[None] | None = None

    @classmethod
    def of(cls, config: Config) -> "Tls | None":
        """That of a configuration, None where it has none; raises TlsError."""
        if config.tls_certificate is None or config.tls_key is None:
            return None
        return cls(config.tls_certificate, config.tls_key, config.tls_client_ca)

    def _stat(self) -> list[tuple[int, int] | None]:
        found: list[tuple[int, int] | None] = []
        for path in self._files:
            with contextlib.suppress(OSError):
                stat = path.stat()
                found.append((stat.st_mtime_ns, stat.st_size))
                continue
            found.append(None)
        return found

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self._certificate, self._key)
            if self._client_ca is not None:
                context.load_verify_locations(self._client_ca)
                context.verify_mode = ssl.CERT_REQUIRED
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            names = " ".join(map(str, self._files))
            reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
            raise TlsError(f"cannot use {names}: {reason or 'not PEM'}") from None
        return context

    def _configuration(self) -> Any:
        return grpc.ssl_server_certificate_configuration(
            [(self._key.read_bytes(), self._certificate.read_bytes())],
            None if self._client_ca is None else self._client_ca.read_bytes(),
        )

    def server_credentials(self) -> grpc.ServerCredentials:
        """For grpc, which asks for the certificates at each new connection."""
        told = self._grpc

        def changed() -> Any:
            nonlocal told
            if told is self._grpc:
                return None  # as before
            told = self._grpc
            return told

        return grpc.dynamic_ssl_server_credentials(
            told, changed, require_client_authentication=self._client_ca is not None
        )

    def context(self) -> ssl.SSLContext:
        """For the port of browsers: each new connection is given the newest certificates."""
        context = self._load()

        def newest(connection: Any, name: str | None, old: ssl.SSLContext) -> None:
            del name, old
            connection.context = self._context

        context.sni_callback = newest
        return context

    def watch(self) -> None:
        """Begins to look for changes, within the event loop that calls it."""
        self._watching = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            state = self._stat()
            if state == self._state:
                continue
            self._state = state
            try:
                self._context, self._grpc = self._load(), self._configuration()
            except (TlsError, OSError) as error:
                # Certificate and key are rarely written in the same moment: the next look tells.
                logs.write(logging.ERROR, "certificates_not_read", problem=str(error))
                continue
            logs.write(logging.WARNING, "certificates_read")

    def close(self) -> None:
        """Looks no more."""
        if self._watching is not None:
            self._watching.cancel()
