"""Who may import whom, and what the core shows to the outside."""

import ast
import importlib.metadata
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import bura_core

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "bura_core"
SERVICE = ROOT / "service" / "src" / "bura_service"
CLIENT = ROOT / "clients" / "python" / "src" / "bura"

# The only file of the service that may know the core and the messages of the wire.
TRANSLATOR = "convert.py"

# Cython's own declarations of C: no code of anybody else's.
C_DECLARATIONS = {"cython", "libc", "cpython", "posix"}

SCREEN = 45  # names that fit on one screen


@dataclass(frozen=True)
class Import:
    """One import statement's target, as an absolute dotted name."""

    name: str
    line: int

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]

    def within(self, *packages: str) -> bool:
        return any(self.name == p or self.name.startswith(p + ".") for p in packages)


def python_imports(source: str, package: str) -> Iterator[Import]:
    """Every import in a Python module or stub of the package, by name and at run time too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *filter(None, [node.module])])
            # `from bura import v1` imports bura.v1 when that is a module: count both.
            yield Import(base, node.lineno)
            yield from (Import(f"{base}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in {"import_module", "__import__", "run_module"} and node.args:
                target = node.args[0]
                known = isinstance(target, ast.Constant) and isinstance(target.value, str)
                yield Import(str(target.value) if known else "<computed>", node.lineno)


def cython_imports(source: str) -> Iterator[Import]:
    """Every import and cimport in a .pyx or .pxd file."""
    code = re.sub(r'"""(?:.|\n)*?"""', lambda text: "\n" * text[0].count("\n"), source)
    for number, line in enumerate(code.splitlines(), 1):
        statement = line.partition("#")[0].strip()
        if match := re.match(r"from\s+([\w.]+)\s+c?import\b", statement):
            yield Import(match[1], number)
        elif match := re.match(r"c?import\s+(.+)", statement):
            yield from (Import(name.split()[0], number) for name in match[1].split(","))
        elif match := re.match(r"include\s+(.+)", statement):
            yield Import(f"<include {match[1]}>", number)


def package_of(path: Path, top: Path) -> str:
    """The dotted name of the package that a file below the package folder `top` is in."""
    return ".".join((top.name, *path.relative_to(top).parent.parts))


def files(top: Path, *suffixes: str) -> list[Path]:
    found = sorted(p for p in top.rglob("*") if p.suffix in suffixes and p.is_file())
    assert found, f"no {suffixes} under {top}"
    return found


def imports_below(top: Path, *suffixes: str) -> Iterator[tuple[str, Import]]:
    """(place, import) for every import in the Python files of a package."""
    for path in files(top, *(suffixes or (".py", ".pyi"))):
        for target in python_imports(path.read_text("utf-8"), package_of(path, top)):
            yield f"{path.relative_to(ROOT)}:{target.line}: {target.name}", target


def third_party(imports: Iterator[tuple[str, Import]], *own: str) -> dict[str, str]:
    """Imported packages that are neither the standard library's nor `own`: name to place."""
    return {
        target.top: place
        for place, target in imports
        if target.top not in sys.stdlib_module_names and target.top not in own
    }


def declared(pyproject: Path) -> set[str]:
    """The distributions that a package depends on, in lower case."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    wanted = [*project["dependencies"]]
    if pyproject.parent != ROOT:  # whose extra is for development
        wanted += [requirement for extra in extras.values() for requirement in extra]
    return {
        re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")
        for requirement in wanted
    }


def test_the_core_needs_the_standard_library_only() -> None:
    assert third_party(imports_below(CORE), "bura_core") == {}
    assert declared(ROOT / "pyproject.toml") == set()


def test_compiled_modules_import_nothing_from_outside_the_core() -> None:
    allowed = C_DECLARATIONS | {"bura_core"} | sys.stdlib_module_names
    wrong = [
        f"{path.name}:{target.line}: {target.name}"
        for path in files(CORE, ".pyx", ".pxd")
        for target in cython_imports(path.read_text("utf-8"))
        # A relative name stays inside the package: it is flat.
        if not target.name.startswith(".") and target.top not in allowed
    ]
    assert wrong == []


def test_only_the_core_is_compiled() -> None:
    folders = [ROOT / "service", ROOT / "clients" / "python", ROOT / "tests"]
    assert [p for f in folders for p in f.rglob("*") if p.suffix in {".pyx", ".pxd"}] == []


def test_the_client_knows_neither_core_nor_service() -> None:
    wrong = [
        place
        for place, target in imports_below(CLIENT)
        if target.within("bura_core", "bura_service") or target.name == "<computed>"
    ]
    assert wrong == []


def test_nobody_imports_the_service() -> None:
    folders = [CORE, CLIENT, *(f for f in [ROOT / "benchmarks", ROOT / "proto"] if f.is_dir())]
    wrong = [
        f"{path.relative_to(ROOT)}:{target.line}: {target.name}"
        for folder in folders
        for path in folder.rglob("*.py")
        if ".tools" not in path.parts
        for target in python_imports(path.read_text("utf-8"), "")
        if target.within("bura_service")
    ]
    assert wrong == []


def test_one_file_of_the_service_translates_between_core_and_wire() -> None:
    both = []
    for path in files(SERVICE, ".py"):
        found = list(python_imports(path.read_text("utf-8"), package_of(path, SERVICE)))
        core = any(target.within("bura_core") for target in found)
        wire = any(target.within("bura.v1") for target in found)
        if core and wire:
            both.append(str(path.relative_to(SERVICE)))
    assert both == [TRANSLATOR]


def test_the_service_takes_only_the_messages_from_the_client() -> None:
    wrong = [
        place
        for place, target in imports_below(SERVICE)
        if target.top == "bura" and target.name != "bura" and not target.within("bura.v1")
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("top", "own"),
    [
        pytest.param(CLIENT, {"bura"}, id="client"),
        pytest.param(SERVICE, {"bura", "bura_core", "bura_service"}, id="service"),
    ],
)
def test_every_imported_package_is_declared(top: Path, own: set[str]) -> None:
    dependencies = declared(top.parent.parent / "pyproject.toml")
    dists = importlib.metadata.packages_distributions()
    undeclared = {
        package: place
        for package, place in third_party(imports_below(top, ".py"), *own).items()
        if not dependencies & {dist.lower().replace("_", "-") for dist in dists.get(package, [])}
    }
    assert undeclared == {}


def test_the_reference_shares_nothing_with_the_project() -> None:
    source = (ROOT / "tests" / "reference.py").read_text("utf-8")
    imported = {target.top for target in python_imports(source, "")}
    assert imported <= sys.stdlib_module_names


def test_the_public_api_fits_on_one_screen() -> None:
    names = bura_core.__all__
    assert len(names) <= SCREEN
    assert sorted(set(names)) == sorted(names)
    missing = [name for name in names if not hasattr(bura_core, name)]
    assert missing == []


def undocumented(name: str, thing: object) -> Iterator[str]:
    """Public functions, classes, methods and properties without a docstring of their own."""
    text = inspect.getdoc(thing)
    # dataclass writes a signature where there is no docstring.
    if not text or text.startswith(f"{name}("):
        yield name
    if not inspect.isclass(thing):
        return
    for attribute, value in vars(thing).items():
        public = not attribute.startswith("_")
        if public and (
            callable(value) or isinstance(value, property | classmethod | staticmethod)
        ):
            member = getattr(thing, attribute) if not isinstance(value, property) else value
            if not inspect.getdoc(member):
                yield f"{name}.{attribute}"


def test_everything_public_has_a_docstring() -> None:
    wrong = [
        missing
        for name in bura_core.__all__
        if callable(getattr(bura_core, name))
        for missing in undocumented(name, getattr(bura_core, name))
    ]
    assert wrong == []


def test_a_forbidden_import_is_seen_however_it_is_written() -> None:
    source = """
import os, grpc.aio as g
from bura_core._rules import Position
from . import v1
from .. import other
def late():
    from bura_service.server import Server
    importlib.import_module("numpy.linalg")
    __import__(name)
"""
    found = sorted(python_imports(source, "bura.v2"), key=lambda target: target.line)
    assert [target.name for target in found] == [
        "os",
        "grpc.aio",
        "bura_core._rules",
        "bura_core._rules.Position",
        "bura.v2",
        "bura.v2.v1",
        "bura",
        "bura.other",
        "bura_service.server",
        "bura_service.server.Server",
        "numpy.linalg",
        "<computed>",
    ]


def test_a_forbidden_cimport_is_seen_however_it_is_written() -> None:
    source = '''
"""A docstring
import nothing
"""
from libc.stdint cimport uint64_t, \\
    uint8_t
cimport numpy as np, cython  # import not
cdef import_nothing()
    from bura_core._cards cimport popcount
include "more.pxi"
import grpc
'''
    assert [target.name for target in cython_imports(source)] == [
        "libc.stdint",
        "numpy",
        "cython",
        "bura_core._cards",
        '<include "more.pxi">',
        "grpc",
    ]
