"""Names inside `torch.nn.modules` that code uses, and those that it does not need."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal
from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

# Base classes in isinstance tests.
for _name, _helper in (
    ("batchnorm._NormBase", "TorchNormBase"),
    ("batchnorm._BatchNorm", "TorchBatchNorm"),
    ("instancenorm._InstanceNorm", "TorchInstanceNorm"),
    ("pooling._MaxPoolNd", "TorchMaxPool"),
    ("pooling._AvgPoolNd", "TorchAvgPool"),
    ("pooling._AdaptiveAvgPoolNd", "TorchAdaptiveAvgPool"),
    ("pooling._AdaptiveMaxPoolNd", "TorchAdaptiveMaxPool"),
    ("pooling._LPPoolNd", "TorchLPPool"),
    ("pooling._MaxUnpoolNd", "TorchMaxUnpool"),
    ("linear.NonDynamicallyQuantizableLinear", "TorchNonDynamicallyQuantizableLinear"),
):
    _base = f"torch.nn.modules.{_name}"
    rules.counterpart(_base, _helper)


for _name, _helper in (
    ("_Loss", "TorchLossBase"),
    ("_WeightedLoss", "TorchWeightedLossBase"),
):
    _base = f"torch.nn.modules.loss.{_name}"
    rules.counterpart(_base, _helper)


def _only_asked_for(name: str, helper: str) -> None:
    """Add the rule of a base class, which code may name but not construct."""

    @rules.rule(name, value=helper)
    def base(match: Match) -> Outcome:
        return Refusal(
            "it is a base class, which has no counterpart to construct",
            "a layer that derives from it",
        )


_only_asked_for("torch.nn.modules.conv._ConvNd", "TorchConvNd")
_only_asked_for("torch.nn.modules.conv._ConvTransposeNd", "TorchConvTransposeNd")
_only_asked_for("torch.nn.RNNCellBase", "TorchRNNCellBase")

for _name, _size in (("_single", 1), ("_pair", 2), ("_triple", 3), ("_quadruple", 4)):
    rules.row(f"torch.nn.modules.utils.{_name}", f"torch_size_tuple({{x}}, {_size})")
rules.counterpart("torch.nn.modules.utils._ntuple", "torch_parse_ntuple")
_REDUCTION = "torch.nn._reduction"
for _name, _made in (
    ("get_enum", "torch_reduction_number(...)"),
    ("legacy_get_string", "torch_reduction_word(...)"),
):
    rules.row(f"{_REDUCTION}.{_name}", _made, value=_made.partition("(")[0])
rules.row(
    f"{_REDUCTION}.legacy_get_enum",
    "torch_reduction_number(torch_reduction_word({size_average}, {reduce}))",
    ignored={"emit_warning": "no warning is printed"},
)
rules.refuse(
    _REDUCTION,
    reason="the module itself is passed as a value",
    instead="the functions that are needed, such as torch.sin",
)
rules.row(
    "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present",
    "torch_strip_prefix({state_dict}, {prefix})",
)
rules.counterpart(
    "torch.nn.DataParallel",
    "TorchDataParallel",
    caveat="it runs on one device; to use several, start one process for each and use"
    " `paddle.DataParallel`",
)
rules.counterpart(
    "torch.nn.parallel.data_parallel",
    "torch_data_parallel",
    caveat="it runs on one device; to use several, start one process for each and use"
    " `paddle.DataParallel`",
)
rules.row("torch.nn.DataParallel.module", "{self}.module")

# Without an equivalent -------------------------------------------------------------------------

rules.refuse(
    *(
        f"torch.nn.modules.module.register_module_{name}"
        for name in words(
            "backward_hook buffer_registration_hook forward_hook forward_pre_hook "
            "full_backward_hook full_backward_pre_hook module_registration_hook "
            "parameter_registration_hook"
        )
    ),
    reason="Paddle has no hooks for all layers at once",
    instead="register a hook with each layer of `model.sublayers()`",
)
rules.refuse(
    *(
        f"torch.nn.Module.{name}"
        for name in words(
            "T_destination _apply _backward_hooks _backward_pre_hooks _call_impl "
            "_get_backward_hooks _get_backward_pre_hooks _is_full_backward_hook "
            "_load_state_dict_post_hooks _load_state_dict_pre_hooks "
            "_maybe_warn_non_full_backward_hook _named_members _replicate_for_data_parallel "
            "_slow_forward _state_dict_hooks _state_dict_pre_hooks _version "
            "_wrapped_call_impl call_super_init dump_patches"
        )
    ),
    reason="it is an internal member of torch's modules",
    instead="the public members of `torch.nn.Module`",
)
rules.refuse(
    "torch.nn.CrossMapLRN2d",
    "torch.nn.NLLLoss2d",
    "torch.nn.DataParallel.gather",
    "torch.nn.DataParallel.parallel_apply",
    "torch.nn.DataParallel.replicate",
    "torch.nn.DataParallel.scatter",
    reason="torch keeps it only for compatibility with old code",
    instead="`nn.LocalResponseNorm`, `nn.NLLLoss`, `nn.DataParallel` as a whole",
)
rules.refuse(
    *(
        f"torch.nn.functional.{name}"
        for name in (
            "ScalingType",
            "SwizzleType",
            "scaled_grouped_mm",
            "scaled_mm",
        )
    ),
    "torch.nn.LinearCrossEntropyOptions",
    reason="Paddle has no such kernel",
    instead="the separate operations that it fuses",
)
