"""Modules wrapped for several devices."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchDistributedDataParallel(paddle.nn.Layer):
    """`torch.nn.parallel.DistributedDataParallel`: `module` is the wrapped one, as in torch."""

    def __init__(self, module: Any, find_unused_parameters: bool = False) -> None:
        super().__init__()
        self.module = module
        self.several = paddle.distributed.get_world_size() > 1
        if self.several:
            wrapped = paddle.DataParallel(module, find_unused_parameters=find_unused_parameters)
            self.__dict__["parallel"] = wrapped  # not a sublayer: the parameters belong to `module`

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        run = self.__dict__["parallel"] if self.several else self.module
        return run(*inputs, **kwargs)

    def no_sync(self) -> Any:
        if self.several:
            return self.__dict__["parallel"].no_sync()
        return paddle.enable_grad()
