"""Switches, GPUs, attention's kernels and samplers in plain Paddle."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)


def _code(source: str) -> str:
    conversion = convert(source, target=TARGET)
    assert not conversion.helpers and not conversion.unconverted
    return conversion.code


@pytest.mark.parametrize(
    "line",
    [
        "torch.set_num_threads(1)",
        "torch.use_deterministic_algorithms(True, warn_only=True)",
        "torch.backends.cudnn.deterministic = not args.fast",
        "torch.multiprocessing.set_sharing_strategy('file_system')",
    ],
)
def test_a_switch_that_nothing_reads_is_removed(line: str) -> None:
    assert f"\n# {line}: Paddle" in _code(f"import torch\n\n{line}\n")
    alone = f"import torch\n\nif args:\n    {line}\n    {line}\n"
    assert _code(alone).count(f"\n    pass  # {line}: Paddle") == 2


def test_code_on_the_line_of_a_switch_stays() -> None:
    line = "torch.backends.cudnn.benchmark = True"
    assert "\nx = 1; pass; y = 2\n" in _code(f"import torch\n\nx = 1; {line}; y = 2\n")


@pytest.mark.parametrize("name", ["num_threads", "num_interop_threads"])
def test_a_switch_that_is_asked_for_is_kept(name: str) -> None:
    source = f"import torch\n\ntorch.set_{name}(2)\nn = torch.get_{name}()\n"
    assert "threads" in convert(source, target=TARGET).code.splitlines()[-1]


def test_a_way_of_sharing_that_is_asked_for_is_kept() -> None:
    source = (
        "from torch import multiprocessing\n\nmultiprocessing.set_sharing_strategy('file_system')\n"
        "print(multiprocessing.get_sharing_strategy())\n"
    )
    assert "TorchSettings.sharing_strategy" in convert(source, target=TARGET).code


@pytest.mark.parametrize(
    ("device", "plain"),
    [("0", '"gpu:0"'), ("rank", 'f"gpu:{rank}"'), ("args.local_rank", 'f"gpu:{args.local_rank}"')],
)
def test_a_gpu_is_chosen_by_its_number(device: str, plain: str) -> None:
    code = _code(f"import torch\n\ntorch.cuda.set_device({device})\n")
    assert f"paddle.device.set_device({plain})" in code


KERNELS = (
    "import torch\nimport torch.nn.functional as F\n"
    "from torch.nn.attention import SDPBackend, sdpa_kernel\n\n"
    "q = torch.linspace(0, 1, 96).view(1, 2, 6, 8)\n"
    "with sdpa_kernel([SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION]):\n"
    "    r = F.scaled_dot_product_attention(q, q, q)\n"
    "options = {'enable_flash': False, 'enable_math': True}\n"
    "with torch.backends.cuda.sdp_kernel(**options):\n"
    "    s = F.scaled_dot_product_attention(q, q, q)\n"
)


def test_attentions_kernels_are_chosen_in_paddles_own_words() -> None:
    code = _code(KERNELS)
    assert "from paddle.nn.attention import SDPBackend, sdpa_kernel" in code
    assert "with sdpa_kernel([SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION]):" in code
    assert "with F.flash_attention.sdp_kernel(**options):" in code
    assert prove_case("torch.ones", KERNELS, target=TARGET).problem is None


def test_a_kernel_that_paddle_has_not_keeps_the_helper() -> None:
    source = KERNELS.replace("SDPBackend.MATH", "SDPBackend.CUDNN_ATTENTION")
    assert "TorchSDPBackend" in convert(source, target=TARGET).code


def test_a_weighted_sampler_is_given_an_array() -> None:
    source = (
        "from torch.utils.data import WeightedRandomSampler\n\n"
        "sampler = WeightedRandomSampler([0.0, 1.0], 5)\nr = list(sampler), len(sampler)\n"
    )
    assert "WeightedRandomSampler(numpy.asarray([0.0, 1.0]), 5)" in _code(source)
    assert prove_case("torch.ones", source, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("torch.eq(x, y)", "paddle.eq(x, y)"),
        ("torch.gt(x, k)", "x > k"),
        (
            "torch.outer(torch.arange(3), x[0])",
            "paddle.outer(paddle.arange(3).astype(x[0].dtype), x[0])",
        ),
        ("torch.std(x, dim=1)", "paddle.std(x, axis=1)"),
        ("functools.partial(torch.std, dim=1)(x)", "functools.partial(paddle.std, axis=1)(x)"),
        ("F.kl_div(x, y, log_target=True, reduction='sum')", "paddle.sum(y.exp() * (y - x))"),
        ("F.kl_div(x, p, reduction='none')", "p * (p.clip(min=1e-37).log() - x)"),
        (
            "F.cross_entropy(x, n, reduction='sum', ignore_index=k)",
            "F.cross_entropy(x, n, reduction='sum', ignore_index=k, axis=1)",
        ),
    ],
)
def test_functions_without_helpers_compute_the_same(line: str, plain: str) -> None:
    source = (
        "import functools\n\nimport torch\nimport torch.nn.functional as F\n\n\ndef f(k):\n"
        "    x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -0.75]])\n"
        "    y = torch.tensor([[0.5, 2.0, 1.0], [4.0, -1.0, 0.5]])\n"
        "    p = torch.tensor([[0.5, 0.0, 0.5], [0.25, 0.25, 0.5]])\n"
        f"    n = torch.tensor([1, 2])\n    r = {line}\n    return r\n"
    )
    assert f"    r = {plain}\n" in _code(source)
    assert prove_case("torch.ones", source + "r = f(2)\n", target=TARGET).problem is None


def test_a_gradient_is_cleared_unchanged() -> None:
    source = (
        "import torch\nfrom torch import nn\n\n\ndef idle(model: nn.Module):\n"
        "    for one in model.parameters():\n        one.grad = None\n"
    )
    assert "        one.grad = None\n" in _code(source)


def test_a_gradient_that_is_kept_outlives_its_parameters() -> None:
    source = "import torch\n\n\ndef f(w: torch.Tensor):\n    g = w.grad\n    w.grad = None\n"
    assert "torch_new_grad" in convert(source, target=TARGET).code


def test_other_layers_strides_do_not_concern_an_adaptive_pool() -> None:
    source = "from torch import nn\n\npool = nn.AdaptiveAvgPool2d(1)\ns = block.stride\n"
    assert "pool = nn.AdaptiveAvgPool2D(1)" in _code(source)


def test_an_optimizers_momentum_does_not_concern_a_batch_norm() -> None:
    source = "from torch import nn\n\nnorm = nn.BatchNorm2d(4)\no = {'momentum': 0.9}\n"
    assert "norm = nn.BatchNorm2D(4)" in _code(source)


@pytest.mark.parametrize(
    "decorator", ["torch.jit.ignore", "torch.jit.ignore()", "torch.jit.unused"]
)
def test_what_torchs_compiler_passes_over_paddles_does_too(decorator: str) -> None:
    code = _code(f"import torch\n\n\n@{decorator}\ndef twice(a):\n    return 2 * a\n")
    assert "@paddle.jit.not_to_static\n" in code
    space: dict[str, Any] = {}
    exec(code, space)
    assert space["twice"](3) == 6


@pytest.mark.parametrize("kind", ["staticmethod", "classmethod", "property"])
def test_a_member_that_is_no_function_is_passed_over_too(kind: str) -> None:
    parameter = "" if kind == "staticmethod" else "this"
    read = "A().b" if kind == "property" else "A().b()"
    assert_prints_the_same(f"""import torch

def unused(function):
    return torch.jit.unused(function)

class A:
    @unused
    @{kind}
    def a({parameter}):
        return 3

    @torch.jit.unused
    @{kind}
    def b({parameter}):
        return 4

print({read})
""")


def test_a_scaler_for_the_cpu_says_whether_it_is_enabled() -> None:
    assert_prints_the_same("""import torch

for enabled in (True, False):
    scaler = torch.amp.GradScaler("cpu", enabled=enabled)
    print(scaler.is_enabled(), scaler.get_scale() > 1)
""")


def test_an_interface_of_torchscript_is_the_class_itself() -> None:
    code = _code_with_helpers("""import torch


@torch.jit.interface
class Cell(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Double(Cell):
    def forward(self, x):
        return x * 2
""")
    space: dict[str, Any] = {"__name__": "cells"}
    exec(code + "\nprint(Double()(paddle.ones([2])).tolist(), Cell.__name__)\n", space)
    assert isinstance(space["Double"](), space["Cell"])


def _code_with_helpers(source: str) -> str:
    conversion = convert(source, target=TARGET)
    assert not conversion.unconverted
    return conversion.code
