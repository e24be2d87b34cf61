"""Settings of backends, threads and precision."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_B = "torch.backends"
_KEPT = "it keeps its value without effect: Paddle reads its flags (FLAGS_cudnn_...) at the start"
_MODULE = (
    "import torch.backends.cudnn as cudnn\ncudnn.benchmark = True\nr = cudnn.benchmark\n"
    "cudnn.benchmark = False"
)
rules.row(f"{_B}.cudnn", "TorchCudnn", value="TorchCudnn", note=_KEPT, cases=[_MODULE])
rules.row(
    f"{_B}.cuda.matmul",
    "TorchCudaMatmul",
    value="TorchCudaMatmul",
    note="it keeps its values without effect",
    cases=[
        "torch.backends.cuda.matmul.allow_tf32 = True\nr = torch.backends.cuda.matmul.allow_tf32\n"
        "torch.backends.cuda.matmul.allow_tf32 = False"
    ],
)
for _name, _value in (
    ("allow_tf32", "True"),
    ("benchmark", "True"),
    ("deterministic", "True"),
    ("enabled", "False"),
    ("fp32_precision", "'ieee'"),
):
    rules.row(
        f"{_B}.cudnn.{_name}",
        f"TorchCudnn.{_name}",
        store=(f"TorchCudnn.{_name}", "{value}"),
        note=_KEPT,
        cases=[
            f"r = torch.backends.cudnn.{_name}",
            f"import torch.backends.cudnn as cudnn\nold = cudnn.{_name}\ncudnn.{_name} = {_value}\n"
            f"r = cudnn.{_name}\ncudnn.{_name} = old",
        ],
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
        note="it keeps its value without effect",
        cases=[
            f"old = torch.backends.cuda.matmul.{_name}\ntorch.backends.cuda.matmul.{_name} = True\n"
            f"r = torch.backends.cuda.matmul.{_name}\ntorch.backends.cuda.matmul.{_name} = old",
        ],
    )
rules.row(
    f"{_B}.cuda.is_built",
    "paddle.device.is_compiled_with_cuda()",
    cases=["torch.backends.cuda.is_built()"],
)
rules.row(
    f"{_B}.cudnn.version",
    "paddle.get_cudnn_version()",
    note="the version that Paddle found; None without a GPU",
    cases=["torch.backends.cudnn.version()", "import torch.backends.cudnn as c\nr = c.version()"],
)
rules.row(
    f"{_B}.cudnn.is_available",
    "(paddle.get_cudnn_version() is not None)",
    cases=["torch.backends.cudnn.is_available()"],
)
for _name in ("cudnn", "mkldnn"):
    rules.row(
        f"{_B}.{_name}.flags",
        "torch_without_effect(...)",
        note="Paddle reads its flags (FLAGS_cudnn_...) at the start",
        cases=[f"with torch.backends.{_name}.flags(enabled=False):\n    r = F.conv2d(img, img)"],
    )
rules.row(
    f"{_B}.cuda.sdp_kernel",
    "torch_without_effect(...)",
    note="Paddle chooses the kernel of attention itself; the values are the same",
    cases=[
        "with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_math=True):\n"
        "    v = F.scaled_dot_product_attention(a, a, a)"
    ],
)
for _name in ("flash", "math", "mem_efficient", "cudnn"):
    _kept = f"torch.backends.cuda.{_name}_sdp_enabled()"
    rules.row(f"{_B}.cuda.{_name}_sdp_enabled", f"TorchSettings.{_name}_sdp", cases=[_kept])
    rules.row(
        f"{_B}.cuda.enable_{_name}_sdp",
        f"setattr(TorchSettings, '{_name}_sdp', {{enabled}})",
        note="it keeps its value without effect: Paddle chooses the kernel of attention itself",
        cases=[
            f"torch.backends.cuda.enable_{_name}_sdp(False)\nr = {_kept}\n"
            f"torch.backends.cuda.enable_{_name}_sdp(True)"
        ],
    )
for _name, _answer in (
    ("mkl.is_available", "(paddle.version.mkl() == 'ON')"),
    ("mkldnn.is_available", "paddle.base.core.is_compiled_with_onednn()"),
    ("openmp.is_available", "True"),
    ("opt_einsum.is_available", "True"),
):
    rules.row(f"{_B}.{_name}", _answer, signature="()", cases=[f"torch.backends.{_name}()"])
for _name in ("mps.is_available", "mps.is_built"):
    rules.row(
        f"{_B}.{_name}",
        "False",
        note="Paddle does not run on Apple's GPUs",
        cases=[f"torch.backends.{_name}()"],
    )

_WITHOUT = "it keeps its value without effect"
rules.row(
    "torch.set_float32_matmul_precision",
    "setattr(TorchSettings, 'matmul_precision', {precision})",
    note=_WITHOUT,
    cases=[
        "torch.set_float32_matmul_precision('high')\nr = torch.get_float32_matmul_precision()\n"
        "torch.set_float32_matmul_precision('highest')"
    ],
)
rules.row(
    "torch.get_float32_matmul_precision",
    "TorchSettings.matmul_precision",
    cases=["torch.get_float32_matmul_precision()"],
)
rules.row(
    "torch.use_deterministic_algorithms",
    "setattr(TorchSettings, 'deterministic', {mode})",
    ignored={"warn_only": "Paddle has no check that could warn"},
    note=f"{_WITHOUT}; FLAGS_cudnn_deterministic=1 in the environment makes Paddle deterministic",
    cases=[
        "torch.use_deterministic_algorithms(True)\n"
        "r = torch.are_deterministic_algorithms_enabled()\n"
        "torch.use_deterministic_algorithms(False)"
    ],
)
rules.row(
    "torch.are_deterministic_algorithms_enabled",
    "TorchSettings.deterministic",
    cases=["torch.are_deterministic_algorithms_enabled()"],
)
rules.row(
    "torch.set_num_threads",
    "setattr(TorchSettings, 'threads', {int})",
    note=f"{_WITHOUT}; OMP_NUM_THREADS in the environment sets Paddle's",
    signature="(int)",
    cases=[
        "old = torch.get_num_threads()\ntorch.set_num_threads(1)\nr = torch.get_num_threads()\n"
        "torch.set_num_threads(old)\nold = 0"
    ],
)
rules.row(
    "torch.get_num_threads",
    "TorchSettings.threads",
    note="what was set, or 1",
    cases=["torch.set_num_threads(1)\nr = torch.get_num_threads()"],
)
rules.row(
    "torch.set_num_interop_threads",
    "setattr(TorchSettings, 'interop_threads', {int})",
    signature="(int)",
    note=_WITHOUT,
    cases=["if False:\n    torch.set_num_interop_threads(2)\nr = 1"],
)
rules.row(
    "torch.get_num_interop_threads",
    "TorchSettings.interop_threads",
    note="what was set, or 1",
    cases=["r = torch.get_num_interop_threads() > 0"],
)
rules.row(
    "torch.set_warn_always",
    "setattr(TorchSettings, 'warn_always', {b})",
    signature="(b)",
    note=_WITHOUT,
    cases=[
        "torch.set_warn_always(True)\nr = torch.is_warn_always_enabled()\n"
        "torch.set_warn_always(False)"
    ],
)
rules.row(
    "torch.is_warn_always_enabled",
    "TorchSettings.warn_always",
    cases=["torch.is_warn_always_enabled()"],
)
_PRINTED = "Paddle prints tensors in a form of its own"
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
    cases=[
        "k, f = {'precision': 3, 'sci_mode': False}, torch.set_printoptions\n"
        "torch.set_printoptions(**k), f(profile='full'), f(profile='default')",
        "torch.set_printoptions(precision=4, sci_mode=False)\nr = 1",
        "k = 'short'\ntorch.set_printoptions(profile=k), torch.set_printoptions(2, profile='full')",
        "torch.set_printoptions(profile='full')\ntorch.set_printoptions(profile='default')\nr = 1",
    ],
)
def printing(match: Match) -> Outcome:
    """A profile stands for the settings that torch gives it."""
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
    note="Paddle cannot, which this answer says",
    ignored={"mode": "Paddle has no such mode"},
    signature="(mode)",
    caveat="numbers below the smallest normal one are kept",
    cases=["r = 1 if False and torch.set_flush_denormal(True) else 0"],
)
