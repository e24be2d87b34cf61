"""Snippets from the examples in torch's own documentation, read from the installed torch.

An example runs once, statement by statement. Statements that raise are omitted, since many examples
are only outlines. Random inputs are replaced by the numbers drawn, and layers get the weights they
had, so that both sides compute with the same values.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import doctest
import importlib
import inspect
import re
import types
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from workbench.proof.samples.sample_spelling import Setup, UnwritableError
from workbench.proof.snippet import Snippet
from workbench.proof.trial import execute, quiet
from workbench.proof.values import difference
from workbench.upstream.facts import load
from workbench.words import words

_SPACES = words(
    "torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils "
    "torch.nn.utils.rnn torch.nn.utils.parametrizations torch.nn.utils.parametrize "
    "torch.nn.utils.prune torch.linalg torch.fft torch.special torch.sparse "
    "torch.signal.windows torch.autograd torch.autograd.functional torch.func torch.optim "
    "torch.optim.lr_scheduler torch.optim.swa_utils torch.utils.data torch.distributions "
    "torch.testing torch.amp"
)
# Imports that the documentation presupposes.
_PRELUDE = (
    "import torch.nn as nn",
    "import torch.nn.functional as F",
    "import torch.optim as optim",
    "import numpy as np",
    "import math",
)
_UNDEFINED = re.compile(r"\b(new_)?empty(_\w+)?\(|\.(Float|Int|Long)?Tensor\(\d")
_DRAWS = frozenset({"randn", "rand", "randint", "randperm", "randn_like", "rand_like", "normal"})
_UNDONE = {
    "set_default_dtype": "torch.set_default_dtype(torch.float32)",
    "set_default_tensor_type": "torch.set_default_dtype(torch.float32)",
    "set_grad_enabled": "torch.set_grad_enabled(True)",
    "set_printoptions": "torch.set_printoptions(profile='default')",
}
# These affect more than the process, or take minutes.
_LEFT_ALONE = re.compile(
    r"\b(cuda|xpu|mps|open|save|load|from_file|distributed|multiprocessing|num_workers|compile|export|jit"
    r"|DataParallel|DistributedDataParallel|hub|time|sleep|input\(\))\b"
)


@cache
def _documents() -> dict[str, str]:
    """Return the texts with examples, by the name that they document; each text once."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for space in _SPACES:
        owner = _reached(space)
        for member in sorted(dir(owner)):
            value = inspect.getattr_static(owner, member, None)
            value = getattr(value, "__func__", value)
            text = getattr(value, "__doc__", None)
            if member.startswith("__") or inspect.ismodule(value) or not isinstance(text, str):
                continue
            if ">>>" in text and text not in seen:
                seen.add(text)
                found[f"{space}.{member}"] = text
    return found


def _reached(space: str) -> Any:
    return torch.Tensor if space == "torch.Tensor" else importlib.import_module(space)


def names() -> list[str]:
    """Return the names whose documentation has examples."""
    return list(_documents())


def snippets(name: str, share: float = 1.0) -> Iterator[Snippet]:
    """Yield the examples of one name as one snippet, whatever the `share`.

    Yields nothing if torch runs none of its lines, or if it draws numbers that are not tensors.
    """
    example = _Example(name)
    for statement in _statements(_documents()[name]):
        example.add(statement)
    _restore_defaults()
    if not example.bound:
        return
    snippet = Snippet(
        rule=load().canonical(name),
        form="documented example",
        dtype="",
        setup="\n".join([*_PRELUDE, *example.imports, *example.setup.lines]),
        body="\n".join([*example.lines, f"result = {example.bound}"]),
        after=_as_before(example.lines),
        arrays=example.setup.arrays,
    )
    random = _is_random(snippet)
    if random is not None:
        yield replace(snippet, undefined=random)


def _is_random(snippet: Snippet) -> bool | None:
    """Return whether a second run gives other tensors, or whether results are uninitialized memory.

    Returns None if numbers or other Python values differ, as these cannot be compared by shape.
    """
    runs = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        names, _ = execute(snippet.source(), snippet.arrays)
        runs.append({key: one for key, one in names.items() if not key.startswith("__")})
    first, second = runs
    try:
        if any(difference(one, second.get(key), values=False) for key, one in first.items()):
            return None
        differs = any(difference(one, second.get(key)) for key, one in first.items())
    except TypeError:  # quantized tensors
        differs = False
    return differs or _UNDEFINED.search(snippet.body) is not None


def _as_before(lines: list[str]) -> str:
    """Return the lines that undo global settings of an example."""
    text = "\n".join(lines)
    return "\n".join(dict.fromkeys(line for name, line in _UNDONE.items() if name in text))


def _restore_defaults() -> None:
    for line in dict.fromkeys(_UNDONE.values()):
        exec(line, {"torch": torch})


def _statements(text: str) -> Iterator[ast.stmt]:
    """Yield the statements after the prompts that are valid Python."""
    text = re.sub(r"(?m)^(\s*)(>>>|\.\.\.)(?=\S)", r"\1\2 ", text)
    try:
        examples = doctest.DocTestParser().get_examples(inspect.cleandoc(text))
    except ValueError:  # inconsistent columns of prompts
        return
    for example in examples:
        with contextlib.suppress(SyntaxError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from ast.parse(example.source).body


class _Example:
    """The statements of an example that torch runs, and their inputs."""

    def __init__(self, name: str) -> None:
        self.lines: list[str] = []
        self.imports: list[str] = []
        self.setup = Setup()
        self.bound = ""
        self._own = name.rpartition(".")[2]
        self._home = _reached(name.rpartition(".")[0])
        self._names: dict[str, Any] = {"__name__": "example"}
        self._values = 0
        torch.manual_seed(0)
        for line in ("import torch", *_PRELUDE):
            self._runs(line)

    def add(self, statement: ast.stmt) -> None:
        """Run a statement, and add it unless torch raises."""
        if _LEFT_ALONE.search(ast.unparse(statement)):
            return
        self._import_what_it_needs(statement)
        try:
            drawn = ast.fix_missing_locations(_Drawn(self).visit(statement))
        except UnwritableError:
            return
        bound = ""
        if isinstance(drawn, ast.Expr):
            if isinstance(drawn.value, ast.Constant):
                return
            bound = f"value{self._values}"
            self._values += 1
            text = f"{bound} = {ast.unparse(drawn.value)}"
        else:
            text = ast.unparse(drawn)
            if isinstance(drawn, ast.Assign) and isinstance(drawn.targets[0], ast.Name):
                bound = drawn.targets[0].id
        if not self._runs(text):
            return
        self.lines.append(text)
        value = self._names.get(bound)
        if isinstance(drawn, ast.Expr) and value is None:
            self.lines[-1] = ast.unparse(drawn)  # only its side effect matters
            return
        self.bound = bound or self.bound
        if isinstance(value, torch.nn.Module):
            self._give_weights(bound, value)

    def _give_weights(self, bound: str, module: torch.nn.Module) -> None:
        state = dict(module.state_dict())
        if not any(isinstance(one, torch.Tensor) and one.numel() for one in state.values()):
            return
        with contextlib.suppress(UnwritableError):
            self.lines.append(f"{bound}.load_state_dict({self.setup.spell(state)})")

    def _import_what_it_needs(self, statement: ast.stmt) -> None:
        """Import names of the documented object's module that the statement uses unqualified."""
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or node.id in self._names:
                continue
            public = isinstance(self._home, types.ModuleType) and hasattr(self._home, node.id)
            if public and not hasattr(builtins, node.id) and isinstance(node.ctx, ast.Load):
                line = f"from {self._home.__name__} import {node.id}"
                self.imports.append(line)
                self._runs(line)

    def _runs(self, text: str) -> bool:
        try:
            with quiet():
                exec(compile(text, "<example>", "exec"), self._names)
        except Exception:
            return False
        return True

    def drawn(self, call: ast.Call) -> str | None:
        """Return the name bound to the result of a random call, or None for any other call."""
        function = call.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            return None
        if function.value.id != "torch" or function.attr not in _DRAWS - {self._own}:
            return None
        if any(keyword.arg in ("out", "generator") for keyword in call.keywords):
            return None
        try:
            with quiet():
                value = eval(compile(ast.Expression(call), "<draw>", "eval"), self._names)
        except Exception:
            return None
        name = self.setup.spell(value)
        self._names[name] = value
        return name


class _Drawn(ast.NodeTransformer):
    """Transformer that replaces random calls by the numbers drawn."""

    def __init__(self, example: _Example) -> None:
        self._example = example

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = self._example.drawn(ast.fix_missing_locations(node))
        return node if name is None else ast.Name(name, ast.Load())

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node
