"""Measure how many small faults the tests catch.

    python scripts/faults.py draw --count 40 --seed 7 [--same-in REVISION] > faults.json
    python scripts/faults.py judge faults.json [--revision REVISION] > judged.json

`draw` picks functions at random from every room and one fault for each: a comparison turned, a
branch dropped, a constant changed, or two arguments swapped. `judge` finds the test files that
enter these functions. It then puts one fault at a time into a copy of the working tree, or of a
revision, and runs these files, those of its room and of the faces, without `thorough`, until one
fails. To compare the suites of two revisions, draw from the functions that both have.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FACES = ("tests/lsp_server", "tests/jupyter_ext", "tests/workbench/commands", "tests/mcp_server")
ROOMS = ("workbench/*", "lsp_server", "jupyter_ext", "mcp_server", "torchferry")
# Shipped as text, generated, or proven by the rules' cases.
LEFT_OUT = ("/helpers/", "/upstream/", "/node_modules/", "workbench/targets/jax/rules")
SECONDS = 1800  # for the tests of one fault

Function = ast.FunctionDef | ast.AsyncFunctionDef
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Fault:
    """One fault: `number` counts the places of this kind within the function."""

    file: str
    function: str
    line: int
    kind: str
    number: int


# ----------------------------------------------------------------------------- kinds of faults


def turn_comparison(node: ast.AST) -> bool:
    """Replace an operator by its opposite."""
    if not isinstance(node, ast.Compare) or type(node.ops[0]) not in TURNED:
        return False
    node.ops[0] = TURNED[type(node.ops[0])]()
    return True


def drop_branch(node: ast.AST) -> bool:
    """Replace the body of an `if` by nothing."""
    if not isinstance(node, ast.If):
        return False
    node.body = [ast.Pass()]
    return True


def change_constant(node: ast.AST) -> bool:
    """Change a number, a truth value or a text; texts of several words are left, as messages."""
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    if isinstance(value, bool):
        node.value = not value
    elif isinstance(value, int | float):
        node.value = value + 1
    elif isinstance(value, str) and value and " " not in value:
        node.value = value + "x"
    else:
        return False
    return True


def swap_arguments(node: ast.AST) -> bool:
    """Swap the first two positional arguments of a call."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return False
    if any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
        return False
    node.args[:2] = node.args[1::-1]
    return True


KINDS: dict[str, Callable[[ast.AST], bool]] = {
    "comparison turned": turn_comparison,
    "branch dropped": drop_branch,
    "constant changed": change_constant,
    "arguments swapped": swap_arguments,
}


def body_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    for statement in body:
        yield from ast.walk(statement)


def count_places(function: Function, kind: str) -> int:
    """Return how many faults of a kind fit into a function."""
    return sum(KINDS[kind](node) for node in body_nodes(copy.deepcopy(function)))


def functions_of(tree: ast.Module) -> dict[str, Function]:
    """Return the functions of a module by their qualified names."""
    found: dict[str, Function] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, Function):
                found[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")

    visit(tree.body, "")
    return found


# ----------------------------------------------------------------------------- drawing


def draw(count: int, seed: int, same_in: str | None = None) -> list[Fault]:
    """Draw faults, going through the rooms in turn; each function has at most one."""
    chance = random.Random(seed)
    rooms = [list(files) for pattern in ROOMS for files in rooms_of(pattern)]
    faults: dict[tuple[str, str], Fault] = {}
    while len(faults) < count:
        for files in rooms:
            fault = draw_one(chance, files, same_in)
            if fault is not None and len(faults) < count:
                faults.setdefault((fault.file, fault.function), fault)
    return list(faults.values())


def rooms_of(pattern: str) -> Iterator[list[Path]]:
    """Yield the source files of each room."""
    for folder in sorted(ROOT.glob(pattern)):
        files = [
            file
            for file in sorted(folder.rglob("*.py"))
            if not any(part in file.as_posix() for part in LEFT_OUT)
        ]
        if folder.is_dir() and files:
            yield files


def draw_one(chance: random.Random, files: list[Path], same_in: str | None) -> Fault | None:
    """Draw a fault in one of these files; None if the drawn function has no place for one."""
    file = chance.choice(files)
    functions = functions_of(ast.parse(file.read_text(encoding="utf-8")))
    if same_in:
        before = {name: ast.dump(one) for name, one in functions_in(same_in, file).items()}
        functions = {n: one for n, one in functions.items() if before.get(n) == ast.dump(one)}
    if not functions:
        return None
    name = chance.choice(sorted(functions))
    kinds = [kind for kind in KINDS if count_places(functions[name], kind)]
    if not kinds:
        return None
    kind = chance.choice(kinds)
    number = chance.randrange(count_places(functions[name], kind))
    return Fault(str(file.relative_to(ROOT)), name, functions[name].lineno, kind, number)


def functions_in(revision: str, file: Path) -> dict[str, Function]:
    """Return the functions of a file as a revision has it; none if it lacks the file."""
    command = ["git", "show", f"{revision}:{file.relative_to(ROOT)}"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return functions_of(ast.parse(shown.stdout)) if shown.returncode == 0 else {}


# ----------------------------------------------------------------------------- judging


def faulty(source: str, fault: Fault) -> str:
    """Return a source file with a fault put in."""
    tree = ast.parse(source)
    function = functions_of(tree)[fault.function]
    apply = KINDS[fault.kind]
    # A trial on a copy says which nodes the kind fits, since applying it changes them.
    trial = [apply(node) for node in body_nodes(copy.deepcopy(function))]
    places = [node for node, fits in zip(body_nodes(function), trial, strict=True) if fits]
    apply(places[fault.number])
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


# Notes which test file enters a function. A process that a test starts may serve other tests too,
# so its notes are marked with a star.
NOTE = """
def _note():
    import builtins, os, sys
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    line = f"{NUMBER} {test}{'' if 'pytest' in sys.modules else ' *'}\\n"
    seen = builtins.__dict__.setdefault("_notes_of_faults", set())
    if line not in seen:
        seen.add(line)
        with open(FILE, "a") as file:
            file.write(line)
_note()
"""


def noting(source: str, numbers: dict[str, int], file: Path) -> str:
    """Return a source file whose functions note, by their numbers, which test enters them."""
    tree = ast.parse(source)
    functions = functions_of(tree)
    for name, number in numbers.items():
        note = NOTE.replace("NUMBER", str(number)).replace("FILE", repr(str(file)))
        body = functions[name].body
        at = 1 if ast.get_docstring(functions[name]) is not None else 0
        body[at:at] = ast.parse(note).body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def test_files(faults: list[Fault], root: Path) -> tuple[list[list[str]], list[str]]:
    """Return, for each fault, the test files of its room and of the faces that enter its function.

    The files of the nearest folder come first. The tests that fail without a fault come with them.
    """
    notes = root / "notes.txt"
    notes.touch()
    before = {fault.file: (root / fault.file).read_text(encoding="utf-8") for fault in faults}
    for file, source in before.items():
        numbers = {one.function: n for n, one in enumerate(faults) if one.file == file}
        (root / file).write_text(noting(source, numbers, notes), encoding="utf-8")
    folders = list(dict.fromkeys(folder for one in faults for folder in folders_of(one.file, root)))
    broken = pytest(["-n", "2", "--dist", "loadfile", *outermost(folders)], root, 4 * 3600)
    for file, source in before.items():
        (root / file).write_text(source, encoding="utf-8")
    entered: list[set[str]] = [set() for _ in faults]
    for line in notes.read_text(encoding="utf-8").splitlines():
        number, test, *shared = line.split(" ")
        folder = (root / test).parent
        files = sorted(folder.glob("test_*.py")) if shared and test else [root / test]
        entered[int(number)] |= {str(one.relative_to(root)) for one in files}
    found = [
        [
            file
            for folder in folders_of(fault.file, root)
            for file in sorted(files)
            if file.startswith(f"{folder}/")
        ]
        for fault, files in zip(faults, entered, strict=True)
    ]
    return found, broken


def folders_of(file: str, root: Path) -> list[str]:
    """Return the test folders of a file's room, nearest first, and those of the faces."""
    parts = Path(file).parent.parts
    nearest = ["/".join(["tests", *parts[:length]]) for length in range(len(parts), 0, -1)]
    rooms = [folder for folder in nearest if folder != "tests/workbench"]
    return [folder for folder in dict.fromkeys([*rooms, *FACES]) if (root / folder).exists()]


def outermost(folders: list[str]) -> list[str]:
    """Leave out folders that are within another one."""
    return [one for one in folders if not any(one.startswith(f"{other}/") for other in folders)]


def judge(fault: Fault, files: list[str], broken: list[str], root: Path) -> dict[str, Any]:
    """Run test files on one fault until a test fails that is not broken without it."""
    left_out = [argument for test in broken for argument in ("--deselect", test)]
    file = root / fault.file
    before = file.read_text(encoding="utf-8")
    file.write_text(faulty(before, fault), encoding="utf-8")
    try:
        run = pytest(["-x", *left_out, *dict.fromkeys(files)], root, SECONDS) if files else []
    finally:
        file.write_text(before, encoding="utf-8")
    return {**asdict(fault), "files": len(set(files)), "caught": bool(run), "by": run[:1]}


def pytest(arguments: list[str], root: Path, seconds: int) -> list[str]:
    """Run pytest in a copy of the tree; return the tests that fail."""
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-m", "not thorough"]
    command += ["-p", "no:cacheprovider", "-p", "no:randomly", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    try:
        run = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return ["hangs"]
    if run.returncode in (0, 5):
        return []
    failed = [
        line.split(" - ")[0].split(" ", 1)[1]
        for line in run.stdout.splitlines()
        if line.startswith(("FAILED tests/", "ERROR tests/"))
    ]
    return failed or ["ends without a report"]


def copied(revision: str | None, folder: Path) -> Path:
    """Copy the working tree as git knows it, or a revision."""
    root = folder / "tree"
    if revision:
        root.mkdir()
        archive = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", root], input=archive.stdout, check=True)
        return root
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    return root


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw faults")
    drawing.add_argument("--count", type=int, default=40)
    drawing.add_argument("--seed", type=int, default=0)
    drawing.add_argument("--same-in", help="draw from functions that this revision has as well")
    judging = commands.add_parser("judge", help="run the tests on each fault")
    judging.add_argument("faults", type=Path)
    judging.add_argument("--revision", help="in a copy of this revision")
    options = parser.parse_args()
    if options.command == "draw":
        drawn = draw(options.count, options.seed, options.same_in)
        json.dump([asdict(fault) for fault in drawn], sys.stdout, indent=1)
        return
    faults = [Fault(**row) for row in json.loads(options.faults.read_text(encoding="utf-8"))]
    with tempfile.TemporaryDirectory() as folder:
        root = copied(options.revision, Path(folder))
        found, broken = test_files(faults, root)
        for fault, files in zip(faults, found, strict=True):
            print(json.dumps(judge(fault, files, broken, root)), flush=True)


if __name__ == "__main__":
    main()
