"""Settings, files, printing and exchange: names of `torch` other than computations."""

from __future__ import annotations

from workbench.rules.family import Family

rules = Family()

rules.row("torch.typename", "torch_typename({obj})")
rules.row("torch.__version__", "paddle.__version__", caveat="it is Paddle's version")
rules.row("torch.set_default_device", "paddle.set_device({device})")
rules.row("torch.get_default_device", "paddle.device(paddle.get_device())")
rules.row("torch.set_default_tensor_type", "torch_set_default_tensor_type({t})")
rules.row("torch.from_dlpack", "paddle.from_dlpack({ext_tensor})")
rules.row("torch.to_dlpack", "paddle.utils.dlpack.to_dlpack({tensor})")
rules.row("torch.utils.dlpack.to_dlpack", "paddle.utils.dlpack.to_dlpack({data})")
rules.row(
    "torch.frombuffer",
    "torch_frombuffer({buffer}, {dtype}, count={count}, offset={offset}, "
    "requires_grad={requires_grad})",
)
rules.row("torch.get_device", "{input}.get_device()")
rules.row("torch.sym_int", "int({a})")
rules.row("torch.sym_float", "float({a})")
rules.row("torch.sym_not", "not {a}")
rules.row("torch.sym_max", "max({a}, {b})")
rules.row("torch.sym_min", "min({a}, {b})")
rules.row("torch.sym_sum", "sum({args})")
rules.row("torch.sym_sqrt", "math.sqrt({a})")
rules.row("torch.sym_ite", "({t} if {b} else {f})")
rules.refuse(
    "torch.is_deterministic_algorithms_warn_only_enabled",
    "torch.set_deterministic_debug_mode",
    "torch.get_deterministic_debug_mode",
    reason="Paddle has no such mode",
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
rules.row("torch.utils.set_module", "setattr({obj}, '__module__', {mod})")
