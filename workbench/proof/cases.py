"""A rule's own cases: snippets of torch code, run as they are and converted, and compared.

    python -m workbench.proof.cases [--style exact] [NAME-PREFIX ...]

proves the rules whose torch names begin so, and prints one line for each that fails. In the plain
style a case at which the target raises is counted apart, since nobody overlooks it;
and so is one that differs where a finding tells of a small difference.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from workbench.convert.conversion import convert
from workbench.proof.function_gradients import of_gradients
from workbench.proof.samples.seeding import plainly_seeded
from workbench.proof.snippet import NOT_INSTALLED, NOTICED, PLAIN_CASE, Outcome, Result
from workbench.proof.trial import compare, execute, in_float64
from workbench.proof.values import largest_difference, width_of, without_tape
from workbench.rules.difference import Difference
from workbench.rules.rule import Rule
from workbench.targets import DEFAULT, PLAIN, STYLES, Target, load
from workbench.upstream.vision import available

# Names that a case may use without defining them.
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
# Paddle's own gradients require gradients, which matters only inside a graph.
_OF_GRADIENTS = re.compile(r"(\w+: (\[\d+\]: )?requires_grad True instead of False(; )?)+")
_GIVEN = frozenset({"_rng", "x", "y", "w", "a", "img", "p", "d", "i", "n", "m", "sq"})


def prove_case(
    name: str, case: str, *, target: str | Target = DEFAULT, prelude: str = ""
) -> Result:
    """Run a case on both sides.

    Every name that the case binds is compared; a final expression is bound to `result`. A case that
    raises must raise on both sides. The whole snippet must convert: an unconverted use is a
    failure. `prelude` is code to run after PRELUDE.
    """
    return _proven(name, "case", case, target, prelude)


def prove_plainly(name: str, case: str, *, target: str | Target = DEFAULT) -> Result:
    """Run a case on both sides, converted in the plain style.

    The outcome is RAISES if the target raises, and REPORTED if a finding reports the difference.
    That gradients themselves require gradients in the target is not a difference.
    """
    return _proven(name, PLAIN_CASE, case, load(target, PLAIN), "")


def prove_variant(
    name: str, form: str, case: str, *, target: str | Target = DEFAULT, prelude: str = ""
) -> Result:
    """Run a case with its call in another form; the form may be refused with a reason.

    The outcome is SKIPPED if torch does not accept the form.
    """
    return _proven(name, form, case, target, prelude)


def _proven(name: str, form: str, case: str, target: str | Target, prelude: str) -> Result:
    aim = load(target)
    source = PRELUDE + prelude + with_result(case)
    if not aim.tape:
        source += _reading(case)

    def result(outcome: Outcome, detail: str = "", largest: float = 0.0) -> Result:
        shown = conversion.code.removeprefix(PRELUDE) if conversion else ""
        found = conversion.findings if conversion else []
        written = dict.fromkeys(one.target for one in found if one.name == name and one.target)
        reported = {one.code for one in found} & set(Difference)
        differs = tuple(sorted(map(str, reported)))
        return Result(
            name, form, "", outcome, detail, largest, case, shown, tuple(written), differs
        )

    conversion = None
    for package in ("torchvision", "timm"):
        if package in case and not available(package):
            return result(Outcome.SKIPPED, f"{package}{NOT_INSTALLED}")
    expected, error = execute(source, {})
    if error and form != "case":
        return result(Outcome.SKIPPED, f"torch: {error}")
    conversion = convert(plainly_seeded(source, aim.name) if aim.plain else source, target=aim)
    if conversion.unconverted:
        return result(Outcome.REFUSED, "; ".join(row.message for row in conversion.unconverted))
    with width_of(aim):
        actual, other = execute(conversion.code, {})
    if error and other:
        return result(Outcome.EQUAL, f"both raise: {error}")
    if error or other:
        raises = aim.style == PLAIN and other
        words = f"torch: {error or 'runs'}; {aim.name}: {other or 'runs'}"
        differing = result(Outcome.REPORTED, words)
        if error and differing.differs:
            return differing
        return result(Outcome.RAISES if raises else Outcome.FAILS, words)
    kept = expected if aim.plain is None else _read_again(expected, case)
    kept = kept if aim.tape else without_tape(kept)
    found = compare(kept, actual, lambda: in_float64(source, {}))
    if not found and not aim.tape:
        with width_of(aim):
            found = of_gradients(PRELUDE + prelude, with_result(case), conversion)
    if found and not (aim.plain is not None and _OF_GRADIENTS.fullmatch(found)):
        differing = result(Outcome.REPORTED, found)
        return differing if differing.differs else result(Outcome.WRONG, found)
    largest = largest_difference(expected.get("result"), actual.get("result"))
    return result(Outcome.EQUAL, "", largest)


def _reading(case: str) -> str:
    """Return a line that reads what a case binds, so that a converted step keeps it."""
    if ".backward(" not in case:
        return ""
    targets = [
        node
        for statement in ast.parse(case).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for node in ast.walk(target)
    ]
    names = [one.id for one in targets if isinstance(one, ast.Name) and _stores(one)]
    return f"({', '.join(dict.fromkeys(names))},)\n" if names else ""


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _read_again(bound: dict[str, Any], case: str) -> dict[str, Any]:
    """Return the bound names, without inputs that the case passes once and never reads again.

    The plain style depends on what a program reads: an input that is not read may be overwritten.
    """
    named = Counter(node.id for node in ast.walk(ast.parse(case)) if isinstance(node, ast.Name))
    return {key: value for key, value in bound.items() if key not in _GIVEN or named[key] != 1}


def with_result(case: str) -> str:
    lines = case.strip("\n")
    tree = ast.parse(lines)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return lines + "\n"
    rows = lines.split("\n")
    rows[last.lineno - 1] = f"result = {rows[last.lineno - 1]}"
    return "\n".join(rows) + "\n"


def cases_of(rule: Rule, target: Target) -> tuple[str, ...]:
    """Return the cases of a rule, and in the plain style also those of its plain form."""
    form = target.plain.get(rule.name, target.version) if target.plain is not None else None
    return tuple(dict.fromkeys((*rule.cases, *(form.cases if form is not None else ()))))


def prove(rules: Iterator[Rule], target: str | Target = DEFAULT) -> Iterator[Result]:
    """Run every case of these rules."""
    aim = load(target)
    for rule in rules:
        for case in cases_of(rule, aim):
            yield prove_case(rule.name, case, target=target)


def main(arguments: list[str]) -> int:
    """Prove the rules of some prefixes; return 0 if all hold, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--style", choices=STYLES, default=PLAIN)
    more = "also print cases that raise, or whose difference is reported"
    # Its former name, `--noticed`, is an alias for one release.
    parser.add_argument("--show-reported", "--noticed", action="store_true", help=more)
    parser.add_argument("prefixes", nargs="*")
    options = parser.parse_args(arguments)
    target = load(DEFAULT, options.style)
    prefixes = tuple(options.prefixes)
    rules = [rule for rule in target.rules if not prefixes or rule.name.startswith(prefixes)]
    found: Counter[str] = Counter()
    quiet = {Outcome.EQUAL, Outcome.SKIPPED, *(() if options.show_reported else NOTICED)}
    for result in prove(iter(rules), target):
        found[result.outcome] += 1
        if result.outcome not in quiet:
            print(f"{result.rule}\n    {result.source}\n    {result.outcome}: {result.detail}")
            print(f"    written: {result.converted.strip()}")
    bare = [r.name for r in rules if not r.cases and r.refusal is None]
    figures = ", ".join(f"{count} {outcome}" for outcome, count in found.items())
    print(f"{len(rules)} rules: {figures}; {len(bare)} rules without cases")
    if bare:
        print("without cases:", ", ".join(bare))
    return 1 if found.keys() - {Outcome.EQUAL, Outcome.SKIPPED, *NOTICED} else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
