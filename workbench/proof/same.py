"""Which calls of torch a target takes as they stand: found by trial, written to its record.

    python -m workbench.proof.same [--share 0.5] [--jobs 1] [NAME ...]

runs, for every name that has a rule and a namesake in the target, the rule's cases and torch's own
samples in many forms, with the one call left as it is, and writes how they ended to `same.json`
(`workbench.rules.same` reads it). With names, the rows of these alone are written anew.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.proof.jobs import Job, catalogue
from workbench.proof.samples.call_forms import OPERATORS
from workbench.proof.snippet import Outcome, Result, Snippet
from workbench.proof.worker import Worker, run_all
from workbench.rules.same import COPIES, CORNER, EQUAL, LOUD, MIXED, SILENT, Shape, shape_of
from workbench.source.types.lattice import UNKNOWN, Instance, Items, Plain, Tensor, Value
from workbench.targets import DEFAULT, Target, load
from workbench.upstream.facts import load as load_facts

_TRIED = {"torch": "", "torch.nn.functional": "", "torch.linalg": "", "torch.fft": ""}
_DTYPES = ("float32", "float64", "int64", "bool")
_ALIASED = 8  # trials per name that write to the result, to see whether that changes an argument


def tried(target: Target) -> list[str]:
    """Return the names that have a rule, and an attribute of the same name in the target."""
    found = []
    for rule in target.rules:
        owner, _, member = rule.name.rpartition(".")
        if rule.refusal is not None or rule.keep or member.startswith("__"):
            continue  # kept names need no trial, and operators have separate rules
        if owner == "torch.Tensor":
            holder: Any = import_module(target.module).Tensor
        elif owner in _TRIED:
            holder = import_module(target.counterparts[owner])
        else:
            continue
        value = getattr(holder, member, None)
        if callable(value) and not isinstance(value, type):
            found.append(rule.name)
    return found


def trials(job: Job, spec: str, share: float) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield the trials of a job, each with its text: a name's cases, or an operator's samples."""
    from workbench.proof.samples import operators

    target = load(spec)
    if job.kind == "cases":
        for source in _cases(job.name, target):
            yield source, partial(_tried, _Trial(job.name, source, {}, target))
        return
    names = set(tried(target))
    aliased: Counter[str] = Counter()
    for snippet in operators.snippets(job.name, share):
        if snippet.rule in names and snippet.dtype in _DTYPES and _telling(snippet):
            trial = _Trial(snippet.rule, snippet.source(), snippet.arrays, target, snippet)
            yield trial.source, partial(_tried, trial, aliased)


def _telling(snippet: Snippet) -> bool:
    """Return whether a form shows a call as it is written, with deterministic results."""
    forms = ("bound name", "unpacked", "class", "variables")
    return not snippet.random and not any(form in snippet.form for form in forms)


def _cases(name: str, target: Target) -> Iterator[str]:
    from workbench.proof.cases import PRELUDE, with_result
    from workbench.proof.samples.variants import variants

    rule = target.rules.get(name)
    for case in rule.cases if rule is not None else ():
        for text in (case, *(text for _, text in variants(name, case))):
            yield PRELUDE + with_result(text)


@dataclass(frozen=True)
class _Trial:
    """A torch source text, and the name that it exercises."""

    name: str
    source: str
    arrays: dict[str, Any]
    target: Target
    snippet: Snippet | None = None

    def calls(self) -> list[ast.expr]:
        """Return the calls of the name, and the operators that are equivalent to one."""
        member = self.name.rpartition(".")[2]
        found: list[ast.expr] = []
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of_torch = _of_torch(node.func.value)
                method = ".Tensor." in self.name
                if node.func.attr == member and of_torch is not method:
                    found.append(node)
            elif isinstance(node, ast.BinOp | ast.Compare) and member in OPERATORS:
                found.append(node)
        return found


def _of_torch(node: ast.expr) -> bool:
    first = ast.unparse(node).partition(".")[0]
    return first in {"torch", "F", "nn"}


def _tried(trial: _Trial, aliased: Counter[str] | None = None) -> Result:
    """Run one trial; the result's `form` has the shapes, its `detail` the end."""
    from workbench.proof.trial import compare, define_gradients, execute, gradient_of, in_float64

    def ended(end: str, detail: str = "") -> Result:
        return Result(trial.name, shapes, "", Outcome.EQUAL, f"{end} {detail}", 0.0, trial.source)

    shapes = ""
    source = trial.source
    expected, error = execute(source, trial.arrays)
    if error:
        return ended("")
    shapes = json.dumps([[list(s.layout), s.dtypes] for s in _shapes(trial, expected)])
    gradient = gradient_of(trial.snippet, expected) if trial.snippet is not None else ""
    if gradient:
        longer, error = execute(source + gradient + "\n", trial.arrays)
        if error is None:
            source, expected = source + gradient + "\n", longer
    written = in_target(source, trial.target)
    actual, error = execute(written, trial.arrays)
    if error:
        return ended(LOUD, error)
    if gradient:
        define_gradients(expected, actual)
    actual = {key: _without_graph(expected.get(key), value) for key, value in actual.items()}
    found = compare(expected, actual, lambda: in_float64(source, trial.arrays))
    if found:
        return ended(CORNER if _odd(expected) else SILENT, found)
    end = EQUAL
    if aliased is not None and aliased[trial.name] < _ALIASED:
        aliased[trial.name] += 1
        end += COPIES if _aliases(trial, expected, actual) else ""
    return ended(end)


def _without_graph(mine: Any, theirs: Any) -> Any:
    """Detach the target's value if torch's is a gradient or holds integers.

    Paddle's gradients and indices require gradients themselves, which changes no value.
    """
    both = isinstance(mine, list | tuple) and isinstance(theirs, list | tuple)
    if both and len(mine) == len(theirs):
        return [_without_graph(one, other) for one, other in zip(mine, theirs, strict=True)]
    torch = import_module("torch")
    if not isinstance(mine, torch.Tensor) or not hasattr(theirs, "stop_gradient"):
        return theirs
    plain = not mine.requires_grad and (mine.grad_fn is None or not mine.is_floating_point())
    return theirs.detach() if plain and not theirs.stop_gradient else theirs


def in_target(source: str, target: Target) -> str:
    """Return a text with torch's modules replaced by the target's, and every call unchanged."""
    text = source
    for module in sorted(_TRIED, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(module)}\b(?!\.Tensor\b)", target.counterparts[module], text)
    text = text.replace(f"{target.module}.tensor(", f"{target.module}.to_tensor(")
    return text.replace("requires_grad=True)", "stop_gradient=False)")


def _shapes(trial: _Trial, names: dict[str, Any]) -> set[Shape]:
    found = set()
    keywords: list[ast.keyword]
    for node in trial.calls():
        if isinstance(node, ast.Call) and any(one.arg is None for one in node.keywords):
            continue
        if isinstance(node, ast.BinOp):
            parts, keywords = [node.left, node.right], []
        elif isinstance(node, ast.Compare):
            parts, keywords = [node.left, *node.comparators], []
        else:
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            own = [node.func.value] if ".Tensor." in trial.name else []
            parts, keywords = [*own, *node.args], node.keywords
        values = [("", _value_of(part, names)) for part in parts]
        named = {one.arg or "": _value_of(one.value, names) for one in keywords}
        found.add(shape_of(values, named))
    return found


def _value_of(node: ast.expr, names: dict[str, Any]) -> Value:
    """Return what the analysis would infer for an argument, given the actual values."""
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
        return UNKNOWN
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _value(eval(ast.unparse(node), dict(names)))
    except Exception:  # it was changed since, or is part of a larger text
        return UNKNOWN


def _value(value: Any) -> Value:
    import torch

    if isinstance(value, torch.Tensor):
        return Tensor(dtype=str(value.dtype).removeprefix("torch."), scalar=value.ndim == 0)
    if isinstance(value, torch.Size):
        return Instance("torch.Size")
    if isinstance(value, list | tuple):
        items = tuple(map(_value, value))
        return Items(type(value).__name__, items[0] if items else UNKNOWN, items)
    if isinstance(value, torch.dtype | torch.device):
        return Instance(f"torch.{type(value).__name__}")
    return Plain(type(value).__name__)


def _odd(names: dict[str, Any]) -> bool:
    """Return whether an input tensor is empty or has NaN or infinities.

    A first tensor without dimensions counts as well, as few programs use one.
    """
    import torch

    inputs = [value for key, value in names.items() if key not in {"result", "grads"}]
    held = [item for v in inputs for item in (v if isinstance(v, list | tuple) else [v])]
    tensors = [item for item in held if isinstance(item, torch.Tensor)]
    first = names.get("t0")
    if isinstance(first, torch.Tensor) and not first.ndim:
        return True
    return any(not item.numel() or not torch.isfinite(item).all() for item in tensors)


def _aliases(trial: _Trial, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """Return whether writing to the result changes an argument on one side only."""
    from workbench.proof.trial import compare

    if "result" not in actual or not _written(expected["result"], import_module("torch")):
        return False
    if not _written(actual["result"], import_module(trial.target.module)):
        return True
    for names in (expected, actual):
        names.pop("grads", None)
    return compare(expected, actual, dict) is not None


def _written(result: Any, framework: Any) -> bool:
    items = result if isinstance(result, list | tuple) else [result]
    try:
        with framework.no_grad():
            for item in items:
                if isinstance(item, framework.Tensor):
                    item.add_(framework.ones_like(item))
    except Exception:  # integers, or several elements that share memory
        return False
    return True


def rows_of(results: list[Result]) -> dict[str, dict[str, str]]:
    """Return the record's rows: by name and layout, the dtypes with the ends of their trials."""
    ends: dict[str, dict[str, dict[str, set[str]]]] = {}
    for result in results:
        if not result.form or not result.detail[:1].strip():
            continue
        end = result.detail.partition(" ")[0]
        by_layout = ends.setdefault(result.rule, {})
        if end.endswith(COPIES):
            by_layout.setdefault(COPIES, {}).setdefault("", set()).add(EQUAL)
        for layout, dtypes in json.loads(result.form):
            text = ", ".join(layout)
            by_layout.setdefault(text, {}).setdefault(dtypes, set()).add(end[0])
    rows = {}
    for name in sorted(ends):
        if any(EQUAL in how for each in ends[name].values() for how in each.values()):
            rows[name] = {
                layout: " ".join(dtypes + _together(how) for dtypes, how in sorted(each.items()))
                for layout, each in sorted(ends[name].items())
            }
    return rows


def _together(ends: set[str]) -> str:
    if SILENT in ends:
        return SILENT
    if ends == {LOUD}:
        return LOUD
    if CORNER in ends:
        return CORNER
    return MIXED if LOUD in ends else EQUAL


def main(arguments: list[str]) -> int:
    """Run the trials, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--log", help="a file for every result, one line of JSON each")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    target = load(DEFAULT)
    path = import_module(f"workbench.targets.{target.name}").SAME
    names = {load_facts().canonical(name) for name in options.names or tried(target)}
    wanted = [
        job
        for job in catalogue(target.name)
        if job.kind in {"cases", "operator"} and names & set(job.rules)
    ]
    workers = [Worker(target.name, options.share, make=trials) for _ in range(options.jobs)]
    results: list[Result] = []
    for number, (job, found) in enumerate(run_all(wanted, workers)):
        results += [
            _hung(one, job, target) if one.outcome == Outcome.HANGS else one for one in found
        ]
        print(f"{number + 1}/{len(wanted)} {job.name}", file=sys.stderr, flush=True)
        if options.log:
            with Path(options.log).open("a", encoding="utf-8") as log:
                for one in found:
                    row = [one.rule, one.form, one.outcome, one.detail, one.source[-300:]]
                    log.write(json.dumps(row) + "\n")
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kept = {name: rows for name, rows in known.items() if options.names and name not in names}
    written = dict(sorted({**kept, **rows_of([r for r in results if r.rule in names])}.items()))
    path.write_text(json.dumps(written, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(results)} trials; {len(written)} names with a call that stays as it is")
    return 0


def _hung(result: Result, job: Job, target: Target) -> Result:
    """Return the result of a trial that ended its process: the call must not stay unchanged."""
    shapes = _shapes(_Trial(job.rules[0], result.source, {}, target), {})
    layouts = json.dumps([[list(one.layout), one.dtypes] for one in shapes])
    return replace(result, form=layouts, detail=f"{SILENT} {result.detail}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
