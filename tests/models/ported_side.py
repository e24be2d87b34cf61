"""One side of the zoo's models as source: `ported_side.py torch|paddle KEPT PACKAGES [ID ...]`.

`PACKAGES` is a folder that holds timm, torchvision and transformers, as they are or converted; both
hold what the zoo imports. The torch side keeps weights, inputs, outputs and gradients in the folder
`KEPT`; the Paddle side takes them from there. Each model is a line of JSON: how far the results of
the Paddle side are from the kept ones, or what went wrong.
"""

from __future__ import annotations

import json
import pickle
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from workbench.upstream.vision import declare_operators

if TYPE_CHECKING:
    from workbench.targets.paddle.carry import layouts

Arrays = list[np.ndarray[Any, Any]]


def in_torch(entry: Any, kept: Path) -> None:
    """Run the package's model, and again in float64, which shows rounding."""
    from model_bench import example, wide

    model, args, kwargs = example(entry)
    # Of a lone image torch's batch norm reads a gradient that is transposed in wrong places.
    args = tuple(
        _two(one) if isinstance(one, torch.Tensor) and len(one) == 1 else one for one in args
    )
    outputs, gradients = _run(model, args, kwargs)
    things = {
        "inputs": pytree.tree_map(_array, (args, kwargs)),
        "state": {name: _array(one) for name, one in model.state_dict().items()},
        "outputs": outputs,
        "gradients": gradients,
        "gaps": (0.0, 0.0),
    }
    try:
        exact, slopes = _run(model.double(), *pytree.tree_map(wide, (args, kwargs)))
        together = _together(slopes, gradients), _together(gradients, slopes)
        things["gaps"] = _apart(outputs, exact), _apart(*together)
    except (AssertionError, RuntimeError, TypeError):  # a model that fixes float32 somewhere inside
        pass
    kept.write_bytes(pickle.dumps(things))


def _run(model: torch.nn.Module, args: Any, kwargs: Any) -> tuple[Arrays, dict[str, Any]]:
    """Return the outputs of a model of torch, and the gradients of its weights."""
    model.zero_grad()
    torch.manual_seed(0)
    try:
        outputs = _tensors(model(*args, **kwargs), torch.Tensor)
        _mixed(outputs, torch.Tensor.is_floating_point, torch.from_numpy).backward()
    except (AssertionError, RuntimeError):  # it only has gradients in training
        model.zero_grad()
        with torch.no_grad():
            outputs = _tensors(model(*args, **kwargs), torch.Tensor)
    named = [(name, one.grad) for name, one in model.named_parameters() if one.grad is not None]
    return [_array(one) for one in outputs], {name: _array(one) for name, one in named}


def _two(image: torch.Tensor) -> torch.Tensor:
    """Return a batch of two, made of one."""
    return torch.cat([image, image.flip(-1)])


def _together(some: dict[str, Any], others: dict[str, Any]) -> Arrays:
    """Return all arrays that both have, as one: they are weighed against the largest of all."""
    shared = sorted(some.keys() & others.keys())
    return [np.concatenate([some[name].ravel() for name in shared])] if shared else []


def in_paddle(entry: Any, kept: Path) -> dict[str, Any]:
    """Run the converted model with the kept weights, and tell how far its results are."""
    import paddle

    from workbench.targets.bridge import CarryError
    from workbench.targets.paddle.carry import layouts

    things = pickle.loads(kept.read_bytes())
    model, _, _ = entry.build()
    places = layouts.weights(model)
    shared = _shared(model, places)
    unlike = []
    for name, array in things["state"].items():
        place = places.get(name)
        if place is None and name not in shared and not name.endswith(layouts.UNKEPT):
            unlike.append(name)
        elif place is not None:
            value = torch.as_tensor(array)
            try:
                place.write(value.to(place.read().dtype))
            except CarryError as error:
                unlike.append(f"{name} {error}")
    unlike += _saved(model, places) - things["state"].keys()
    args, kwargs = pytree.tree_map(_tensor, things["inputs"])
    with paddle.set_grad_enabled(bool(things["gradients"])):
        outputs = _tensors(model(*args, **kwargs), paddle.Tensor)
        mixed = _mixed(outputs, paddle.Tensor.is_floating_point, paddle.to_tensor)
    if things["gradients"]:
        mixed.backward()
    gradients = {name: array for name, place in places.items() for array in _gradient(place)}
    wanted = things["gradients"]
    # A gradient of zeros and none at all are the same step.
    unlike += [f"gradient of {n}" for n in wanted.keys() - gradients.keys() if wanted[n].any()]
    return {
        "unlike": unlike,
        "output": _apart([one.numpy() for one in outputs], things["outputs"]),
        "gradient": _apart(_together(gradients, wanted), _together(wanted, gradients)),
        "gaps": things["gaps"],
    }


def _shared(model: Any, places: dict[str, layouts.Weight]) -> set[str]:
    """Return additional names, of layers that occur several times, for tensors with a place."""
    known = {tensor.data_ptr() for place in places.values() for tensor in place.tensors}
    return {name for name, one in model.state_dict().items() if one.data_ptr() in known}


def _saved(model: Any, places: dict[str, layouts.Weight]) -> set[str]:
    """Return the places whose tensors the model's state has; some buffers stay out of it."""
    state = list(model.state_dict().values())  # which keeps what it has made
    saved = {one.data_ptr() for one in state}
    return {
        name
        for name, place in places.items()
        if all(one.data_ptr() in saved for one in place.tensors)
    }


def _gradient(place: layouts.Weight) -> list[np.ndarray[Any, Any]]:
    """Return the gradient of a weight, in torch's layout; none where it got none."""
    grads = [one.grad for one in place.tensors]
    if any(grad is None for grad in grads):
        return []
    value = place.kept.join([torch.from_numpy(grad.numpy()) for grad in grads])
    return [value.reshape(place.shape or value.shape).numpy()]


def _mixed(outputs: list[Any], floating: Any, made: Any) -> Any:
    """Return one number that depends on every floating output, with a weight for each value."""
    rng = np.random.default_rng(0)
    total: Any = 0.0
    for one in outputs:
        weight = rng.standard_normal(tuple(one.shape)).astype("float32")
        if floating(one):
            total = total + (one * made(weight)).mean()
    return total


def _tensors(value: Any, kind: type) -> list[Any]:
    """Return the tensors of a nested result, in order; those of a cache are not among them."""
    if isinstance(value, kind):
        return [value]
    if hasattr(value, "keys"):
        return [one for key in value.keys() for one in _tensors(value[key], kind)]  # noqa: SIM118
    if isinstance(value, list | tuple):
        return [one for item in value for one in _tensors(item, kind)]
    return []


def _array(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.float().numpy() if value.dtype == torch.bfloat16 else value.numpy().copy()
    return value


def _tensor(value: Any) -> Any:
    import paddle

    return paddle.to_tensor(value) if isinstance(value, np.ndarray) else value


def _apart(found: Arrays, wanted: Arrays) -> float:
    """Return the largest difference of any, as a part of the largest value of that one.

    Raises:
        AssertionError: another number of arrays, another shape, NaN on one side only.
    """
    assert len(found) == len(wanted), f"{len(found)} tensors for {len(wanted)}"
    worst = 0.0
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape, f"shape {one.shape} for {other.shape}"
        if not other.size:
            continue
        one, other = one.astype("complex128"), other.astype("complex128")
        assert (np.isnan(one) == np.isnan(other)).all(), "NaN on one side only"
        scale = float(np.abs(np.nan_to_num(other)).max()) or 1.0
        worst = max(worst, float(np.abs(np.nan_to_num(one - other)).max()) / scale)
    return worst


def main(side: str, kept: str, packages: str, *wanted: str) -> None:
    """Run the models of one side."""
    warnings.simplefilter("ignore")
    sys.path.insert(0, packages)
    torch.set_num_threads(1)
    # The other two libraries import torchvision as well.
    declare_operators()
    from model_zoo import entries

    if side == "paddle":
        import paddle

        paddle.set_device("cpu")
        paddle.disable_signal_handler()
    for entry in entries():
        if entry.id not in wanted:
            continue
        file = Path(kept) / f"{entry.id.replace('/', '-')}.pickle"
        outcome: dict[str, Any] = {"model": entry.id}
        print(json.dumps(outcome), flush=True)  # which model it was, should it end the process
        try:
            if side == "torch":
                in_torch(entry, file)
            elif file.exists():
                outcome |= in_paddle(entry, file)
            else:
                outcome["problem"] = "torch itself does not run it so"
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            here = [one for one in frames if one.filename.startswith(packages)][-1:]
            place = "".join(f" at {Path(one.filename).name}:{one.lineno}" for one in here)
            words = (str(error).strip().splitlines() or [""])[-1][:160]
            outcome["problem"] = f"{type(error).__name__}: {words}{place}"
        print(json.dumps({**outcome, "done": True}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
