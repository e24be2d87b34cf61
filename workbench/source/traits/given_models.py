"""Functions and classes that iterate over the parameters of a model that a caller passes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator

from workbench.source.traits.traits import Traits
from workbench.source.tree import within

PARAMETERS = frozenset({"parameters", "named_parameters", "requires_grad_"})
_COPIES = frozenset({"deepcopy", "copy"})


def takers(statement: ast.stmt) -> frozenset[str]:
    """Return the names of such functions: `count` for `def count(model): model.parameters()`."""
    if isinstance(statement, ast.ClassDef):
        return frozenset({statement.name} if _class_takes(statement) else ())
    parts = (statement, *within(statement))
    functions = [one for one in parts if isinstance(one, ast.FunctionDef)]
    return frozenset(one.name for one in functions if _takes(one))


def _class_takes(node: ast.ClassDef) -> bool:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    stored = {name for method in methods for name in _stored(method)}
    for part in within(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=member)):
                if member in stored:  # a model that wraps its argument
                    return True
        owner = _asked_for_parameters(part)
        if owner is not None and any(
            isinstance(one, ast.Attribute) and one.attr in stored for one in _path(owner)
        ):
            return True
    return any(map(_takes, methods))


def _takes(function: ast.FunctionDef) -> bool:
    given = _given(function)
    owners = filter(None, map(_asked_for_parameters, within(function)))
    return any(_first_name(owner) in given for owner in owners)


def _asked_for_parameters(node: ast.AST) -> ast.expr | None:
    """Return the model in `model.parameters()`, or in a helper's call that replaced this."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in PARAMETERS:
            return owner
        case ast.Call(func=ast.Name(id=name), args=[owner, *_]) if asks_for_parameters(name):
            return owner
    return None


def asks_for_parameters(name: str) -> bool:
    """Return whether a function of this name gives parameters: `torch_layer_parameters`, too."""
    return name in PARAMETERS or name.endswith("_parameters")


def _given(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {one.arg for one in every} - {"self"}


def _stored(method: ast.FunctionDef) -> Iterator[str]:
    """Yield the members that a method sets to an argument or to a copy of one."""
    given = _given(method)
    for part in within(method):
        if not isinstance(part, ast.Assign) or not isinstance(part.targets[0], ast.Attribute):
            continue
        value = part.value
        if isinstance(value, ast.Call) and value.args:
            callee = value.func
            if getattr(callee, "attr", getattr(callee, "id", "")) in _COPIES:
                value = value.args[0]
        if isinstance(value, ast.Name) and value.id in given:
            yield part.targets[0].attr


def _first_name(node: ast.expr) -> str:
    *_, first = _path(node)
    return first.id if isinstance(first, ast.Name) else ""


def _path(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and its owners: `self.model.head`, `self.model`, `self`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        yield node
        node = node.value
    yield node


# Packages that provide no models, or only models that are converted with the program.
_WITHOUT_MODELS = sys.stdlib_module_names | {
    "",
    "PIL",
    "cv2",
    "einops",
    "gym",
    "gymnasium",
    "imageio",
    "matplotlib",
    "nltk",
    "numpy",
    "pandas",
    "scipy",
    "seaborn",
    "skimage",
    "sklearn",
    "tensorboard",
    "tensorboardX",
    "tiktoken",
    "torch",
    "torchvision",
    "tqdm",
    "wandb",
    "yaml",
}


def may_hold_batch_norms(traits: Traits, trusted: Iterable[str] = ()) -> bool:
    """Return whether a model of a program may contain a BatchNorm.

    It may if the text names one, or if a model may come from elsewhere: from packages that are not
    `trusted`, from files outside the program, or from callers of functions that no text calls.
    """
    classes = {one.cls for one in traits.passed_on}
    named = traits.called | classes | traits.read | traits.strings | traits.bases
    if any("batchnorm" in one.lower() for one in named):
        return True
    if not traits.modules <= _WITHOUT_MODELS.union(traits.files, trusted):
        return True
    return not traits.takers <= traits.called
