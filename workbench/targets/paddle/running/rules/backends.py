"""Settings of backends, threads and precision."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_B = "torch.backends"
_KEPT = (
    "it keeps its value and has no other effect: Paddle reads the environment"
    " (FLAGS_cudnn_...) when it starts"
)
rules.row(f"{_B}.cudnn", "TorchCudnn", value="TorchCudnn", note=_KEPT)
rules.row(
    f"{_B}.cuda.matmul",
    "TorchCudaMatmul",
    value="TorchCudaMatmul",
    note="it keeps its values and has no other effect",
)
for _name in (
    "allow_tf32",
    "benchmark",
    "deterministic",
    "enabled",
    "fp32_precision",
):
    rules.row(
        f"{_B}.cudnn.{_name}",
        f"TorchCudnn.{_name}",
        store=(f"TorchCudnn.{_name}", "{value}"),
        note=_KEPT,
    )
for _name in (
    "allow_tf32",
    "allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduced_precision_reduction",
):
    rules.row(
        f"{_B}.cuda.matmul.{_name}",
        f"TorchCudaMatmul.{_name}",
        store=(f"TorchCudaMatmul.{_name}", "{value}"),
        note="it keeps its value and has no other effect",
    )
rules.row(f"{_B}.cuda.is_built", "paddle.device.is_compiled_with_cuda()")
rules.row(
    f"{_B}.cudnn.version",
    "paddle.get_cudnn_version()",
    note="the version that Paddle uses; None without a GPU",
)
rules.row(f"{_B}.cudnn.is_available", "(paddle.get_cudnn_version() is not None)")
for _name in ("cudnn", "mkldnn"):
    rules.row(
        f"{_B}.{_name}.flags",
        "torch_without_effect(...)",
        note="it has no effect: Paddle reads the environment (FLAGS_cudnn_...) when it starts",
    )
rules.row(
    f"{_B}.cuda.sdp_kernel",
    "torch_without_effect(...)",
    note="it has no effect: Paddle selects the attention kernel itself; the values are the same",
)
for _name in ("flash", "math", "mem_efficient", "cudnn"):
    rules.row(f"{_B}.cuda.{_name}_sdp_enabled", f"TorchSettings.{_name}_sdp")
    rules.row(
        f"{_B}.cuda.enable_{_name}_sdp",
        f"setattr(TorchSettings, '{_name}_sdp', {{enabled}})",
        note="it keeps its value and has no other effect: Paddle selects the attention kernel"
        " itself",
    )
for _name, _answer in (
    ("mkl.is_available", "(paddle.version.mkl() == 'ON')"),
    ("mkldnn.is_available", "paddle.base.core.is_compiled_with_onednn()"),
    ("openmp.is_available", "True"),
    ("opt_einsum.is_available", "True"),
):
    rules.row(f"{_B}.{_name}", _answer)
for _name in ("mps.is_available", "mps.is_built"):
    rules.row(f"{_B}.{_name}", "False", note="Paddle does not run on Apple's GPUs")

_WITHOUT = "it keeps its value and has no other effect"
rules.row(
    "torch.set_float32_matmul_precision",
    "setattr(TorchSettings, 'matmul_precision', {precision})",
    note=_WITHOUT,
)
rules.row("torch.get_float32_matmul_precision", "TorchSettings.matmul_precision")
rules.row(
    "torch.use_deterministic_algorithms",
    "setattr(TorchSettings, 'deterministic', {mode})",
    ignored={"warn_only": "Paddle has no such warning"},
    note=f"{_WITHOUT}; FLAGS_cudnn_deterministic=1 in the environment makes Paddle deterministic",
)
rules.row("torch.are_deterministic_algorithms_enabled", "TorchSettings.deterministic")
rules.row(
    "torch.set_num_threads",
    "setattr(TorchSettings, 'threads', {int})",
    note=f"{_WITHOUT}; set OMP_NUM_THREADS in the environment to limit Paddle's threads",
)
rules.row("torch.get_num_threads", "TorchSettings.threads", note="the value that was set, or 1")
rules.row(
    "torch.set_num_interop_threads",
    "setattr(TorchSettings, 'interop_threads', {int})",
    note=_WITHOUT,
)
rules.row(
    "torch.get_num_interop_threads",
    "TorchSettings.interop_threads",
    note="the value that was set, or 1",
)
rules.row("torch.set_warn_always", "setattr(TorchSettings, 'warn_always', {b})", note=_WITHOUT)
rules.row("torch.is_warn_always_enabled", "TorchSettings.warn_always")
_PRINTED = "Paddle prints tensors in its own format"
_PROFILES = {
    "default": "precision=4, threshold=1000, edgeitems=3, linewidth=80",
    "short": "precision=2, threshold=1000, edgeitems=2, linewidth=80",
    "full": "precision=4, threshold=2147483647, edgeitems=3, linewidth=80",
}


@rules.rule(
    "torch.set_printoptions",
    note=_PRINTED,
    value="torch_set_printoptions",
    unpacked="torch_set_printoptions(...)",
)
def printing(match: Match) -> Outcome:
    """Replace a profile by the settings that it has in torch."""
    profile = match.constant("profile") if match.given("profile") else None
    if profile is None:
        return Rewrite(
            "paddle.set_printoptions(precision={precision}, threshold={threshold}, "
            "edgeitems={edgeitems}, linewidth={linewidth}, sci_mode={sci_mode})",
            consumed=frozenset({"profile"}) & match.arguments.keys(),
            note=_PRINTED,
        )
    alone = not match.given("precision", "threshold", "edgeitems", "linewidth")
    if profile not in _PROFILES or not alone:
        return Rewrite("torch_set_printoptions(...)", note=_PRINTED)
    return Rewrite(
        f"paddle.set_printoptions({_PROFILES[profile]}, sci_mode={{sci_mode}})",
        consumed=frozenset({"profile"}),
        note=_PRINTED,
    )


rules.row(
    "torch.set_flush_denormal",
    "False",
    note="Paddle has no such mode: the result is always False",
    ignored={"mode": "Paddle has no such mode"},
    caveat="denormal numbers are never set to zero",
)
