"""`docs/architecture.md` and the decisions name what exists, and every room of the engine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = ("workbench", "lsp_server", "mcp_server", "jupyter_ext", "torchferry")
DECISIONS = [file.read_text(encoding="utf-8") for file in (ROOT / "docs" / "adr").glob("0*.md")]
QUOTED = sorted({name for text in (TEXT, *DECISIONS) for name in re.findall(r"`([^`\n]+)`", text)})
DOTTED = [name for name in QUOTED if re.fullmatch(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+", name)]
PLACES = [name for name in QUOTED if re.fullmatch(rf"(?:{'|'.join(PACKAGES)})/[\w/.]*", name)]


def missing(name: str, root: Path = ROOT) -> str | None:
    """Return the first part of a dotted name that the source lacks, or None if it has all."""
    parts = name.split(".")
    place, done = root, 0
    while done < len(parts) and (place / parts[done]).is_dir():
        place, done = place / parts[done], done + 1
    if done < len(parts) and (place / f"{parts[done]}.py").is_file():
        place, done = place / f"{parts[done]}.py", done + 1
    elif place != root:
        place = place / "__init__.py"
    if not place.is_file():
        return parts[0]
    body = ast.parse(place.read_text(encoding="utf-8")).body
    for part in parts[done:]:
        found = _defined(body).get(part)
        if found is None:
            return part
        body = found.body if isinstance(found, ast.ClassDef) else []
    return None


def _defined(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[statement.name] = statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            aims = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.update((aim.id, statement) for aim in aims if isinstance(aim, ast.Name))
    return found


@pytest.mark.parametrize("name", DOTTED)
def test_a_name_in_the_text_exists(name: str) -> None:
    assert missing(name) is None, f"docs/ says {name}: the source has no such name"


@pytest.mark.parametrize("place", PLACES)
def test_a_place_in_the_text_exists(place: str) -> None:
    assert (ROOT / place).exists()


def test_the_text_names_enough_to_be_worth_following() -> None:
    assert len(DOTTED) > 60 and len(PLACES) > 10


def test_every_room_is_in_the_table() -> None:
    rooms = {file.parent.name for file in (ROOT / "workbench").glob("*/__init__.py")}
    table = TEXT.partition("## Rooms")[2].partition("\n## ")[0]
    assert {room for room in rooms if f"`workbench/{room}`" not in table} == set()


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("workbench.convert.decide.planner.decide_nothing", "decide_nothing"),
        ("workbench.compare.judging.values.Judge.verdict", "verdict"),
        ("workbench.convert.gone.plan", "gone"),
        ("workbench.nowhere", "nowhere"),
    ],
)
def test_a_stale_name_is_found(name: str, part: str) -> None:
    assert missing(name) == part
