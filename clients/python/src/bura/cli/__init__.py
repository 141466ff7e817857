"""The command `bura`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    # What grpc's own library writes on standard error says nothing that our errors don't.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from bura.cli.app import run

    sys.exit(run(sys.argv[1:]))
