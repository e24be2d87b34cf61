"""Measure how many small faults the tests catch.

    python scripts/faults.py draw --count 40 --seed 7 > faults.json
    python scripts/faults.py judge faults.json [--tests REVISION] > judged.json

`draw` picks functions at random from every room and one fault for each: a comparison turned, a
branch dropped, a constant changed, or two arguments swapped. `judge` puts one fault at a time into
a copy of the working tree and runs the tests of its room and of the faces, without `thorough`,
until one fails. `--tests` takes the tests of another revision, to compare two suites.
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
SECONDS = 900  # for the tests of one fault

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


def draw(count: int, seed: int) -> list[Fault]:
    """Draw faults, going through the rooms in turn."""
    chance = random.Random(seed)
    rooms = [list(files) for pattern in ROOMS for files in rooms_of(pattern)]
    faults: list[Fault] = []
    while len(faults) < count:
        for files in rooms:
            fault = draw_one(chance, files)
            if fault is not None and len(faults) < count:
                faults.append(fault)
    return faults


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


def draw_one(chance: random.Random, files: list[Path]) -> Fault | None:
    """Draw a fault in one of these files; None if the drawn function has no place for one."""
    file = chance.choice(files)
    functions = functions_of(ast.parse(file.read_text(encoding="utf-8")))
    if not functions:
        return None
    name = chance.choice(sorted(functions))
    kinds = [kind for kind in KINDS if count_places(functions[name], kind)]
    if not kinds:
        return None
    kind = chance.choice(kinds)
    number = chance.randrange(count_places(functions[name], kind))
    return Fault(str(file.relative_to(ROOT)), name, functions[name].lineno, kind, number)


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


def tests_of(file: str, root: Path) -> list[str]:
    """Return the test folders of a file's room, nearest first, and those of the faces."""
    parts = Path(file).parent.parts
    nearest = ["/".join(["tests", *parts[:length]]) for length in range(len(parts), 0, -1)]
    rooms = [folder for folder in nearest if folder != "tests/workbench"]
    return [folder for folder in dict.fromkeys([*rooms, *FACES]) if (root / folder).exists()]


def judge(fault: Fault, root: Path) -> dict[str, Any]:
    """Run the tests on one fault in a copy of the tree."""
    file = root / fault.file
    before = file.read_text(encoding="utf-8")
    file.write_text(faulty(before, fault), encoding="utf-8")
    try:
        return {**asdict(fault), **run_tests(tests_of(fault.file, root), root)}
    finally:
        file.write_text(before, encoding="utf-8")


def run_tests(folders: list[str], root: Path) -> dict[str, Any]:
    """Run folders one after another until a test fails."""
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done: list[str] = []
    for folder in folders:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-m", "not thorough"]
        command += ["-p", "no:cacheprovider", *[f"--ignore={one}" for one in done], folder]
        try:
            run = subprocess.run(
                command, cwd=root, env=environment, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return {"caught": True, "by": f"{folder} hangs"}
        if run.returncode not in (0, 5):
            failed = [
                line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))
            ]
            return {"caught": True, "by": (failed or run.stdout.splitlines()[-1:] or ["?"])[0]}
        done.append(folder)
    return {"caught": False, "by": ""}


def copied(tests: str | None, folder: Path) -> Path:
    """Copy the working tree as git knows it; with `tests`, take these from that revision."""
    root = folder / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split("\0"):
        source = ROOT / name
        if name and source.is_file() and not (tests and name.startswith("tests/")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, root / name)
    if tests:
        archive = subprocess.run(
            ["git", "archive", tests, "tests"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", root], input=archive.stdout, check=True)
    return root


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw faults")
    drawing.add_argument("--count", type=int, default=40)
    drawing.add_argument("--seed", type=int, default=0)
    judging = commands.add_parser("judge", help="run the tests on each fault")
    judging.add_argument("faults", type=Path)
    judging.add_argument("--tests", help="take the tests of this revision")
    options = parser.parse_args()
    if options.command == "draw":
        json.dump(
            [asdict(fault) for fault in draw(options.count, options.seed)], sys.stdout, indent=1
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        root = copied(options.tests, Path(folder))
        for row in json.loads(options.faults.read_text(encoding="utf-8")):
            print(json.dumps(judge(Fault(**row), root)), flush=True)


if __name__ == "__main__":
    main()
