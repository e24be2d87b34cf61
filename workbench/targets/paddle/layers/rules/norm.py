"""Normalisation layers and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()


def _same(name: str, helper: str, value: bool = True) -> None:
    rules.row(
        f"torch.nn.{name}", same_call(f"torch.nn.{name}", helper), value=helper if value else None
    )


for _dims in (1, 2, 3):
    _same(f"BatchNorm{_dims}d", f"TorchBatchNorm{_dims}d")
    _same(f"InstanceNorm{_dims}d", f"TorchInstanceNorm{_dims}d")

_same("LayerNorm", "TorchLayerNorm")
_same("RMSNorm", "TorchRMSNorm")
_same("GroupNorm", "TorchGroupNorm")
_same("LocalResponseNorm", "TorchLocalResponseNorm")
rules.counterpart(
    "torch.nn.SyncBatchNorm",
    "TorchSyncBatchNorm",
    caveat="each process uses the statistics of its own batch; `paddle.nn.SyncBatchNorm` uses"
    " those of all processes, and its momentum is 1 minus torch's",
)
_same("functional.batch_norm", "torch_batch_norm", value=False)
_same("functional.instance_norm", "torch_instance_norm", value=False)
_same("functional.layer_norm", "torch_layer_norm", value=False)
_same("functional.group_norm", "torch_group_norm", value=False)
_same("functional.rms_norm", "torch_rms_norm", value=False)
_same("functional.local_response_norm", "torch_local_response_norm", value=False)
