"""Weights that a model accesses other than by attribute.

`torch.export` finds a module's parameters by its attributes. A parameter accessed through a plain
list of layers or a closure becomes a constant, which no state dict holds and no optimizer updates.
It becomes a parameter again if the model has it under some name, and is reported if not.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch._subclasses import FakeTensor
from torch.export import _trace

from workbench.capture.provenance import place_of
from workbench.capture.stand_ins.data import written_behind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.export import ExportedProgram
    from torch.fx import GraphModule


# torch's function that turns constants into inputs of a program.
_LIFTING = "_materialize_and_lift_constants"
# Key of a placeholder's metadata until `restore`: the tensor that the model read.
_READ = "torchferry_read"
_MOST_NAMES = 3


@contextmanager
def reached() -> Iterator[None]:
    """Record which tensors of the model a program's constants are, while open.

    Raises:
        CaptureError: a constant has no value, but is a traced tensor.
    """
    original = getattr(_trace, _LIFTING)

    def lift(module: GraphModule, *rest: Any) -> Any:
        for node in module.graph.nodes:
            value = getattr(module, str(node.target), None) if node.op == "get_attr" else None
            if isinstance(value, FakeTensor):
                raise written_behind(node, *node.users)
            if isinstance(value, torch.Tensor):
                node.meta[_READ] = value
        return original(module, *rest)

    with patch.object(_trace, _LIFTING, lift):
        yield


def restore(exported: ExportedProgram, module: torch.nn.Module) -> list[str]:
    """Replace constants of the program that are weights of the model by these weights.

    Returns:
        Warnings: about trained tensors that are not weights of the model, and about weights
        that no operator reads.
    """
    parameters = list(module.named_parameters(remove_duplicate=False))
    names = {id(weight): name for name, weight in (*parameters, *module.named_buffers())}
    signature = exported.graph_signature
    placeholders = [node for node in exported.graph.nodes if node.op == "placeholder"]
    inputs = list(zip(placeholders, signature.input_specs, strict=True))
    own = {spec.target: node for node, spec in inputs if spec.target}
    others: dict[str, int] = {}
    for constant, spec in inputs:
        weight = constant.meta.pop(_READ, None)
        if weight is None:
            continue
        if (name := names.get(id(weight))) in own:
            constant.replace_all_uses_with(own[name])
            exported.graph.erase_node(constant)
            signature.input_specs.remove(spec)
            del exported.constants[spec.target]
        elif weight.requires_grad:
            exported.constants[spec.target] = weight.detach()
            place = str(place_of(constant, *constant.users) or type(module).__name__)
            others[place] = others.get(place, 0) + 1
    exported.graph_module.recompile()
    read = {id(weight) for name, weight in parameters if name in own and own[name].users}
    unread = [
        name
        for name, weight in module.named_parameters()
        if weight.requires_grad and id(weight) not in read
    ]
    warnings = [
        (
            f"{place}: {count} of the weights read here are not parameters of"
            f" {type(module).__name__}: they become constants, which no state dict contains and no"
            " optimizer updates"
        )
        for place, count in others.items()
    ]
    if unread:
        shown = ", ".join(unread[:_MOST_NAMES]) + (", ..." if len(unread) > _MOST_NAMES else "")
        warnings.append(f"no operator reads {len(unread)} of the parameters ({shown})")
    return warnings
