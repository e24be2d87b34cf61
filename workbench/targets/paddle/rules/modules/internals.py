"""Names from inside `torch.nn.modules` that code uses, and those that it can do without."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

# Base classes that code asks for with isinstance.
for _name, _helper, _case in (
    ("batchnorm._NormBase", "TorchNormBase", "nn.BatchNorm2d(3)"),
    ("batchnorm._BatchNorm", "TorchBatchNorm", "nn.BatchNorm1d(3)"),
    ("instancenorm._InstanceNorm", "TorchInstanceNorm", "nn.InstanceNorm2d(3)"),
    ("pooling._MaxPoolNd", "TorchMaxPool", "nn.MaxPool2d(2)"),
    ("pooling._AvgPoolNd", "TorchAvgPool", "nn.AvgPool2d(2)"),
    ("pooling._AdaptiveAvgPoolNd", "TorchAdaptiveAvgPool", "nn.AdaptiveAvgPool2d(1)"),
    ("pooling._AdaptiveMaxPoolNd", "TorchAdaptiveMaxPool", "nn.AdaptiveMaxPool2d(1)"),
    ("pooling._LPPoolNd", "TorchLPPool", "nn.LPPool2d(2, 2)"),
    ("pooling._MaxUnpoolNd", "TorchMaxUnpool", "nn.MaxUnpool2d(2)"),
    (
        "linear.NonDynamicallyQuantizableLinear",
        "TorchNonDynamicallyQuantizableLinear",
        "nn.MultiheadAttention(4, 2).out_proj",
    ),
):
    _base = f"torch.nn.modules.{_name}"
    _known = f"isinstance({_case}, {_base}), isinstance(nn.Embedding(2, 2), {_base})"
    if "Quantizable" in _name:
        _known += f", {_base}(4, 3)(x).shape, isinstance(nn.Linear(4, 3), {_base})"
    rules.row(_base, same_call(_base, _helper), value=_helper, cases=[_known])


for _name, _helper, _given in (
    ("_Loss", "TorchLossBase", ""),
    ("_WeightedLoss", "TorchWeightedLossBase", "p, "),
):
    _base = f"torch.nn.modules.loss.{_name}"
    rules.row(
        _base,
        same_call(_base, _helper),
        value=_helper,
        cases=[
            f"class Own({_base}):\n    def forward(self, one, other):\n"
            "        loss = (one - other).abs()\n"
            "        return loss.mean() if self.reduction == 'mean' else loss\n"
            f"l = Own({_given}reduction='none')\n"
            "r = l(x, y), l.reduction, Own()(x, y), Own(reduce=False).reduction, l.state_dict()",
            f"losses = nn.MSELoss(), nn.NLLLoss(), nn.BCEWithLogitsLoss(), nn.Linear(4, 3)\n"
            f"r = [isinstance(one, {_base}) for one in losses], issubclass(nn.ReLU, {_base})",
        ],
    )


def _only_asked_for(name: str, helper: str, layer: str) -> None:
    """A base class whose own constructor is torch's business."""

    case = f"isinstance({layer}, {name}), issubclass(nn.ReLU, {name})"

    @rules.rule(name, value=helper, cases=[case])
    def base(match: Match) -> Outcome:
        return Refusal("it is a base class", "one of the layers that derive from it")


_only_asked_for("torch.nn.modules.conv._ConvNd", "TorchConvNd", "nn.Conv1d(3, 4, 1)")
_only_asked_for(
    "torch.nn.modules.conv._ConvTransposeNd", "TorchConvTransposeNd", "nn.ConvTranspose1d(3, 4, 1)"
)
_only_asked_for("torch.nn.RNNCellBase", "TorchRNNCellBase", "nn.LSTMCell(3, 4)")

for _name, _size in (("_single", 1), ("_pair", 2), ("_triple", 3), ("_quadruple", 4)):
    rules.row(
        f"torch.nn.modules.utils.{_name}",
        f"torch_size_tuple({{x}}, {_size})",
        cases=[f"torch.nn.modules.utils.{_name}(3), torch.nn.modules.utils.{_name}([1, 2])"],
    )
rules.row(
    "torch.nn.modules.utils._ntuple",
    "torch_parse_ntuple(...)",
    value="torch_parse_ntuple",
    cases=[
        "torch.nn.modules.utils._ntuple(2)(3), torch.nn.modules.utils._ntuple(n=3)([1, 2, 3])",
        "f = torch.nn.modules.utils._ntuple(2, '_two')\nr = f('ab'), f(range(3)), f.__name__",
    ],
)
_REDUCTION = "torch.nn._reduction"
_ALL = "[{}(one, two, False) for one in (None, True, False) for two in (None, True, False)]"
for _name, _made, _case in (
    (
        "get_enum",
        "torch_reduction_number(...)",
        "[F._Reduction.get_enum(one) for one in ('none', 'mean', 'sum')]",
    ),
    (
        "legacy_get_string",
        "torch_reduction_word(...)",
        _ALL.format("F._Reduction.legacy_get_string"),
    ),
):
    rules.row(f"{_REDUCTION}.{_name}", _made, value=_made.partition("(")[0], cases=[_case])
rules.row(
    f"{_REDUCTION}.legacy_get_enum",
    "torch_reduction_number(torch_reduction_word({size_average}, {reduce}))",
    ignored={"emit_warning": "there is no warning"},
    cases=[_ALL.format("F._Reduction.legacy_get_enum")],
)
rules.refuse(
    _REDUCTION,
    reason="the package itself is handed on",
    instead="the functions that are meant, by their names",
)
rules.row(
    "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present",
    "torch_strip_prefix({state_dict}, {prefix})",
    cases=[
        "s = {'module.a': 1, 'b': 2}\n"
        "torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(s, 'module.')"
    ],
)
rules.row(
    "torch.nn.DataParallel",
    same_call("torch.nn.DataParallel", "TorchDataParallel"),
    value="TorchDataParallel",
    caveat="it runs on one device; `paddle.DataParallel` with one process for each uses several",
    cases=["l = nn.DataParallel(nn.Linear(4, 3))\nlist(l.state_dict()), l.module(x).shape"],
)
rules.row(
    "torch.nn.parallel.data_parallel",
    "torch_data_parallel(...)",
    value="torch_data_parallel",
    caveat="it runs on one device; `paddle.DataParallel` with one process for each uses several",
    cases=[
        "l = nn.Tanh()\n"
        "r = nn.parallel.data_parallel(l, x, [0]) if torch.cuda.is_available() else l(x)"
    ],
)
rules.row(
    "torch.nn.DataParallel.module",
    "{self}.module",
    cases=["nn.DataParallel(nn.Identity()).module(x)"],
)

# Without an equivalent -------------------------------------------------------------------------

rules.refuse(
    *(
        f"torch.nn.modules.module.register_module_{name}"
        for name in (
            "backward_hook",
            "buffer_registration_hook",
            "forward_hook",
            "forward_pre_hook",
            "full_backward_hook",
            "full_backward_pre_hook",
            "module_registration_hook",
            "parameter_registration_hook",
        )
    ),
    reason="Paddle has no hooks for all layers at once",
    instead="register a hook with each layer of `model.sublayers()`",
)
rules.refuse(
    *(
        f"torch.nn.Module.{name}"
        for name in (
            "T_destination",
            "_apply",
            "_backward_hooks",
            "_backward_pre_hooks",
            "_call_impl",
            "_get_backward_hooks",
            "_get_backward_pre_hooks",
            "_is_full_backward_hook",
            "_load_state_dict_post_hooks",
            "_load_state_dict_pre_hooks",
            "_maybe_warn_non_full_backward_hook",
            "_named_members",
            "_replicate_for_data_parallel",
            "_slow_forward",
            "_state_dict_hooks",
            "_state_dict_pre_hooks",
            "_version",
            "_wrapped_call_impl",
            "call_super_init",
            "dump_patches",
        )
    ),
    reason="it belongs to the inside of torch's modules",
    instead="the public members of `torch.nn.Module`",
)
rules.refuse(
    "torch.nn.CrossMapLRN2d",
    "torch.nn.NLLLoss2d",
    "torch.nn.DataParallel.gather",
    "torch.nn.DataParallel.parallel_apply",
    "torch.nn.DataParallel.replicate",
    "torch.nn.DataParallel.scatter",
    reason="torch keeps it for old code",
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
    instead="the operations that it fuses, one after the other",
)
