"""L-BFGS with torch's arithmetic, stopping rules and line search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.base import TorchOptimizer


@torch_named
class TorchLBFGS(TorchOptimizer):
    """`torch.optim.LBFGS`: one step is up to `max_iter` iterations over the closure."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def parameters(self) -> list[Any]:
        return self.param_groups[0]["params"]

    def _flat_grad(self) -> paddle.Tensor:
        """All gradients as one vector, zeros for those that are missing."""
        parts = []
        for parameter in self.parameters:
            grad = paddle.zeros_like(parameter) if parameter.grad is None else parameter.grad
            grad = paddle.as_real(grad) if grad.is_complex() else grad
            parts.append(grad.detach().flatten())
        return paddle.concat(parts)

    def _move(self, size: float, direction: paddle.Tensor) -> None:
        """Add a multiple of a vector to the parameters."""
        offset = 0
        for parameter in self.parameters:
            count = parameter.size * (2 if parameter.is_complex() else 1)
            change = direction[offset : offset + count]
            if parameter.is_complex():
                change = paddle.as_complex(change.reshape([*parameter.shape, 2]))
            parameter.add_(change.reshape(parameter.shape) * size)
            offset += count

    def _direction(self, state: dict[str, Any], grad: paddle.Tensor, history: int) -> Any:
        """The next direction of search, from the gradient and the steps before."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -grad
        change, step = grad - state["prev_flat_grad"], state["d"] * state["t"]
        directions, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        product = paddle.dot(change, step)
        if float(product) > 1e-10:
            if len(directions) == history:
                for kept in (directions, steps, inverses):
                    kept.pop(0)
            directions.append(change)
            steps.append(step)
            inverses.append(1 / product)
            state["H_diag"] = product / paddle.dot(change, change)
        weights = state.setdefault("al", [None] * history)
        result = -grad
        for index in reversed(range(len(directions))):
            weights[index] = paddle.dot(steps[index], result) * inverses[index]
            result = result - directions[index] * weights[index]
        result = result * state["H_diag"]
        for index in range(len(directions)):
            back = paddle.dot(directions[index], result) * inverses[index]
            result = result + steps[index] * (weights[index] - back)
        return result

    @paddle.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        group = self.param_groups[0]
        lr, most, smallest = float(group["lr"]), group["max_iter"], group["tolerance_change"]
        state = self.state[self.parameters[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = self._evaluate(closure)
        loss, grad = float(first), self._flat_grad()
        evaluations, iterations = 1, 0
        state["func_evals"] += 1
        if float(grad.abs().max()) <= group["tolerance_grad"]:
            return first
        while iterations < most:
            iterations += 1
            state["n_iter"] += 1
            direction = self._direction(state, grad, group["history_size"])
            size = min(1.0, 1.0 / float(grad.abs().sum())) * lr if state["n_iter"] == 1 else lr
            before = loss
            state.update(d=direction, t=size, prev_flat_grad=grad, prev_loss=before)
            slope = float(paddle.dot(grad, direction))
            if slope > -smallest:
                break
            used = 0
            if group["line_search_fn"] is not None:

                def along(at: float, direction: Any = direction) -> tuple[float, Any]:
                    saved = [parameter.clone() for parameter in self.parameters]
                    self._move(at, direction)
                    value = float(self._evaluate(closure))
                    found = self._flat_grad()
                    for parameter, old in zip(self.parameters, saved, strict=True):
                        paddle.assign(old, parameter)
                    return value, found

                left = group["max_eval"] - evaluations
                loss, grad, size, used = torch_strong_wolfe(
                    along, size, direction, loss, grad, slope, left
                )
                state["t"] = size
                self._move(size, direction)
            else:
                self._move(size, direction)
                if iterations != most:
                    loss = float(self._evaluate(closure))
                    grad, used = self._flat_grad(), 1
            evaluations += used
            state["func_evals"] += used
            if (
                iterations == most
                or evaluations >= group["max_eval"]
                or float(grad.abs().max()) <= group["tolerance_grad"]
                or float((direction * size).abs().max()) <= smallest
                or abs(loss - before) < smallest
            ):
                break
        return first

    def _evaluate(self, closure: Callable[[], Any]) -> Any:
        with paddle.enable_grad():
            return closure()


def torch_cubic_minimum(one: Any, two: Any, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points (place, value, slope) is least, within bounds."""
    if one[0] > two[0]:
        one, two = two, one
    (x1, f1, g1), (x2, f2, g2) = one, two
    low, high = bounds or (x1, x2)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2
    d2 = square**0.5
    return min(max(x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2)), low), high)


def torch_strong_wolfe(
    along: Callable[[float], tuple[float, Any]],
    t: float,
    direction: paddle.Tensor,
    loss: float,
    grad: paddle.Tensor,
    slope: float,
    most: int,
) -> tuple[float, Any, float, int]:
    """Line search for the strong Wolfe conditions; returns loss, gradient, step and evaluations.

    A point is (step, loss, gradient, slope); `bracket` holds the two that enclose a solution.
    """

    def at(step: float) -> tuple[float, float, Any, float]:
        value, found = along(step)
        return step, value, found, float(paddle.dot(found, direction))

    def fit(one: Any, two: Any, bounds: tuple[float, float] | None = None) -> float:
        return torch_cubic_minimum((one[0], one[1], one[3]), (two[0], two[1], two[3]), bounds)

    start = (0.0, loss, grad, slope)
    previous, point = start, at(t)
    evaluations, done, rounds = 1, False, 0
    bracket: list[Any] = []
    while rounds < most:
        above = point[1] > loss + 1e-4 * point[0] * slope
        if above or (rounds > 1 and point[1] >= previous[1]):
            bracket = [previous, point]
            break
        if abs(point[3]) <= -0.9 * slope:
            bracket, done = [point], True
            break
        if point[3] >= 0:
            bracket = [previous, point]
            break
        bounds = (point[0] + 0.01 * (point[0] - previous[0]), point[0] * 10)
        previous, point = point, at(fit(previous, point, bounds))
        evaluations += 1
        rounds += 1
    if rounds == most:
        bracket = [start, point]
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    width = float(direction.abs().max())
    while not done and rounds < most:
        ends = bracket[0][0], bracket[1][0]
        if abs(ends[1] - ends[0]) * width < 1e-9:
            break
        t = fit(bracket[0], bracket[1])
        margin = 0.1 * (max(ends) - min(ends))
        if min(max(ends) - t, t - min(ends)) < margin:
            if stuck or t >= max(ends) or t <= min(ends):
                nearer_top = abs(t - max(ends)) < abs(t - min(ends))
                t = max(ends) - margin if nearer_top else min(ends) + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        point = at(t)
        evaluations += 1
        rounds += 1
        if point[1] > loss + 1e-4 * t * slope or point[1] >= bracket[low][1]:
            bracket[high] = point
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(point[3]) <= -0.9 * slope:
                done = True
            elif point[3] * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    best = bracket[low]
    return best[1], best[2], best[0], evaluations
