"""Padding, resampling, folding, rearranging; distances as layers; one-hot vectors."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()


def _same(name: str, helper: str, *, value: bool = True) -> None:
    rules.row(
        f"torch.nn.{name}", same_call(f"torch.nn.{name}", helper), value=helper if value else None
    )


for _kind in ("Constant", "Zero", "Reflection", "Replication", "Circular"):
    for _dims in (1, 2, 3):
        _same(f"{_kind}Pad{_dims}d", f"Torch{_kind}Pad{_dims}d")

rules.counterpart("torch.nn.functional.pad", "torch_pad")
rules.counterpart("torch.nn.functional.interpolate", "torch_interpolate")
rules.row(
    "torch.nn.functional.upsample", same_call("torch.nn.functional.upsample", "torch_interpolate")
)
rules.row(
    "torch.nn.functional.upsample_bilinear",
    "torch_interpolate({input}, size={size}, scale_factor={scale_factor}, mode='bilinear', "
    "align_corners=True)",
)
rules.row(
    "torch.nn.functional.upsample_nearest",
    "torch_interpolate({input}, size={size}, scale_factor={scale_factor})",
)
_same("Upsample", "TorchUpsample")
rules.counterpart("torch.nn.UpsamplingBilinear2d", "TorchUpsamplingBilinear2d")
rules.counterpart("torch.nn.UpsamplingNearest2d", "TorchUpsamplingNearest2d")

_same("PixelShuffle", "TorchPixelShuffle")
_same("PixelUnshuffle", "TorchPixelUnshuffle")
_same("ChannelShuffle", "TorchChannelShuffle")
_same("functional.pixel_shuffle", "torch_pixel_shuffle")
_same("functional.pixel_unshuffle", "torch_pixel_unshuffle")
for _name in ("channel_shuffle", "native_channel_shuffle"):
    _same(f"functional.{_name}", "torch_channel_shuffle")
_same("Unfold", "TorchUnfold")
_same("functional.unfold", "torch_unfold")
_same("Fold", "TorchFold")
_same("functional.fold", "torch_fold")


rules.counterpart("torch.nn.functional.grid_sample", "torch_grid_sample")


@rules.rule(
    "torch.nn.functional.affine_grid", unpacked="torch_affine_grid(...)", value="torch_affine_grid"
)
def affine_grid(match: Match) -> Outcome:
    """Write Paddle's function, which divides by zero for single positions between corners."""
    if match.constant("align_corners", None) in (None, False):
        return Rewrite(
            "paddle.nn.functional.affine_grid({theta}, {size}, align_corners={align_corners=False})"
        )
    return Rewrite("torch_affine_grid({theta}, {size}, {align_corners})")


rules.row(
    "torch.nn.Flatten",
    "paddle.nn.Flatten(start_axis={start_dim}, stop_axis={end_dim})",
    value="paddle.nn.Flatten",
)
rules.row(
    "torch.nn.Unflatten",
    "paddle.nn.Unflatten({dim}, {unflattened_size})",
    value="paddle.nn.Unflatten",
)
_same("PairwiseDistance", "TorchPairwiseDistance")
_same("CosineSimilarity", "TorchCosineSimilarity")
rules.row("torch.nn.functional.one_hot", "torch_one_hot({input}, num_classes={num_classes})")
rules.row(
    "torch.nn.functional.gumbel_softmax",
    "paddle.nn.functional.gumbel_softmax({logits}, temperature={tau}, hard={hard}, axis={dim})",
    ignored={"eps": "torch ignores it as well"},
    note="the two frameworks draw different numbers from the same seed",
)
