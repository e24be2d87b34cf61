"""A rule's own cases: snippets of torch code, run as they are and converted, and compared.

    python -m workbench.proof.cases [NAME-PREFIX ...]

proves the rules whose torch names begin so, and prints one line for each that fails.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.convert.conversion import convert
from workbench.proof.values import difference
from workbench.rules.rule import Rule
from workbench.targets import load

# What a case may use without defining it.
PRELUDE = """\
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

_rng = np.random.default_rng(0)
x = torch.tensor(_rng.standard_normal((3, 4)).astype("float32"))
y = torch.tensor(_rng.standard_normal((3, 4)).astype("float32"))
w = torch.tensor(_rng.standard_normal((3, 4)).astype("float32"), requires_grad=True)
a = torch.tensor(_rng.standard_normal((2, 3, 4)).astype("float32"))
img = torch.tensor(_rng.standard_normal((2, 3, 8, 8)).astype("float32"))
p = torch.tensor(_rng.uniform(0.1, 0.9, (3, 4)).astype("float32"))
d = torch.tensor(_rng.standard_normal((3, 4)))
i = torch.tensor([[3, 1, 2, 0], [0, 2, 1, 3], [1, 1, 0, 2]])
n = torch.tensor([2, 0, 1])
m = torch.tensor([[True, False, True, False], [False, False, True, True], [True, True, True, True]])
sq = torch.tensor(_rng.standard_normal((4, 4)).astype("float32"))
"""
_GIVEN = frozenset({"_rng", "x", "y", "w", "a", "img", "p", "d", "i", "n", "m", "sq"})


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: what went wrong, None where both sides agree, and the code that was run."""

    rule: str
    case: str
    problem: str | None
    converted: str


def prove_case(name: str, case: str, *, target: str = "paddle") -> CaseResult:
    """Run a case on both sides.

    Every name that the case binds is compared; its last line, where it is an expression, is
    bound to `result`. A case that raises must raise on both sides. The whole snippet must
    convert: an unconverted use is a failure.
    """
    source = PRELUDE + _with_result(case)
    conversion = convert(source, target=target)
    code = conversion.code.split("\n")
    shown = "\n".join(code)
    if conversion.unconverted:
        reasons = "; ".join(finding.message for finding in conversion.unconverted)
        return CaseResult(name, case, f"not converted: {reasons}", shown)
    expected, error = _run(source)
    actual, other = _run(conversion.code)
    if error or other:
        same = error is not None and other is not None
        problem = None if same else f"torch: {error or 'runs'}; {target}: {other or 'runs'}"
        return CaseResult(name, case, problem, shown)
    problems = []
    for key, value in expected.items():
        if key.startswith("_") or isinstance(value, types.ModuleType | types.FunctionType | type):
            continue
        found = difference(value, actual.get(key))
        if found:
            problems.append(f"{key}: {found}")
    return CaseResult(name, case, "; ".join(problems) or None, shown)


def _with_result(case: str) -> str:
    lines = case.strip("\n")
    tree = ast.parse(lines)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return lines + "\n"
    rows = lines.split("\n")
    rows[last.lineno - 1] = f"result = {rows[last.lineno - 1]}"
    return "\n".join(rows) + "\n"


def _run(code: str) -> tuple[dict[str, Any], str | None]:
    namespace: dict[str, Any] = {"__name__": "case"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "<case>", "exec"), namespace)
    except Exception as error:
        return namespace, f"{type(error).__name__}: {str(error).strip().splitlines()[-1:]}"
    return namespace, None


def prove(rules: Iterator[Rule], target: str = "paddle") -> Iterator[CaseResult]:
    """Run every case of these rules."""
    for rule in rules:
        for case in rule.cases:
            yield prove_case(rule.name, case, target=target)


def main(prefixes: list[str]) -> int:
    """Prove the rules of these prefixes; the exit code says whether all hold."""
    rules = [
        rule
        for rule in load("paddle").rules
        if not prefixes or any(rule.name.startswith(prefix) for prefix in prefixes)
    ]
    failed = total = 0
    for result in prove(iter(rules)):
        total += 1
        if result.problem:
            failed += 1
            print(f"{result.rule}\n    {result.case}\n    {result.problem}")
    bare = [r.name for r in rules if not r.cases and r.refusal is None]
    print(f"{len(rules)} rules, {total} cases, {failed} failed; {len(bare)} rules without cases")
    if bare:
        print("without cases:", ", ".join(bare))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
