"""Models that torch's PT2E flow quantized keep their quantize and dequantize nodes, and match."""

from __future__ import annotations

import logging
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower

FLOW = "torchao.quantization.pt2e"


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.out = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.conv(x)))
        x = nn.functional.max_pool2d(x + torch.relu(x - 0.1), 2)
        return self.out(x.mean((2, 3)))


def quantized(example: torch.Tensor, *, trained: bool, dynamic: bool) -> Any:
    # Its compiled kernels may not load with this torch; the quantizers need none of them.
    logging.getLogger("torchao").setLevel(logging.ERROR)
    pt2e = pytest.importorskip(f"{FLOW}.quantize_pt2e")
    x86 = pytest.importorskip(f"{FLOW}.quantizer.x86_inductor_quantizer")
    torch.manual_seed(0)
    program = torch.export.export(Net().train(trained), (example,)).module()
    config = x86.get_default_x86_inductor_quantization_config(is_qat=trained, is_dynamic=dynamic)
    quantizer = x86.X86InductorQuantizer().set_global(config)
    prepare = pt2e.prepare_qat_pt2e if trained else pt2e.prepare_pt2e
    prepared = prepare(program, quantizer)
    prepared(example)
    return pt2e.convert_pt2e(prepared)


@pytest.mark.parametrize("trained", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_a_quantized_model_matches_to_the_last_step(trained: bool) -> None:
    x = torch.randn(2, 3, 8, 8)
    model = quantized(x, trained=trained, dynamic=False)
    lowered = lower(capture(model, x))
    ops = [node.op for node in lowered.graph.calls]
    assert sum("quantize_per_tensor" in op for op in ops) >= 4
    assert sum("quantize_per_channel" in op for op in ops) == 2
    assert lowered.fallbacks == ()
    for mode in ("teacher-forced", "free-running"):
        assert compare_nodes(lowered, x, mode=mode).equal  # type: ignore[arg-type]
    layer = lowered.load()
    assert str(layer._frozen_param0.dtype) == "paddle.int8"
    other = torch.randn(2, 3, 8, 8)
    found = torch.from_dlpack(layer(paddle.from_dlpack(other)).detach())
    torch.testing.assert_close(found, model(other))


def test_choices_made_on_each_call_match_too() -> None:
    x = torch.randn(2, 3, 8, 8)
    lowered = lower(capture(quantized(x, trained=False, dynamic=True), x), fallback=False)
    assert any("choose_qparams" in node.op for node in lowered.graph.calls)
    for mode in ("teacher-forced", "free-running"):
        found = compare_nodes(lowered, x * 3, mode=mode)  # type: ignore[arg-type]
        assert found.equal, str(found)
