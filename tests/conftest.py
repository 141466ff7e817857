"""What all tests share: how hypothesis searches, and a word on what is being tested."""

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import settings

# In CI the same examples every time; elsewhere new ones on every run.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_report_header() -> str:
    """Say which bura_core is imported: the sanitized build is another one."""
    spec = importlib.util.find_spec("bura_core")
    return f"bura_core: {spec.submodule_search_locations[0] if spec else 'not installed'}"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the working tree."""
    return Path(__file__).resolve().parent.parent
