"""Reads the options of `config` from flags, the environment and a file, and prints them.

A flag goes before the environment (`BURA_` and the option's name in capitals), that before the
file (TOML), that before the default. pydantic-settings finds and checks the values.
"""

import argparse
import dataclasses
import os
import re
import tomllib
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, create_model
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bura_service.config import Config
from bura_service.languages import add_option

__all__ = ["Loaded", "UnusableError", "describe", "load"]

_PREFIX = "BURA_"
_FIELDS = {each.name: each for each in dataclasses.fields(Config)}
_TYPES = typing.get_type_hints(Config)
# Options that may be given more than once, and what one of them is called.
_REPEATED = {"cors_origins": "cors_origin"}
_PLAIN_ORIGIN = re.compile(r"https?://[^/\s?#@]+")


class UnusableError(Exception):
    """Options that can't be used; `faults` says of each where it stands and what is wrong."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class Loaded(typing.NamedTuple):
    """What was asked for.

    Attributes:
        config: the options.
        printing: whether they shall be printed.
        language: of `--lang`; None where it is not given.
    """

    config: Config
    printing: bool
    language: str | None


def _flag(name: str) -> str:
    return "--" + _REPEATED.get(name, name).replace("_", "-")


def _plain_type(name: str) -> Any:
    """The type of an option's value, None aside."""
    kinds = [kind for kind in typing.get_args(_TYPES[name]) if kind is not type(None)]
    union = typing.get_origin(_TYPES[name]) not in (None, tuple, typing.Literal)
    return kinds[0] if union else _TYPES[name]


def parser() -> argparse.ArgumentParser:
    """The flags: those of every option, `--config`, `--print-config` and `--lang`."""
    made = argparse.ArgumentParser(
        prog="bura serve",
        description="Answers gRPC calls about hands of Bura.",
        epilog="Each option can also be set in the environment, as BURA_PORT, or in the file.",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    made.add_argument("--config", metavar="FILE", help="a file of options (TOML), as BURA_CONFIG")
    made.add_argument(
        "--print-config",
        action="store_true",
        help="print every option with its value, meaning and danger as such a file, and end",
    )
    add_option(made)
    for name, option in _FIELDS.items():
        help_text = option.metadata["text"]
        if option.metadata["danger"]:
            help_text += f" (beware: {option.metadata['danger']})"
        help_text += f" [{_written(_default(option)) or 'none'}]"
        help_text = help_text.replace("%", "%%")
        kind = _plain_type(name)
        if kind is bool:
            made.add_argument(
                _flag(name), dest=name, action=argparse.BooleanOptionalAction, help=help_text
            )
        elif name in _REPEATED:
            made.add_argument(
                _flag(name), dest=name, action="append", metavar="TEXT", help=help_text
            )
        else:
            metavar = {int: "N", float: "SECONDS", Path: "PATH"}.get(kind, "TEXT")
            if name == "cache_mb":
                metavar = "MIB"
            made.add_argument(_flag(name), dest=name, metavar=metavar, help=help_text)
    return made


def _default(option: "dataclasses.Field[Any]") -> Any:
    if option.default_factory is not dataclasses.MISSING:
        return option.default_factory()
    return option.default


def _model(flags: dict[str, Any], file: dict[str, Any]) -> type[BaseSettings]:
    """The options as a model that looks for their values."""

    class Sources(BaseSettings):
        model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="forbid")

        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: Any, **__: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return (
                _Given(settings_cls, flags),
                _Environment(settings_cls),
                _Given(settings_cls, file),
            )

    fields: dict[str, Any] = {}
    for name, option in _FIELDS.items():
        bounds: dict[str, Any] = dict(option.metadata["bounds"])
        if _plain_type(name) is float:
            bounds["allow_inf_nan"] = False
        fields[name] = (_TYPES[name], Field(default=_default(option), **bounds))
    return create_model("Settings", __base__=Sources, **fields)


class _Given(PydanticBaseSettingsSource):
    """Values that are known already."""

    def __init__(self, settings_cls: type[BaseSettings], values: dict[str, Any]) -> None:
        super().__init__(settings_cls)
        self._values = values

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        del field
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return self._values


class _Environment(EnvSettingsSource):
    """The environment; several values of one option are parted by commas."""

    def prepare_field_value(
        self, field_name: str, field: Any, value: Any, value_is_complex: bool
    ) -> Any:
        if field_name in _REPEATED and value is not None:
            return [part.strip() for part in value.split(",") if part.strip()]
        return super().prepare_field_value(field_name, field, value, value_is_complex)


def load(argv: Sequence[str] | None = None) -> Loaded:
    """The options, and what else the flags ask for.

    Args:
        argv: the flags; None for those of this process.

    Raises:
        UnusableError: with everything wrong with them.
        SystemExit: for a flag that is not there, and after `--help`.
    """
    given = vars(parser().parse_args(argv))
    path = given.pop("config", None) or os.environ.get(_PREFIX + "CONFIG")
    printing = given.pop("print_config", False)
    language = given.pop("lang", None)
    file = {} if path is None else _read(Path(path))
    try:
        found = _model(given, file)()
    except ValidationError as error:
        raise UnusableError(list(_faults(error, given, file, path))) from None
    config = Config(**{name: getattr(found, name) for name in _FIELDS})
    faults = list(_contradictions(config))
    if faults:
        raise UnusableError(faults)
    return Loaded(config, printing, language)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UnusableError([f"--config '{path}': {error.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnusableError([f"--config '{path}': not TOML: {error}"]) from None


def _faults(
    error: ValidationError, given: dict[str, Any], file: dict[str, Any], path: str | None
) -> Iterator[str]:
    for fault in error.errors():
        name = str(fault["loc"][0])
        if name in given:
            place = _flag(name)
        elif _PREFIX + name.upper() in os.environ:
            place = _PREFIX + name.upper()
        else:
            place = f"{path}: {name}"
        known = name in _FIELDS
        value = f" '{fault['input']}'" if known and name in given | file else ""
        message = fault["msg"] if known else "no such option"
        yield f"{place}{value}: {message[:1].lower()}{message[1:]}"


def _contradictions(config: Config) -> Iterator[str]:
    """What is wrong with options beyond the type of each."""
    for origin in config.cors_origins:
        if origin != "*" and not _PLAIN_ORIGIN.fullmatch(origin):
            yield f"--cors-origin '{origin}': not an origin, such as https://play.example"
    if config.web is not None:
        host, _, port = config.web.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or int(port[:6]) > 65535:
            yield f"--web '{config.web}': not HOST:PORT"
        if config.web_port is not None:
            yield "--web and --web-port: give one of them"
    if config.web_files is not None and not config.web_files.is_dir():
        yield f"--web-files '{config.web_files}': not a folder"
    if (config.tls_certificate is None) != (config.tls_key is None):
        yield "--tls-certificate and --tls-key: one is of no use without the other"
    if config.tls_client_ca is not None and config.tls_certificate is None:
        yield "--tls-client-ca: needs --tls-certificate and --tls-key"
    for name in ("tls_certificate", "tls_key", "tls_client_ca", "tokens"):
        path = getattr(config, name)
        if path is not None and not os.access(path, os.R_OK):
            yield f"{_flag(name)} '{path}': cannot be read"
    if config.default_time_limit > config.max_time_limit:
        yield "--default-time-limit: more than --max-time-limit"


def _written(value: Any) -> str:
    """A value as TOML; empty for None, which TOML does not know."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, str | Path):
        text = str(value).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    return str(value)


def describe(config: Config) -> str:
    """Every option with its meaning, danger and value: a file that `--config` reads."""
    parts = []
    for name, option in _FIELDS.items():
        lines = [f"# {option.metadata['text']}"]
        if option.metadata["danger"]:
            lines.append(f"# Beware: {option.metadata['danger']}")
        value = _written(getattr(config, name))
        lines.append(f"{name} = {value}" if value else f"# {name} =")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
