"""Mixed precision and loss scaling as torch does them."""

from __future__ import annotations

import contextlib
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


class TorchAutocast(contextlib.ContextDecorator):
    """`paddle.amp.auto_cast` that can be entered more than once."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.entered: list[Any] = []

    def __enter__(self) -> None:
        self.entered.append(paddle.amp.auto_cast(**self.options))
        self.entered[-1].__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self.entered.pop().__exit__(*error)


@torch_named
class TorchGradScaler:
    """`torch.amp.GradScaler`: works with the optimizers of either side."""

    def __init__(
        self,
        device: Any = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        on_gpu = str(device).startswith(("cuda", "gpu"))
        self._enabled = enabled and (not on_gpu or paddle.device.cuda.device_count() > 0)
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._unscaled: set[int] = set()
        self._found_inf: dict[int, bool] = {}

    def scale(self, outputs: Any) -> Any:
        if not self._enabled:
            return outputs
        if isinstance(outputs, list | tuple):
            return type(outputs)(self.scale(output) for output in outputs)
        return outputs * self._scale

    @paddle.no_grad()
    def unscale_(self, optimizer: Any) -> None:
        if not self._enabled:
            return
        if id(optimizer) in self._unscaled:
            raise RuntimeError("unscale_() has already been called on this optimizer")
        found = False
        for group in getattr(optimizer, "param_groups", None) or optimizer._param_groups:
            for parameter in group["params"] if isinstance(group, dict) else [group]:
                if parameter.grad is not None:
                    parameter.grad.scale_(1 / self._scale)
                    found = found or not bool(paddle.isfinite(parameter.grad).all())
        self._unscaled.add(id(optimizer))
        self._found_inf[id(optimizer)] = found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) not in self._unscaled:
            self.unscale_(optimizer)
        if self._found_inf[id(optimizer)]:
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif any(self._found_inf.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._unscaled, self._found_inf = set(), {}

    def is_enabled(self) -> bool:
        return self._enabled

    is_enable = is_enabled  # as Paddle's scaler calls it

    def get_scale(self) -> float:
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        if self._enabled:
            for name, value in state_dict.items():
                setattr(self, f"_{name.lstrip('_')}", value)
