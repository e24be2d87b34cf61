"""Short programs of ordinary torch code, made from the templates in `snippets/`.

In a template, `⟨a|b⟩` becomes `a` or `b`. An expression is written at the top of a file, in a
function with or without annotations, in a computation of gradients, or in a layer's `forward`. A
layer is called, is an attribute of another layer, or trains for three steps. `settled` gives both
sides the same weights.
"""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

from workbench.proof.snippet import Snippet

NAME = "ordinary programs"
_PLACE = Path(__file__).parent / "snippets"
_HEAD = (
    "import math\nimport numpy as np\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "from bench.settled import settled\n\n"
)
_GIVEN = {
    "x": "torch.sin(torch.arange(12.0)).reshape(3, 4)",
    "y": "torch.cos(torch.arange(12.0) * 1.3).view(3, 4)",
    "v": "torch.tensor([0.5, -1.0, 2.0, 0.25])",
    "u": "torch.tensor([1.5, 0.5, -0.5])",
    "a": "torch.sin(torch.arange(24.0) * 0.7).reshape(2, 3, 4)",
    "c": "torch.cos(torch.arange(40.0) * 0.7).reshape(2, 4, 5)",
    "img": "torch.sin(torch.arange(384.0) * 1.7).reshape(2, 3, 8, 8)",
    "p": "torch.linspace(0.1, 0.9, 12).reshape(3, 4)",
    "sq": "torch.eye(4) * 2 + torch.sin(torch.arange(16.0)).view(4, 4) * 0.3",
    "t01": "torch.tensor([[1.0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]])",
    "i": "torch.tensor([[3, 1, 2, 0], [0, 2, 1, 3], [1, 1, 0, 2]])",
    "n": "torch.tensor([2, 0, 1])",
    "k": "torch.arange(6)",
    "m": "torch.tensor([[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]]).bool()",
}
_WHOLE = frozenset({"i", "n", "k", "m"})
_OPTIMIZERS = (
    "SGD(layer.parameters(), lr=0.1)",
    "SGD(layer.parameters(), lr=0.05, momentum=0.9)",
    "Adam(layer.parameters(), lr=0.01)",
    "AdamW(layer.parameters(), lr=1e-3)",
)


def snippets(count: int, seed: int) -> list[Snippet]:
    """Return this many programs: each template once, the rest at random."""
    lot = random.Random(seed)
    expressions = (_PLACE / "expressions.txt").read_text(encoding="utf-8").splitlines()
    layers = (_PLACE / "layers.txt").read_text(encoding="utf-8").splitlines()
    programs = (_PLACE / "programs.txt").read_text(encoding="utf-8").split("\n===\n")
    makers = (_expression, expressions), (_layer, layers), (_program, programs)
    found = dict.fromkeys(make(_drawn(text, lot), lot) for make, texts in makers for text in texts)
    for _ in range(20 * count):
        if len(found) >= count:
            break
        make, texts = lot.choices(makers, weights=(6, 2, 2))[0]
        found[make(_drawn(lot.choice(texts), lot), lot)] = None
    texts = list(found)
    lot.shuffle(texts)
    return [Snippet(NAME, NAME, "float32", _HEAD, text) for text in texts[:count]]


def _drawn(template: str, lot: random.Random) -> str:
    """Return a template with one of each of its alternatives."""
    return re.sub("⟨([^⟨⟩]*)⟩", lambda found: lot.choice(found[1].split("|")), template)


def _program(text: str, lot: random.Random) -> str:
    return text


def _expression(text: str, lot: random.Random) -> str:
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    names = [name for name in _GIVEN if name in read]
    *before, last = text.split("; ")
    floats = [name for name in names if name not in _WHOLE]
    context = lot.choice(["top", "top", "function", "function", "annotated", "method", "gradient"])
    if context == "top" or not names:
        return _made(names) + "".join(f"{line}\n" for line in before) + f"result = {last}\n"
    if context == "method":
        body = "".join(f"        {line}\n" for line in [*before, f"return {last}"])
        head = f"class Part(nn.Module):\n    def forward(self, {', '.join(names)}):\n"
        return f"{head}{body}\n\n{_made(names)}result = Part()({', '.join(names)})\n"
    note = ": torch.Tensor" if context == "annotated" else ""
    body = "".join(f"    {line}\n" for line in [*before, f"return {last}"])
    text = f"def compute({', '.join(name + note for name in names)}):\n{body}\n\n"
    if context != "gradient" or not floats:
        return f"{text}result = compute({', '.join(_GIVEN[name] for name in names)})\n"
    leaf = lot.choice(floats)
    return (
        f"{text}{_made(names)}{leaf}.requires_grad_()\nresult = compute({', '.join(names)})\n"
        "first = result[0] if isinstance(result, (tuple, list)) else result\n"
        "if isinstance(first, torch.Tensor) and first.requires_grad:\n"
        f"    (first * first).sum().backward()\n    result = [first.detach(), {leaf}.grad]\n"
    )


def _layer(text: str, lot: random.Random) -> str:
    made, _, given = text.partition(" || ")
    data = _made(given.split(", "))
    context = lot.choice(["called", "called", "held", "trained", "trained"])
    if context == "called":
        return f"layer = settled({made})\n{data}result = layer({given})\n"
    if context == "held":
        return (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.layer = {made}\n\n    def forward(self, *inputs):\n"
            f"        return self.layer(*inputs)\n\n\n{data}net = settled(Net()).eval()\n"
            f"result = net({given}).detach()\n"
        )
    return (
        f"layer = settled({made})\n{data}if list(layer.parameters()):\n"
        f"    optimizer = torch.optim.{lot.choice(_OPTIMIZERS)}\nresult = []\n"
        f"for _ in range(3):\n    loss = layer({given}).pow(2).mean()\n"
        "    if loss.requires_grad:\n        optimizer.zero_grad()\n        loss.backward()\n"
        "        optimizer.step()\n    result.append(loss.item())\n"
    )


def _made(names: list[str]) -> str:
    return "".join(f"{name} = {_GIVEN[name]}\n" for name in names)
