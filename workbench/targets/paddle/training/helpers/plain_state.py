"""The state of Paddle's own optimizers, by the places of their parameters."""

from __future__ import annotations

from typing import Any

import paddle


def torch_optimized(optimizer: Any) -> list[Any]:
    """The parameters of an optimizer, of all its groups."""
    groups = optimizer._param_groups
    if not isinstance(groups[0], dict):
        return list(groups)
    return [parameter for group in groups for parameter in group["params"]]


def torch_optimizer_state(optimizer: Any) -> dict[str, Any]:
    """`state_dict`, by the places of parameters: Paddle's names are those of one optimizer."""
    places = {one.name: place for place, one in enumerate(torch_optimized(optimizer))}
    state: dict[str, Any] = {"lr": optimizer.get_lr()}
    for kind, values in optimizer._accumulators.items():
        state |= {f"{kind}.{places[name]}": value for name, value in values.items()}
    if "LR_Scheduler" in (rest := optimizer.state_dict()):
        state["LR_Scheduler"] = rest["LR_Scheduler"]
    return state


def torch_load_optimizer_state(optimizer: Any, state: dict[str, Any]) -> None:
    """`load_state_dict` of what `torch_optimizer_state` gave, of this or of another optimizer."""
    parameters = torch_optimized(optimizer)
    optimizer.helper = paddle.base.layer_helper.LayerHelper(type(optimizer).__name__)
    block = paddle.base.framework.default_main_program().global_block()
    with paddle.no_grad():
        optimizer._create_accumulators(block, [one for one in parameters if not one.stop_gradient])
    for kind, values in optimizer._accumulators.items():
        for place, parameter in enumerate(parameters):
            if parameter.name in values and f"{kind}.{place}" in state:
                values[parameter.name] = state[f"{kind}.{place}"]  # not copied, as in torch
    if "LR_Scheduler" in state:
        optimizer._learning_rate.set_state_dict(state["LR_Scheduler"])
    elif isinstance(optimizer._learning_rate, float):
        optimizer.set_lr(state["lr"])
