"""Generated modules compared with hand-written Paddle and with torch, and transferred weights.

Everything runs on one thread, since two frameworks with a thread per core wait for each other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench.table import Row

_ROUNDS = 15
_BUDGET = "within 5 % of hand-written"


def rows() -> Iterator[Row]:
    """Yield a row for each model, eager and static, and one for a state dict of 400 MB."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import torch

    from bench.twins import pairs

    torch.set_num_threads(1)
    for name, (model, twin, example) in pairs().items():
        yield from _model(name, model.eval(), twin, example)
    yield _state_dict_row()


def _model(name: str, model: Any, twin: Any, example: Any) -> Iterator[Row]:
    import paddle
    import torch

    from workbench.capture import capture
    from workbench.lower import lower
    from workbench.weights import carry

    carried = carry(model, into=twin)
    assert carried.complete, str(carried)
    twin.eval()
    generated = lower(capture(model, example), fallback=False).load()
    given = paddle.from_dlpack(example)
    with torch.no_grad(), paddle.no_grad():
        expected = model(example)
        for layer in (generated, twin):
            found = torch.from_dlpack(layer(given).detach())
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        eager = _times(lambda: model(example), lambda: generated(given), lambda: twin(given))
        yield _row(f"{name}, eager", *eager)
        ours, theirs = paddle.jit.to_static(generated), paddle.jit.to_static(twin)
        static = _times(lambda: model(example), lambda: ours(given), lambda: theirs(given))
        yield _row(f"{name}, to_static", *static)


def _row(name: str, in_torch: float, ours: float, theirs: float) -> Row:
    value = f"{ours:.2f} ms; by hand {theirs:.2f}, torch {in_torch:.2f} ({in_torch / ours:.2f} ×)"
    return Row(f"generated module: {name}", value, theirs / ours, _BUDGET)


def _times(*calls: Callable[[], Any]) -> list[float]:
    """Return the shortest time of each call in ms; calls take turns under equal conditions."""
    best = [float("inf")] * len(calls)
    for turn in range(_ROUNDS + 2):
        for place, call in enumerate(calls):
            started = time.perf_counter()
            call()
            if turn > 1:  # the first calls fill caches
                best[place] = min(best[place], (time.perf_counter() - started) * 1e3)
    return best


def _state_dict_row() -> Row:
    import torch

    from workbench.weights import carry

    state = {f"layer{i}.weight": torch.ones(1024, 1024) for i in range(100)}
    times = []
    for _ in range(5):
        started = time.perf_counter()
        carried = carry(state)
        times.append((time.perf_counter() - started) * 1e3)
    assert carried.copied == 0
    value = f"{min(times):.1f} ms, {carried.copied} bytes copied"
    return Row("a state dict of 419 MB carried for inference", value, None, "20 ms, no copy")
