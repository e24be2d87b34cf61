"""One side of recipes, run by `side.py torch|paddle KEPT RECIPES NUMBER ...` in a folder of code.

The working folder has the package and the module of its recipes, converted or not. The torch side
keeps weights, inputs and results in the folder `KEPT`. The Paddle side starts from these weights
and reports how its results differ. Each recipe prints one line of JSON at its start and one at its
end.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pickle
import random
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.packages.recipes import SCRIPT, STEPS, Recipe

Arrays = dict[str, Any]
SECONDS = 60  # for one recipe
PACE = 0.01  # how far the first step moves the weights, as a part of their norm
_ROUNDING = 2.0**-23
_DOUBLE = -1  # instead of the seed of a move: a run in double precision
_DROPS = re.compile("drop|stochasticdepth", re.IGNORECASE)
_DRAWS = 4  # models whose weights tell constants from random numbers
_MANY = 1000  # values of a tensor, from which its spread says something


class NotComparedError(Exception):
    """The recipe does not show whether both sides are the same."""


# torch -------------------------------------------------------------------------------------------


class InTorch:
    """The original: its results, and how far they move by one rounding of weights and inputs."""

    def __init__(self, script: Any, number: int, recipe: Any) -> None:
        import torch

        self.torch = torch
        self.number, self.script, self.recipe = number, script, recipe
        self.build: Callable[[], Any] = getattr(script, f"build_{number}")

    def kept(self) -> dict[str, Any]:
        """Run all, for the other side to be compared with."""
        model, other = self._built(0), self._built(1)
        state = self._state(model)
        # Signs of random numbers are equal in two models now and then.
        others = [self._state(one) for one in (other, *map(self._built, range(2, _DRAWS)))]
        inputs = self._inputs()
        again = {one.data_ptr() for one in model.state_dict().values()}
        own = {n for n, one in other.state_dict().items() if one.data_ptr() not in again}
        same = {n for n in own if all(np.array_equal(state[n], one[n]) for one in others)}
        trained = {name for name, one in model.named_parameters() if one.requires_grad}
        kept = {"state": state, "inputs": inputs, "constant": same, "trained": trained}
        kept["shared"] = _shared(model.state_dict())
        mode, first = self._mode(inputs)
        pace = None if self.recipe.trains else self._pace(first)
        kept |= {"mode": mode, "pace": pace}
        runs = [first if pace is None else self._run(inputs, mode, pace, 0)]
        runs += [self._run(inputs, mode, pace, moved) for moved in (1, 2)]
        kept["results"] = runs[0]
        with contextlib.suppress(Exception):  # a model that fixes float32 somewhere inside
            runs.append(self._run(inputs, mode, pace, _DOUBLE))
        kept["drift"] = [_distances(one, runs[0]) for one in runs[1:]]
        return kept

    def _built(self, seed: int) -> Any:
        _seed(seed)
        self.torch.manual_seed(seed)
        return self.build()

    def _inputs(self) -> dict[str, Any]:
        self.torch.manual_seed(7)
        _seed(7)
        known = {"torch": self.torch, "np": np}
        return {name: _kept(eval(text, known)) for name, text in self.recipe.arguments.items()}

    def _state(self, model: Any) -> Arrays:
        return {name: one.detach().numpy().copy() for name, one in model.state_dict().items()}

    def _mode(self, inputs: Any) -> tuple[bool, Arrays]:
        """Return the mode that draws no random numbers, dropout aside, and the results of a run.

        The mode is True for training. The run has one step, or is the recipe's own training.

        Raises:
            NotComparedError: both modes draw random numbers.
        """
        for training in (True, False):
            self._built(0)  # as the run does, which thus starts from this state
            before = self.torch.get_rng_state(), np.random.get_state()[1].tolist()
            found = self._run(inputs, training, None, 0)
            after = self.torch.get_rng_state(), np.random.get_state()[1].tolist()
            if self.torch.equal(before[0], after[0]) and before[1] == after[1]:
                return training, found
        raise NotComparedError("it draws random numbers")

    def _pace(self, first: Arrays) -> float:
        weights = self._state(self._built(0))
        slopes = [one for name, one in first.items() if name.startswith("step 0, gradient of ")]
        size = sum(float((weights[n] ** 2).sum()) for n in self._trained()) ** 0.5
        steep = sum(float((one.astype("float64") ** 2).sum()) for one in slopes) ** 0.5
        return PACE * size / steep if steep and size else 0.0

    def _trained(self) -> list[str]:
        return [name for name, one in self._built(0).named_parameters() if one.requires_grad]

    def _given(self, inputs: Any, moved: int) -> dict[str, Any]:
        given = {
            name: self._moved(_given(one, self.torch.from_numpy), moved)
            for name, one in inputs.items()
        }
        for one in _leaves(given, self.torch.Tensor):
            if one[1].is_floating_point():
                one[1].requires_grad_()
        return given

    def _moved(self, value: Any, moved: int) -> Any:
        """Return a value with all its numbers off by one rounding, or in double precision."""
        if moved == _DOUBLE and isinstance(value, self.torch.Tensor):
            return value.double() if value.is_floating_point() else value
        if not moved or not isinstance(value, self.torch.Tensor) or not value.is_floating_point():
            return value
        draws = np.random.default_rng(moved).integers(0, 2, tuple(value.shape)) * 2 - 1
        factor = 1 + self.torch.from_numpy(np.asarray(draws)) * _ROUNDING
        return (value * factor).to(value.dtype)

    def _run(self, inputs: Any, mode: bool, pace: float | None, moved: int) -> Arrays:
        model = self._built(0)
        if moved == _DOUBLE:
            model.double()
        with self.torch.no_grad():
            for one in model.parameters():
                one.copy_(self._moved(one, moved))
        found: Arrays = {}
        if self.recipe.trains:
            set_mode(model.modules(), mode)
            losses = getattr(self.script, f"train_{self.number}")(
                model, **self._given(inputs, moved)
            )
            found |= {f"loss {i}": np.asarray(one) for i, one in enumerate(losses)}
            return found | {f"trained {n}": one for n, one in self._state(model).items()}
        call = getattr(self.script, f"call_{self.number}")
        set_mode(model.modules(), False)
        with self.torch.no_grad():
            found |= self._outputs("evaluation", call(model, **self._given(inputs, moved)))
        set_mode(model.modules(), mode)
        for step in range(STEPS if pace is not None else 1):
            given = self._given(inputs, moved)
            result = call(model, **given)
            found |= self._outputs(f"step {step}", result)
            loss = mixed(result, self.torch.Tensor, self.torch.from_numpy)
            if loss is None or not loss.requires_grad:
                break
            loss.backward()
            for name, one in _leaves(given, self.torch.Tensor):
                if one.grad is not None:
                    found[f"step {step}, gradient of input {name}"] = one.grad.numpy().copy()
            with self.torch.no_grad():
                for name, one in model.named_parameters():
                    if one.grad is not None:
                        found[f"step {step}, gradient of {name}"] = one.grad.numpy().copy()
                        one -= (pace or 0.0) * one.grad
                        one.grad = None
        if pace is not None:
            found |= {f"trained {n}": one for n, one in self._state(model).items()}
        return found

    def _outputs(self, when: str, result: Any) -> Arrays:
        found = _leaves(result, self.torch.Tensor)
        return {f"{when}, output {name}": one.detach().numpy().copy() for name, one in found}


# Paddle ------------------------------------------------------------------------------------------


def in_paddle(
    script: Any, number: int, recipe: Any, kept: dict[str, Any]
) -> tuple[Arrays, list[str]]:
    """Return the results of the converted code, and the differences of its state."""
    import paddle

    from workbench.targets.paddle.carry import layouts

    paddle.seed(0)
    _seed(0)
    model = getattr(script, f"build_{number}")()
    places = layouts.weights(model)
    unlike = _filled(model, places, kept)
    given = _inputs(kept)
    layers = [one for _, one in model.named_sublayers(include_self=True)]
    found: Arrays = {}
    if recipe.trains:
        set_mode(layers, kept["mode"])
        losses = getattr(script, f"train_{number}")(model, **given)
        found |= {f"loss {i}": np.asarray(one) for i, one in enumerate(losses)}
        return found | _weights(model, kept), unlike
    call = getattr(script, f"call_{number}")
    set_mode(layers, False)
    with paddle.no_grad():
        found |= _outputs("evaluation", call(model, **given))
    set_mode(layers, kept["mode"])
    for step in range(STEPS):
        given = _inputs(kept)
        result = call(model, **given)
        found |= _outputs(f"step {step}", result)
        loss = mixed(result, paddle.Tensor, paddle.to_tensor)
        if loss is None or loss.stop_gradient:
            break
        loss.backward()
        for name, one in _leaves(given, paddle.Tensor):
            if one.grad is not None:
                found[f"step {step}, gradient of input {name}"] = one.grad.numpy().copy()
        done: set[int] = set()
        for name, place in places.items():
            if name not in kept["trained"]:  # a buffer may have a gradient too
                continue
            grads = [one.grad for one in place.tensors]
            if all(grad is not None for grad in grads):
                value = _joined(place, grads)
                found[f"step {step}, gradient of {name}"] = value
            for one in place.tensors:
                if one.grad is not None and id(one) not in done:
                    done.add(id(one))
                    with paddle.no_grad():
                        one.set_value(one - kept["pace"] * one.grad)
        for one in model.parameters():
            one.clear_gradient(set_to_zero=False)
    return found | _weights(model, kept), unlike


def _inputs(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of a call; those of floats have gradients, as torch's do."""
    import paddle

    given = {name: _given(one, paddle.to_tensor) for name, one in kept["inputs"].items()}
    for _, one in _leaves(given, paddle.Tensor):
        one.stop_gradient = not paddle.is_floating_point(one)
    return given


def _filled(model: Any, places: dict[str, Any], kept: dict[str, Any]) -> list[str]:
    """Give a layer torch's weights; return how its names and fresh weights differ."""
    import torch

    from workbench.targets.bridge import CarryError
    from workbench.targets.paddle.carry import layouts

    held = {id(one) for place in places.values() for one in place.tensors}
    again = {name for name, one in model.state_dict().items() if id(one) in held}
    saved = {id(one) for one in model.state_dict().values()}
    unlike = []
    for name, array in kept["state"].items():
        place = places.get(name)
        if place is None:
            if name not in again and not name.endswith(layouts.UNKEPT):
                unlike.append(f"state without {name}")
            continue
        fresh = place.read().numpy()
        unlike += _fresh(name, fresh, array, name in kept["constant"])
        value = torch.as_tensor(array)
        try:
            place.write(value.to(place.read().dtype))
        except CarryError as error:
            unlike.append(f"{name} {error}")
        if fresh.dtype != array.dtype:
            unlike.append(f"{name} is {fresh.dtype} where torch has {array.dtype}")
    known = {id(one) for name in kept["state"] if name in places for one in places[name].tensors}
    of_state = [
        name
        for name, place in places.items()
        if all(id(one) in saved and id(one) not in known for one in place.tensors)
    ]
    return unlike + [f"state with {name}" for name in of_state if name not in kept["state"]]


def _fresh(name: str, fresh: Any, wanted: Any, constant: bool) -> Iterator[str]:
    if fresh.shape != wanted.shape or wanted.dtype.kind != "f":
        return
    if constant and not np.allclose(fresh, wanted, rtol=1e-5, atol=1e-6, equal_nan=True):
        off = float(np.nanmax(np.abs(fresh - wanted)))
        yield f"fresh {name} is off by {off:.2g}"
    if not constant and wanted.size >= _MANY and not 0.8 < fresh.std() / wanted.std() < 1.25:
        yield f"draw of {name} spreads by {fresh.std():.3g} where torch's by {wanted.std():.3g}"


def _joined(place: Any, values: list[Any]) -> Any:
    import torch

    value = place.kept.join([torch.from_numpy(one.numpy().copy()) for one in values])
    return value.reshape(place.shape or value.shape).numpy()


def _weights(model: Any, kept: dict[str, Any]) -> Arrays:
    from workbench.targets.paddle.carry import layouts

    places = layouts.weights(model)  # a buffer may be another tensor by now
    return {
        f"trained {name}": place.read().numpy().copy()
        for name, place in places.items()
        if name in kept["state"] and not name.endswith((layouts.UNKEPT, "running_var"))
    }


def _outputs(when: str, result: Any) -> Arrays:
    import paddle

    found = _leaves(result, paddle.Tensor)
    return {f"{when}, output {name}": one.numpy().copy() for name, one in found}


# Both --------------------------------------------------------------------------------------------


def set_mode(modules: Any, training: bool) -> None:
    """Set modules to a mode, but for dropout, which draws."""
    for one in modules:
        one.training = training and not _DROPS.search(type(one).__name__)


def mixed(result: Any, kind: type, made: Callable[[Any], Any]) -> Any:
    """One number that depends on every floating output, each of its values weighing otherwise."""
    rng, total = np.random.default_rng(0), None
    for _, one in _leaves(result, kind):
        weight = rng.standard_normal(tuple(one.shape))
        if one.is_floating_point():
            part = (one * made(weight.astype(str(one.dtype).rpartition(".")[2]))).mean()
            total = part if total is None else total + part
    return total


def _leaves(value: Any, kind: type, name: str = "") -> list[tuple[str, Any]]:
    """Return the tensors of a nested value with their paths."""
    if isinstance(value, kind):
        return [(name, value)]
    parts: list[tuple[Any, Any]] = []
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        parts = [(key, value[key]) for key in value.keys()]  # noqa: SIM118
    elif isinstance(value, list | tuple):
        parts = list(enumerate(value))
    elif is_dataclass(value):
        parts = [(one.name, getattr(value, one.name)) for one in fields(value)]
    return [leaf for key, one in parts for leaf in _leaves(one, kind, f"{name}.{key}".strip("."))]


def _kept(value: Any) -> Any:
    """Return an input in the form that is saved, with arrays for tensors."""
    if isinstance(value, dict):
        return {key: _kept(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_kept(one) for one in value)
    return (
        value.numpy().copy()
        if type(value).__module__ == "torch" and hasattr(value, "numpy")
        else value
    )


def _given(value: Any, made: Callable[[Any], Any]) -> Any:
    """Return an input from its saved form."""
    if isinstance(value, dict):
        return {key: _given(one, made) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_given(one, made) for one in value)
    return made(value.copy()) if isinstance(value, np.ndarray) else value


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)


def _distances(found: Arrays, wanted: Arrays) -> dict[str, float]:
    """Return the maximum distance of each array, for numbers on both sides."""
    far = {}
    for name, one in wanted.items():
        other = found.get(name)
        if other is not None and other.shape == one.shape and one.size:
            far[name] = float(np.nan_to_num(np.abs(_wide(one) - _wide(other))).max())
    return far


def _wide(array: Any) -> Any:
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def differences(found: Arrays, kept: dict[str, Any]) -> list[str]:
    """Describe the results that differ from torch's by more than roundings."""
    wanted = kept["results"]
    names = [n for n in wanted if not n.endswith(("num_batches_tracked", "running_var"))]
    largest: dict[str, float] = {}
    for name in names:
        group = _group(name)
        largest[group] = max(largest.get(group, 0.0), _largest(wanted[name]))
    wrong = []
    for name in names:
        one, other = wanted[name], found.get(name)
        if other is None:
            head, _, tensor = name.rpartition(" ")
            again = kept.get("shared", {}).get(tensor, ())
            other = next((found[f"{head} {n}"] for n in again if f"{head} {n}" in found), None)
        if other is None:
            # A gradient of zeros and none at all are the same step.
            if not (", gradient of " in name and not np.any(one)):
                wrong.append(f"no {name}")
            continue
        if one.shape != other.shape or one.dtype != other.dtype:
            wrong.append(
                f"{name} is {other.dtype} {list(other.shape)} where torch has"
                f" {one.dtype} {list(one.shape)}"
            )
            continue
        if not one.size:
            continue
        one, other = _wide(one), _wide(other)
        strange = ~np.isfinite(one) | ~np.isfinite(other)
        if not np.array_equal(one[strange], other[strange], equal_nan=True):
            wrong.append(f"{name}: NaN or infinite on one side")
            continue
        drift = max((d.get(name, 0.0) for d in kept["drift"]), default=0.0)
        allowed = max(1e-5 * _largest(one), 20 * drift)
        if ", gradient of " in name:
            allowed = max(1e-4 * _largest(one), 1e-6 * largest[_group(name)], 20 * drift)
        far = float(np.abs(one - other)[~strange].max(initial=0.0))
        if far > max(allowed, 1e-12):
            wrong.append(f"{name} is off by {far:.2g} of {_largest(one):.2g}")
    wrong += [
        f"{name}, which torch does not give"
        for name in found
        if name not in wanted and np.any(found[name])
    ]
    return wrong


def _shared(state: Arrays) -> dict[str, list[str]]:
    """Return the names of tensors with several names in a state, each with all of them."""
    groups: dict[int, list[str]] = {}
    for name, one in state.items():
        groups.setdefault(one.data_ptr() if one.numel() else id(one), []).append(name)
    return {name: names for names in groups.values() for name in names if len(names) > 1}


def _group(name: str) -> str:
    return name.partition(" of ")[0]


def _largest(array: Any) -> float:
    array = np.abs(_wide(np.asarray(array)))
    return float(array[np.isfinite(array)].max(initial=0.0))


def main(side: str, kept: str, recipes: str, *numbers: str) -> None:
    """Run recipes of one side."""
    warnings.simplefilter("ignore")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    import torch

    torch.set_num_threads(1)
    if side == "paddle":
        import paddle

        paddle.set_device("cpu")
        paddle.disable_signal_handler()
    signal.signal(signal.SIGALRM, _too_long)
    given = json.loads(Path(recipes).read_text())
    for number in map(int, numbers):
        print(json.dumps({"number": number}), flush=True)
        found = _one(side, here, Path(kept) / f"{number}.pickle", given[number], number)
        print(json.dumps({"number": number, "done": True, **found}), flush=True)
    sys.stdout.flush()
    os._exit(0)  # what a package started need not end


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"not done after {SECONDS} seconds")


def _one(side: str, here: str, kept: Path, given: dict[str, Any], number: int) -> dict[str, Any]:
    recipe = Recipe(**given)
    signal.alarm(SECONDS)
    try:
        if side == "torch":
            kept.unlink(missing_ok=True)
            script = importlib.import_module(SCRIPT)
            kept.write_bytes(pickle.dumps(InTorch(script, number, recipe).kept()))
            return {}
        wanted = pickle.loads(kept.read_bytes())
        script = importlib.import_module(SCRIPT)
        found, unlike = in_paddle(script, number, recipe, wanted)
        return {"unlike": unlike, "differences": differences(found, wanted)}
    except NotComparedError as error:
        return {"left out": str(error)}
    except BaseException as error:
        return {"raised": _words(error), "frames": _frames(error, here)}
    finally:
        signal.alarm(0)


def _words(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    message = next(
        (line for line in lines if re.match(r"\((\w+)\) ", line)), lines[-1] if lines else ""
    )
    return f"{type(error).__name__}: {message[:200]}"


def _frames(error: BaseException, here: str) -> list[list[Any]]:
    """Return the lines of the folder in a traceback, the innermost last, each with its text."""
    found = []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(here + os.sep):
            path = frame.filename.removeprefix(here + os.sep)
            found.append([path, frame.lineno, frame.end_lineno, frame.line])
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
