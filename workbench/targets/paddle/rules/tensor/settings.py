"""Settings, files, printing and exchange: what `torch` offers beside computing."""

from __future__ import annotations

from workbench.rules.family import Family

rules = Family()

rules.row(
    "torch.typename",
    "torch_typename({obj})",
    signature="(obj)",
    cases=["torch.typename(x)", "torch.typename(3)", "torch.typename(dict)"],
)
rules.row(
    "torch.__version__",
    "paddle.__version__",
    caveat="this is the version of Paddle",
    cases=["isinstance(torch.__version__, str)"],
)
rules.row(
    "torch.set_default_device",
    "paddle.set_device({device})",
    signature="(device)",
    cases=["torch.set_default_device('cpu')\nt = torch.zeros(2)"],
)
rules.row(
    "torch.get_default_device",
    "paddle.device(paddle.get_device())",
    signature="()",
    cases=["str(torch.get_default_device())"],
)
rules.row(
    "torch.set_default_tensor_type",
    "torch_set_default_tensor_type({t})",
    signature="(t)",
    cases=[
        "torch.set_default_tensor_type('torch.FloatTensor')\nt = torch.zeros(1)",
        "torch.set_default_tensor_type(torch.DoubleTensor)\nt = torch.zeros(1)\n"
        "torch.set_default_tensor_type(torch.FloatTensor)",
    ],
)
rules.row(
    "torch.from_dlpack",
    "paddle.from_dlpack({ext_tensor})",
    signature="(ext_tensor)",
    cases=["torch.from_dlpack(np.ones(3))", "torch.from_dlpack(x)"],
)
rules.row(
    "torch.to_dlpack",
    "paddle.utils.dlpack.to_dlpack({tensor})",
    signature="(tensor)",
    cases=["torch.from_dlpack(torch.to_dlpack(x))"],
)
rules.row(
    "torch.utils.dlpack.to_dlpack",
    "paddle.utils.dlpack.to_dlpack({data})",
    cases=["from torch.utils.dlpack import to_dlpack, from_dlpack\nfrom_dlpack(to_dlpack(x))"],
)
rules.row(
    "torch.frombuffer",
    "torch_frombuffer({buffer}, {dtype}, count={count}, offset={offset}, "
    "requires_grad={requires_grad})",
    signature="(buffer, *, dtype, count=-1, offset=0, requires_grad=False)",
    cases=[
        "torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)",
        "v = bytearray([1, 2, 3])\ntorch.frombuffer(v, dtype=torch.uint8, offset=1)",
    ],
)
rules.row(
    "torch.get_device", "{input}.get_device()", signature="(input)", cases=["torch.get_device(x)"]
)
rules.row("torch.sym_int", "int({a})", signature="(a)", cases=["torch.sym_int(2.7)"])
rules.row("torch.sym_float", "float({a})", signature="(a)", cases=["torch.sym_float(2)"])
rules.row("torch.sym_not", "not {a}", signature="(a)", cases=["torch.sym_not(False)"])
rules.row("torch.sym_max", "max({a}, {b})", signature="(a, b)", cases=["torch.sym_max(2, 3)"])
rules.row("torch.sym_min", "min({a}, {b})", signature="(a, b)", cases=["torch.sym_min(2, 3)"])
rules.row("torch.sym_sum", "sum({args})", signature="(args)", cases=["torch.sym_sum([1, 2, 3])"])
rules.row("torch.sym_sqrt", "math.sqrt({a})", signature="(a)", cases=["torch.sym_sqrt(4)"])
rules.row(
    "torch.sym_ite",
    "({t} if {b} else {f})",
    signature="(b, t, f)",
    cases=["torch.sym_ite(True, 1, 2)"],
)
rules.refuse(
    "torch.is_deterministic_algorithms_warn_only_enabled",
    "torch.set_deterministic_debug_mode",
    "torch.get_deterministic_debug_mode",
    reason="Paddle has no such mode as a whole",
    instead="paddle.get_flags('FLAGS_cudnn_deterministic')",
)
rules.refuse(
    "torch.set_anomaly_enabled",
    "torch.is_anomaly_enabled",
    "torch.is_anomaly_check_nan_enabled",
    "torch.init_num_threads",
    reason="Paddle has no such setting",
    instead="FLAGS_check_nan_inf finds NaN and infinity",
)
rules.row(
    "torch.utils.set_module",
    "setattr({obj}, '__module__', {mod})",
    cases=["def f():\n    return 1\ntorch.utils.set_module(f, 'torch.mine')\nr = f.__module__"],
)
