"""A project's packages of torch's ecosystem, and the parts that no conversion of files covers."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from workbench import files
from workbench.ports.plan import Package, Risk
from workbench.source.packages import TORCH_PACKAGES, UNWRAPPED
from workbench.targets import Target

_ROOTS = frozenset(name.partition(".")[0] for name in TORCH_PACKAGES)
_SOURCES = {".cu": "CUDA", ".cuh": "CUDA", ".cpp": "C++", ".cc": "C++"}
_LOOPS = frozenset(
    {"lightning", "pytorch_lightning", "accelerate", "ignite", "fastai", "skorch", "mmengine"}
)
# What to look for in the names of imports, with the kind of risk and the advice.
_NAMES = (
    ("torch.utils.cpp_extension", "extension", "the operators that it builds need a port by hand"),
    ("torch.ops.load_library", "extension", "the operators that it loads need a port by hand"),
    ("triton", "Triton", "kernels stay as they are: call them, or a library's, by hand"),
    ("torch.distributed", "distributed", "run it on several devices of the target by hand"),
    ("torch.nn.parallel", "distributed", "run it on several devices of the target by hand"),
    ("torch.hub", "downloads", "weights are torch's: convert them with torchferry weights"),
    ("huggingface_hub", "downloads", "weights are torch's: convert them with torchferry weights"),
    ("torch.jit", "TorchScript", "saved programs of TorchScript are not read by the target"),
)


def packages_in(trees: Mapping[PurePosixPath, ast.Module], target: Target) -> list[Package]:
    """Return the packages of torch's ecosystem that files import, commonest first."""
    counts: Counter[str] = Counter()
    for tree in trees.values():
        counts.update({name.partition(".")[0] for name in _imports(tree)})
    for path in trees:  # packages of the project itself
        counts.pop(path.parts[0].removesuffix(".py"), None)
    own = {name.partition(".")[0] for name in target.facts.own_packages} | {
        "torchvision",
        "einops",
        "einx",
    }
    found = []
    for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        if name in own and name != "torch":
            fate = f"works with {target.title}" if name == "einops" else "converted, as torch is"
            found.append(Package(name, count, fate))
        elif name in _LOOPS:
            way = "torchferry unwrap" if name in UNWRAPPED else "write its loop in plain torch"
            found.append(Package(name, count, f"{way} first"))
        elif name in _ROOTS and name != "torch":
            found.append(Package(name, count, f"convert it as well, or use {target.title}'s own"))
    return found


def risks_in(
    folder: Path, paths: list[PurePosixPath], trees: Mapping[PurePosixPath, ast.Module]
) -> Iterator[Risk]:
    """Yield the parts of a project that need other work than the conversion of files.

    Args:
        folder: the project.
        paths: all its files.
        trees: its files of Python.
    """
    for path in paths:
        language = _SOURCES.get(path.suffix)
        if language is not None and _may_be_torch(folder / path):
            advice = "a custom operator: write it with the target's operators, or port it by hand"
            yield Risk(f"{language} source", str(path), advice)
    for path, tree in trees.items():
        names = list(_imports(tree)) + list(_chains(tree))
        seen: set[str] = set()
        for prefix, kind, advice in _NAMES:
            if kind not in seen and any(f"{one}.".startswith(f"{prefix}.") for one in names):
                seen.add(kind)
                yield Risk(kind, str(path), advice)
        loops = sorted({one.partition(".")[0] for one in names} & _LOOPS)
        for name in loops:
            way = "unwrap it with torchferry unwrap" if name in UNWRAPPED else "write a plain loop"
            yield Risk("training loop", str(path), f"{name} runs it: {way} first")


def _may_be_torch(file: Path) -> bool:
    try:
        return re.search(rb"torch|ATen|at::|__global__", files.read(file)) is not None
    except OSError:
        return False


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a file imports, and the names that it imports from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _chains(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names of torch that a file uses, such as `torch.hub`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if text.startswith("torch."):
                yield text
