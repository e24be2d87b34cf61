"""Results of torch members and calls for which torch's type information is not useful."""

from __future__ import annotations

from workbench.findings import Certainty
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    BUFFER,
    PARAMETER,
    TENSOR,
    UNKNOWN,
    Instance,
    Items,
    Plain,
    Table,
    Tensor,
    Value,
    items_of,
)
from workbench.words import words

INT, FLOAT, STR, BOOL = Plain("int"), Plain("float"), Plain("str"), Plain("bool")
_MODULE = Instance("torch.nn.Module", Certainty.ASSUMED)
_PARAMETER = Tensor(states=frozenset({PARAMETER}))
_BUFFER = Tensor(states=frozenset({BUFFER}))
# Modules whose calls return images as often as tensors, or dictionaries.
OF_ANY_KIND = (
    "torchvision.transforms.",
    "torchvision.models.detection.",
    "torchvision.models.segmentation.",
)
BATCH = Items("list", ASSUMED_TENSOR)
# An optimizer's groups, whose other entries are numbers and options.
PARAM_GROUPS = Items("list", Table(UNKNOWN, (("params", BATCH),)))
CONSTRAINTS = "torch.distributions.constraints."
# Members of modules, data sets and optimizers for which the stubs are not useful.
RETURNS: dict[str, Value] = {
    "torch.Tensor.__eq__": TENSOR,
    "torch.Tensor.__ne__": TENSOR,
    "torch.nn.Module.parameters": Items("generator", _PARAMETER),
    "torch.nn.Module.buffers": Items("generator", _BUFFER),
    "torch.nn.Module.named_parameters": Items("generator", items_of("tuple", [STR, _PARAMETER])),
    "torch.nn.Module.named_buffers": Items("generator", items_of("tuple", [STR, _BUFFER])),
    "torch.nn.Module.modules": Items("generator", _MODULE),
    "torch.nn.Module.children": Items("generator", _MODULE),
    "torch.nn.Module.named_modules": Items("generator", items_of("tuple", [STR, _MODULE])),
    "torch.nn.Module.named_children": Items("generator", items_of("tuple", [STR, _MODULE])),
    "torch.nn.Module.get_submodule": _MODULE,
    "torch.nn.Module.state_dict": Table(_PARAMETER),
    "torch.nn.Module.training": BOOL,
    "torch.Tensor.item": UNKNOWN,
    "torch.Tensor.tolist": UNKNOWN,
    "torch.Tensor.numpy": Plain("numpy.ndarray"),
    "torch.Tensor.shape": Instance("torch.Size"),
    "torch.Tensor.ndim": INT,
    "torch.Tensor.dtype": Instance("torch.dtype"),
    "torch.Tensor.device": Instance("torch.device"),
    "torch.Tensor.data": TENSOR,
    "torch.Tensor.grad": TENSOR,
    "torch.Tensor.T": TENSOR,
    "torch.Tensor.mT": TENSOR,
    "torch.Tensor.H": TENSOR,
    "torch.Tensor.mH": TENSOR,
    "torch.Tensor.real": TENSOR,
    "torch.Tensor.imag": TENSOR,
    "torch.Tensor.split": Items("tuple", TENSOR),
    "torch.Tensor.backward": Plain("NoneType"),
    "torch.split": Items("tuple", TENSOR),
    "torch.meshgrid": Items("tuple", TENSOR),
    "torch.broadcast_tensors": Items("tuple", TENSOR),
    "torch.autograd.grad": Items("tuple", TENSOR),
    "torch.einsum": TENSOR,
    "torch.quantize_per_tensor": TENSOR,
    "torch.norm": TENSOR,
    "torch.autograd.Function.apply": ASSUMED_TENSOR,
    "torch.optim.Optimizer.param_groups": PARAM_GROUPS,
    f"{CONSTRAINTS}Constraint.check": TENSOR,
    "torch.nn.utils.rnn.pad_packed_sequence": items_of("tuple", [TENSOR, Tensor(dtype="int64")]),
    "torch.frexp": items_of("tuple", [TENSOR, Tensor(dtype="int32")]),
    "torch.Tensor.frexp": items_of("tuple", [TENSOR, Tensor(dtype="int32")]),
    "torch.linalg.lu_factor": items_of("tuple", [TENSOR, Tensor(dtype="int32")]),
    "torch.utils.data.random_split": Items("list", Instance("torch.utils.data.Dataset")),
}
CONSTANTS: dict[str, Value] = {
    "torch.__version__": STR,
    "torch.default_generator": Instance("torch.Generator"),
}
# Members of modules that have no type in the facts, since they may be None.
PARAMETERS = frozenset({"weight", "bias", "running_mean", "running_var"})
# The number of positional arguments with which a call returns a tensor alone; later flags add
# further results.
ALONE = {
    "torch.unique": 2,
    "torch.Tensor.unique": 1,
    "torch.unique_consecutive": 1,
    "torch.Tensor.unique_consecutive": 0,
    **{f"torch.nn.functional.max_pool{n}d": 6 for n in (1, 2, 3)},
    **{f"torch.nn.functional.adaptive_max_pool{n}d": 2 for n in (1, 2, 3)},
    **{f"torch.nn.functional.fractional_max_pool{n}d": 4 for n in (2, 3)},
}
MORE = frozenset({"return_inverse", "return_counts", "return_indices"})
FIELDS = {"values": 0, "indices": 1, "mantissa": 0, "exponent": 1}  # indices in named tuples
# Module methods that return the module itself.
SAME_OBJECT = frozenset(
    words(
        "to cuda cpu eval train half float double bfloat16 apply requires_grad_ type xpu "
        "share_memory to_empty"
    )
)
_PAIR = items_of("tuple", [TENSOR, UNKNOWN])
CALLS: dict[str, Value] = {
    "torch.nn.RNN": items_of("tuple", [TENSOR, TENSOR]),
    "torch.nn.GRU": items_of("tuple", [TENSOR, TENSOR]),
    "torch.nn.LSTM": items_of("tuple", [TENSOR, items_of("tuple", [TENSOR, TENSOR])]),
    "torch.nn.LSTMCell": items_of("tuple", [TENSOR, TENSOR]),
    "torch.nn.MultiheadAttention": items_of("tuple", [TENSOR, TENSOR]),
    "torch.nn.AdaptiveLogSoftmaxWithLoss": _PAIR,
}
TENSOR_CLASSES = frozenset(
    {"torch.Tensor", "torch.nn.Parameter", "torch.nn.Buffer", "torch.autograd.Variable"}
)
SEQUENCES = frozenset(
    {"torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ModuleDict", "torch.nn.Module"}
)
