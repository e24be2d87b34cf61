"""Recipes: which models and training loops of which packages are built, and how they are called.

`recipes.txt` has a section for each package and a line for each recipe; its head explains them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("recipes.txt")
SCRIPT = "recipes_of_package"  # the module that holds the recipes of a package as torch code
STEPS = 3


@dataclass(frozen=True)
class Recipe:
    """A model, its inputs, and either a call or a training loop.

    Attributes:
        name: what the table calls it.
        build: an expression that makes the model.
        inputs: keyword arguments of the call, as text.
        call: an expression of `model` and the inputs; the loss of a training loop.
        optimizer: statements that make the optimizer of a training loop; empty otherwise.
        after: statements after each step of the optimizer, such as that of a schedule.
    """

    name: str
    build: str
    inputs: str
    call: str
    optimizer: str = ""
    after: str = ""

    @property
    def trains(self) -> bool:
        """Return whether it is a training loop."""
        return bool(self.optimizer)

    @property
    def arguments(self) -> dict[str, str]:
        """The inputs by name, each as an expression."""
        call = ast.parse(f"f({self.inputs})", mode="eval").body
        assert isinstance(call, ast.Call)
        return {str(one.arg): ast.unparse(one.value) for one in call.keywords}


@dataclass
class Package:
    """A package with its recipes.

    Attributes:
        requirement: name and version, as pip takes them.
        kind: its field, such as vision.
        installed: packages that it imports and that use no torch.
        converted: packages that it imports and that are converted with it.
        only: folders and files to convert; everything where there are none.
        imports: statements at the head of the recipes.
        recipes: models and training loops.
    """

    requirement: str
    kind: str
    installed: list[str] = field(default_factory=list)
    converted: list[str] = field(default_factory=list)
    only: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its name without the version."""
        return self.requirement.partition("==")[0]

    def script(self) -> str:
        """Its recipes as a module of torch code, which is converted like the package's own."""
        head = ["import torch", "import torch.nn.functional as F", "from torch import nn"]
        parts = ["\n".join([*head, *self.imports])]
        for number, recipe in enumerate(self.recipes):
            parts.append(f"def build_{number}():\n    return {recipe.build}")
            parts.append(_training(number, recipe) if recipe.trains else _call(number, recipe))
        return "\n\n\n".join(parts) + "\n"


def _call(number: int, recipe: Recipe) -> str:
    return f"def call_{number}({_parameters(recipe)}):\n    return {recipe.call}"


def _training(number: int, recipe: Recipe) -> str:
    lines = [
        f"def train_{number}({_parameters(recipe)}):",
        *(f"    {one.strip()}" for one in recipe.optimizer.split(";")),
        "    history = []",
        f"    for _ in range({STEPS}):",
        "        optimizer.zero_grad()",
        f"        loss = {recipe.call}",
        "        loss.backward()",
        "        optimizer.step()",
        *(f"        {one.strip()}" for one in recipe.after.split(";") if one.strip()),
        "        history.append(loss.item())",
        "    return history",
    ]
    return "\n".join(lines)


def _parameters(recipe: Recipe) -> str:
    """`model` and the inputs, with the types that a person would annotate."""
    typed = [
        f"{name}: torch.Tensor" if value.startswith("torch.") else name
        for name, value in recipe.arguments.items()
    ]
    return ", ".join(["model", *typed])


def read(text: str) -> list[Package]:
    """Return the packages of a file of recipes.

    Raises:
        ValueError: a line is not what the head of the file describes.
    """
    packages: list[Package] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("["):
                requirement, _, kind = line[1:].partition("]")
                packages.append(Package(requirement, kind.strip()))
            else:
                _add(packages[-1], *line.split(None, 1))
        except (IndexError, TypeError, ValueError, SyntaxError) as error:
            raise ValueError(f"line {number}: {line}: {error}") from error
    return packages


def _add(package: Package, word: str, rest: str) -> None:
    if word in ("import", "from"):
        package.imports.append(f"{word} {rest}")
    elif word in ("installed", "converted", "only"):
        getattr(package, word).extend(rest.split())
    elif word in ("model", "loop"):
        name, _, text = rest.partition(":")
        fields = [one.strip() for one in text.split(" | ")]
        if word == "model" and len(fields) == 2:
            names = Recipe(name, *fields, "").arguments
            fields.append(f"model({', '.join(names)})")
        recipe = Recipe(name.strip(), *fields)
        if recipe.trains != (word == "loop"):
            raise ValueError("a loop has an optimizer, a model has none")
        ast.parse(recipe.build), recipe.arguments, ast.parse(recipe.call)
        package.recipes.append(recipe)
    else:
        raise ValueError(f"unknown word {word}")
