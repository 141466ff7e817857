"""The TypeScript package: what others install compiles, and its examples say what they say."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from browser import WEB, Service

ROOT = WEB.parent.parent
BINARIES = WEB / "node_modules" / ".bin"


def examples(page: Path) -> list[tuple[str, str]]:
    """Each block of ```ts, with the block of ```text behind it."""
    return re.findall(
        r"^```ts\n(.*?)^```\n+^```text\n(.*?)^```$",
        page.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )


@pytest.mark.parametrize("page", ["clients/web/README.md", "docs/api.md"])
def test_examples_compile_and_print_what_they_say(
    service: Service, tmp_path: Path, page: str
) -> None:
    found = examples(ROOT / page)
    assert found
    for number, (code, printed) in enumerate(found):
        source = WEB / "build" / f"example{number}.ts"
        source.parent.mkdir(exist_ok=True)
        source.write_text(code.replace("http://localhost:8080", service.page))
        config = source.with_name("tsconfig.json")
        paths = {"bura-web": ["../src/index.ts"]}
        config.write_text(
            json.dumps(
                {
                    "extends": "../tsconfig.json",
                    "compilerOptions": {
                        "paths": paths,
                        "rootDir": "..",
                        "noEmit": True,
                        "declaration": False,
                    },
                    "include": [source.name],
                }
            )
        )
        subprocess.run([BINARIES / "tsc", "-p", config], check=True, timeout=120)
        bundle = tmp_path / "example.mjs"
        subprocess.run(
            [
                *(BINARIES / "esbuild", source, "--bundle", "--platform=node", "--format=esm"),
                *(f"--alias:bura-web={WEB / 'src' / 'index.ts'}", f"--outfile={bundle}"),
                "--log-level=error",
            ],
            check=True,
            timeout=120,
        )
        done = subprocess.run(
            ["node", bundle], check=True, capture_output=True, text=True, timeout=120
        )
        assert done.stdout.strip() == printed.strip()


def test_the_packed_package_holds_code_and_types(tmp_path: Path) -> None:
    done = subprocess.run(
        ["npm", "pack", "--json", "--pack-destination", tmp_path],
        cwd=WEB,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    text = done.stdout[done.stdout.index("[") if "[" in done.stdout else 0 :]
    packed = json.loads(text)
    [archive] = packed.values() if isinstance(packed, dict) else packed
    names = {file["path"] for file in archive["files"]}
    for name in ("dist/index.js", "dist/index.d.ts", "dist/gen/bura/v1/table_pb.js", "README.md"):
        assert name in names
    assert not [name for name in names if name.startswith(("page/", "tests/", "src/"))]


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert all(entry.get("integrity") for name, entry in lock["packages"].items() if name)
