"""Compile the Cython modules with GCC or Clang; all else is in pyproject.toml.

Switches, all read from the environment and off by default:
BURA_PORTABLE=1  code for any processor of the last fifteen years, not just this machine's;
BURA_DEBUG=1     assertions and bounds checks on, little optimization, debug symbols;
BURA_SANITIZE=1  AddressSanitizer and UndefinedBehaviorSanitizer;
BURA_QUICK=1     compiled in a third of the time, for tests of how things are packaged.
"""

import os
import platform
import sys
import tempfile
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DEBUG, SANITIZE, PORTABLE, QUICK = (
    os.environ.get(f"BURA_{name}", "0") not in ("", "0")
    for name in ("DEBUG", "SANITIZE", "PORTABLE", "QUICK")
)
# Each kind of build keeps its own C files: Cython compares times, not directives.
KIND = "debug" if DEBUG else "release"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": DEBUG,
}
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


class BuildExt(build_ext):
    """Adds the C flags once the compiler is known."""

    def build_extensions(self) -> None:
        flags = ["-O1", "-g", "-UNDEBUG"] if DEBUG else ["-O1" if QUICK else "-O3"]
        # Lines are enough for a sanitizer's report, and take a third less time than all symbols.
        flags += [*SANITIZERS, "-g1", "-fno-omit-frame-pointer"] if SANITIZE else []
        flags += self.machine_flags()
        for extension in self.extensions:
            extension.extra_compile_args += flags
            extension.extra_link_args += SANITIZERS if SANITIZE else []
        super().build_extensions()

    def machine_flags(self) -> list[str]:
        """The first wanted flag that this compiler takes. With it, counting or spreading bits
        is one instruction; a compiler that takes none of them compiles for its baseline."""
        portable = ["-march=x86-64-v2", "-mpopcnt"] if platform.machine() == "x86_64" else []
        for flag in portable if PORTABLE else ["-march=native", "-mcpu=native", *portable]:
            with tempfile.TemporaryDirectory() as scratch:
                probe = Path(scratch, "probe.c")
                probe.write_text("int probe(int x) { return x; }\n")
                try:
                    self.compiler.compile([str(probe)], scratch, extra_preargs=["-Werror", flag])
                except Exception:  # each compiler class has its own error for a refused flag
                    continue
                return [flag]
        return []


EXTENSIONS = [
    Extension(
        path.removesuffix(".pyx").replace(os.sep, "."),
        [path],
        depends=sorted(glob("bura_core/*.pxd")),
        define_macros=[] if DEBUG else [("CYTHON_WITHOUT_ASSERTIONS", "1")],
    )
    for path in sorted(glob("bura_core/*.pyx"))
]
# What only packs sources or tells their names needs no C files, which take half a minute.
if sys.argv[1:2] not in (["sdist"], ["egg_info"], ["dist_info"]):
    EXTENSIONS = cythonize(
        EXTENSIONS, build_dir=f"build/cython-{KIND}", compiler_directives=DIRECTIVES
    )

setup(
    cmdclass={"build_ext": BuildExt},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=EXTENSIONS,
)
