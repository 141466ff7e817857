"""Pictures written to files."""

from __future__ import annotations

import sys
from pathlib import Path

from bura.errors import Fault, InputError, Unsupported

__all__ = ["pixels", "write_picture"]

# Twice as many pixels as the picture's own size, for today's screens and for print.
_ZOOM = 2


def pixels(svg: str) -> bytes:
    """The picture as a PNG."""
    try:
        # A wheel for every common platform and no library of the system, unlike Cairo's.
        import resvg_py
    except ImportError:
        raise Unsupported(
            "PNG needs resvg-py: `pip install 'bura-client[png]'`, or write --svg"
        ) from None
    return bytes(
        resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM, sans_serif_family="DejaVu Sans")
    )


def write_picture(path: Path, data: bytes) -> None:
    """Writes a file, or standard output for `-`."""
    if str(path) == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        reason = error.strerror or str(error)
        fault = Fault("file", str(path), reason, "name one that can be written")
        raise InputError([fault]) from None
