"""A real service, a real Chromium, and the page between them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import pytest
from browser import Service, Table
from playwright.sync_api import BrowserContext, expect, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000  # milliseconds that an answer may take on a busy machine


def chromium() -> str:
    """The browser: that of CHROMIUM, or the system's."""
    named = os.environ.get("CHROMIUM")
    for name in (named, "chromium", "chromium-browser", "google-chrome"):
        if name and (path := shutil.which(name)):
            return path
    pytest.exit("no Chromium here: install Debian's `chromium`, or name one by CHROMIUM", 3)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bura_service", "--port", "0", "--web-port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found: dict[str, str] = {}
    for line in process.stderr:
        if match := re.search(r"listening for browsers on (http://\S+)", line):
            found["page"] = match[1]
        elif match := re.search(r"listening on (\S+)", line):
            found["target"] = match[1]
        if len(found) == 2:
            break
    assert len(found) == 2, "the service has not started"
    try:
        yield Service(found["target"], found["page"])
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium(), headless=True, args=FLAGS, accept_downloads=True
        )
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE / 2)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context
        context.close()


@pytest.fixture
def table(context: BrowserContext, service: Service) -> Iterator[Table]:
    page = context.new_page()
    page.set_viewport_size({"width": 1200, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "console",
        lambda message: (
            troubles.append(message.text)
            if message.type == "error" and "Failed to load resource" not in message.text
            else None
        ),
    )
    # What a person has chosen before is not to matter to the next test.
    page.goto(service.page)
    page.evaluate("localStorage.clear()")
    yield Table(page, service.page)
    page.close()
    assert troubles == []
