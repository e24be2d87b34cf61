"""Snippets from torch's own databases of modules and optimizers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

from workbench.proof.samples.call_forms import Call, spellings
from workbench.proof.samples.sample_spelling import Setup, UnwritableError
from workbench.proof.snippet import Snippet
from workbench.upstream.facts import load

_STEPS = 20


def names() -> list[str]:
    """Return the modules of the database, by their torch names."""
    return [f"torch.{info.name}" for info in module_db]


def optimizer_names() -> list[str]:
    """Return the optimizers of the database, by their torch names."""
    return [_name(info) for info in optim_db]


def _name(info: Any) -> str:
    return f"torch.optim.{info.optim_cls.__name__}"


@cache
def _entries() -> dict[str, Any]:
    return {f"torch.{info.name}": info for info in module_db}


@cache
def _optimizers() -> dict[str, Any]:
    return {_name(info): info for info in optim_db}


def snippets(name: str, share: float = 1.0) -> Iterator[Snippet]:
    """Yield snippets that build the module in each form, load torch's weights, call it and
    backpropagate.
    """
    info = _entries()[name]
    count = max(3, round(10 * share))
    for dtype in (torch.float32, torch.float64):
        for training in (True, False) if info.train_and_eval_differ else (True,):
            inputs = _inputs(info, dtype, training)
            most = count if dtype is torch.float32 else 2
            step = max(1, len(inputs) // most)
            for number, item in enumerate(inputs[::step][: most + 1]):
                yield from _module(name, item, dtype, training, number)


def _inputs(info: Any, dtype: torch.dtype, training: bool) -> list[Any]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return list(info.module_inputs_func(info, "cpu", dtype, True, training))
        except Exception:  # an entry for another device
            return []


def _module(
    name: str, item: Any, dtype: torch.dtype, training: bool, number: int
) -> Iterator[Snippet]:
    made, given = item.constructor_input, item.forward_input
    setup = Setup()
    try:
        torch.manual_seed(0)
        module = _class(name)(*made.args, **made.kwargs).to(dtype)
        keywords = {key: setup.spell(value) for key, value in made.kwargs.items()}
        call = Call(name, tuple(setup.spell(value) for value in made.args), keywords)
        inputs = [setup.spell(value) for value in given.args]
        inputs += [f"{key}={setup.spell(value)}" for key, value in given.kwargs.items()]
        leaves = tuple(setup.leaves)
        lazy = "Lazy" in name
        state = "{}" if lazy else setup.spell(dict(module.state_dict()))
    except (UnwritableError, AttributeError):
        return
    except Exception:  # torch does not build it with these
        return
    forms = [(form, body) for form, body in spellings(call) if form != "bound name"]
    run = f"module({', '.join(inputs)})"
    lines = [] if dtype is torch.float32 else [f"module.to({dtype})"]
    if not training:
        lines.append("module.eval()")
    if lazy:
        lines += [run, "torch.nn.init.constant_(module.weight, 0.5)"]
        lines.append("torch.nn.init.constant_(module.bias, 0.5)" if _biased(made) else "")
    elif state != "{}":
        lines.append(f"module.load_state_dict({state})")
    for index in sorted({0, number % len(forms)}):
        form, body = forms[index]
        built = body.replace("result = ", "module = ")
        yield Snippet(
            rule=load().canonical(name),
            form=form,
            dtype=str(dtype).removeprefix("torch."),
            setup="\n".join(setup.lines),
            body="\n".join([built, *filter(None, lines), f"result = {run}"]),
            leaves=leaves,
            after="gradients = [p.grad for p in module.parameters()]\nstate = module.state_dict()",
            arrays=setup.arrays,
        )


def _biased(made: Any) -> bool:
    return bool(made.kwargs.get("bias", True))


def _class(name: str) -> Any:
    return getattr(torch.nn, name.rpartition(".")[2])


def optimizer_snippets(name: str, share: float = 1.0) -> Iterator[Snippet]:
    """Yield snippets with twenty steps of the optimizer for each of the database's settings."""
    info = _optimizers()[name]
    setup = Setup()
    torch.manual_seed(0)
    first = setup.spell(torch.randn(4, 3))
    second = setup.spell(torch.randn(3))
    x = setup.spell(torch.randn(5, 4))
    setup.lines += [f"w = torch.nn.Parameter({first})", f"b = torch.nn.Parameter({second})"]
    for item in info.optim_inputs_func("cpu"):
        try:
            keywords = {key: setup.spell(value) for key, value in item.kwargs.items()}
        except UnwritableError:
            continue
        forms = list(spellings(Call(name, ("[w, b]",), keywords)))
        for form, body in forms[:: round(3 / max(share, 0.1))]:
            built = body.replace("result = ", "optimizer = ")
            step = "optimizer.step()"
            if info.step_requires_closure:
                step = "optimizer.step(closure)"
            yield Snippet(
                rule=load().canonical(name),
                form=form,
                dtype="float32",
                setup="\n".join(setup.lines),
                body="\n".join(
                    [
                        built,
                        "def closure():",
                        "    optimizer.zero_grad()",
                        f"    loss = ((torch.matmul({x}, w) + b) ** 2).mean()",
                        "    loss.backward()",
                        "    return loss",
                        "result = []",
                        f"for _ in range({_STEPS}):",
                        "    result.append(closure().detach())",
                        f"    {step}",
                    ]
                ),
                arrays=setup.arrays,
            )
