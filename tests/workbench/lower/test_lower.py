"""Lowering: the generated layer computes what the model computes, and says so readably."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.capture.netron import graph_document
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import Lowered, LowerError, lower
from workbench.lower.netron import lowered_document


def pd(tensor: torch.Tensor) -> Any:
    return paddle.from_dlpack(tensor.detach()).clone()


def th(tensor: Any) -> torch.Tensor:
    return torch.from_dlpack(tensor.detach())


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.conv(x)))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Block(), nn.AvgPool2d(2, padding=1))
        self.head = nn.Linear(6, 4)
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 3.0, 4.0]))

    def forward(self, image: torch.Tensor) -> dict[str, Any]:
        features = self.blocks(image).mean((2, 3))
        logits = self.head(features) * self.scale
        return {"logits": logits, "parts": logits.split(2, dim=1)}


@pytest.fixture(scope="module")
def model() -> Model:
    torch.manual_seed(0)
    built = Model().eval()
    built.blocks[0].norm.running_mean.normal_()
    built.blocks[0].norm.running_var.uniform_(0.5, 2)
    return built


@pytest.fixture(scope="module")
def lowered(model: Model) -> Lowered:
    return lower(capture(model, torch.randn(2, 3, 8, 8)))


def test_the_layer_returns_what_the_model_returns(model: Model, lowered: Lowered) -> None:
    image = torch.randn(2, 3, 8, 8)
    ours, theirs = lowered.load()(pd(image)), model(image)
    assert ours.keys() == theirs.keys()
    assert isinstance(ours["parts"], tuple)
    torch.testing.assert_close(th(ours["logits"]), theirs["logits"])
    torch.testing.assert_close(th(ours["parts"][1]), theirs["parts"][1])


def test_weights_keep_their_torch_names(model: Model, lowered: Lowered) -> None:
    assert set(lowered.load().state_dict()) == set(model.state_dict())


def test_source_names_modules_and_lines(lowered: Lowered) -> None:
    source = lowered.source
    assert "F.conv2d(image, self.blocks[0].conv.weight" in source
    assert "# blocks.0.conv (Conv2d) · test_lower.py:" in source
    assert "return torch.relu(self.norm(self.conv(x)))" in source
    assert "import torch\n" not in source


def test_source_needs_no_other_module(model: Model, lowered: Lowered, tmp_path: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(lowered.source, str(tmp_path / "generated.py"), "exec"), namespace)
    layer = namespace["Model"]()
    layer.set_state_dict({k: pd(v) for k, v in model.state_dict().items()})
    layer.eval()
    image = torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(th(layer(pd(image))["logits"]), model(image)["logits"])


def test_every_line_of_the_source_leads_back(lowered: Lowered) -> None:
    text = lowered.source.splitlines()
    for line in lowered.lines:
        assert text[line.number - 1].strip() == line.code
    conv = next(line for line in lowered.lines if "conv2d" in line.expression)
    node = lowered.graph.node(conv.node)
    assert node.module == "blocks.0.conv"


def test_inference_shares_memory_and_training_does_not(model: Model, lowered: Lowered) -> None:
    weight = model.head.weight
    assert lowered.load().head.weight.data_ptr() == weight.data_ptr()
    assert lowered.load(share=False).head.weight.data_ptr() != weight.data_ptr()


def test_inputs_outside_the_contract_are_refused(lowered: Lowered) -> None:
    layer = lowered.load()
    with pytest.raises(ValueError, match=r"image.shape\[3\] is 9, and the model takes 8"):
        layer(paddle.zeros([2, 3, 8, 9]))
    with pytest.raises(ValueError, match="needs 4 dimensions"):
        layer(paddle.zeros([3, 8, 8]))
    with pytest.raises(TypeError, match="captured for float32"):
        layer(paddle.zeros([2, 3, 8, 8], "float64"))


def test_dynamic_dimensions_stay_dynamic() -> None:
    batch = torch.export.Dim("batch", min=1, max=16)
    net = nn.Sequential(nn.Flatten(), nn.Linear(12, 3)).eval()
    found = lower(capture(net, torch.randn(4, 3, 4), dynamic_shapes={"input": {0: batch}}))
    layer = found.load()
    for size in (1, 2, 16):
        x = torch.randn(size, 3, 4)
        torch.testing.assert_close(th(layer(pd(x))), net(x))
    with pytest.raises(ValueError, match="from 1 to 16"):
        layer(paddle.zeros([17, 3, 4]))


def test_two_inputs_of_one_dynamic_size_have_to_agree() -> None:
    batch = torch.export.Dim("batch", max=16)
    shapes = {"a": {0: batch}, "b": {0: batch}}
    graph = capture(lambda a, b: a * b, (torch.ones(3), torch.ones(3)), dynamic_shapes=shapes)
    layer = lower(graph).load()
    assert layer(paddle.ones([5]), paddle.ones([5])).shape == [5]
    with pytest.raises(ValueError, match="needs them equal"):
        layer(paddle.ones([5]), paddle.ones([1]))


def test_gradients_are_those_of_torch() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(10, 6, padding_idx=0)
            self.norm = nn.LayerNorm(6)
            self.out = nn.Linear(6, 2)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            x = self.norm(self.table(ids))
            with torch.no_grad():
                weight = torch.softmax(x, -1)
            return self.out(x * weight.detach()).square().mean()

    net = Net().train()
    ids = torch.tensor([[0, 3, 4], [5, 0, 9]])
    layer = lower(capture(net, ids)).load()
    net(ids).backward()
    layer(pd(ids)).backward()
    for name, parameter in net.named_parameters():
        owner, _, leaf = name.rpartition(".")
        grad = getattr(getattr(layer, owner), leaf).grad
        torch.testing.assert_close(th(grad), parameter.grad, msg=lambda m, n=name: f"{n}: {m}")


def test_training_moves_running_statistics_as_torch_does() -> None:
    net = Block().train()
    x = torch.randn(4, 3, 5, 5)
    layer = lower(capture(net, x)).load()
    for _ in range(3):
        net(x)
        layer(pd(x))
    for name, value in net.norm.named_buffers():
        torch.testing.assert_close(th(getattr(layer.norm, name)), value)


def test_dropout_is_random_in_training_and_says_so() -> None:
    found = lower(capture(nn.Dropout(0.5).train(), torch.ones(1000)))
    kept = th(found.load()(paddle.ones([1000])))
    assert 350 < int((kept == 2).sum()) < 650
    assert set(kept.tolist()) == {0.0, 2.0}
    assert any("random stream" in text for texts in found.caveats.values() for text in texts)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_cond_takes_the_branch_of_its_input(sign: float) -> None:
    def choose(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    layer = lower(capture(choose, torch.ones(3))).load()
    x = torch.full((3,), sign)
    torch.testing.assert_close(th(layer(pd(x))), choose(x))


def test_loops_and_scans() -> None:
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    def loop(x: torch.Tensor) -> Any:
        return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))

    def running(x: torch.Tensor) -> Any:
        return scan(lambda c, a: (c + a, c * a), torch.zeros(2), x)

    for function, x in ((loop, torch.randn(3)), (running, torch.randn(4, 2))):
        ours, theirs = lower(capture(function, x)).load()(pd(x)), function(x)
        for a, b in zip(ours, theirs, strict=True):
            torch.testing.assert_close(th(a), b)


class Nested(nn.Module):
    """Choices within a choice and within a loop, each with its own weights or values."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> Any:
        from torch._higher_order_ops.map import map as each
        from torch._higher_order_ops.while_loop import while_loop

        def above(x: torch.Tensor) -> torch.Tensor:
            first = torch.cond(x.sum() > 3, lambda x: self.linear(x), lambda x: x - 1, (x,))
            return first + torch.cond(x.sum() > 9, lambda x: x * 2, lambda x: x * 3, (x,))

        def step(i: torch.Tensor, x: torch.Tensor) -> Any:
            return i + 1, torch.cond(x.sum() > 1, lambda x: x * 0.5, lambda x: x + 1, (x,))

        chosen = torch.cond(x.sum() > 0, above, lambda x: x.cos(), (x,))
        looped = while_loop(lambda i, x: i < 4, step, (torch.tensor(0), x))[1]
        return chosen, looped, each(lambda row: self.linear(row).relu(), x)


def test_control_flow_within_control_flow() -> None:
    model = Nested().eval()
    lowered = lower(capture(model, torch.ones(2, 3)), fallback=False)
    layer = lowered.load()
    for value in (-1.0, 0.1, 1.0, 2.0):
        x = torch.full((2, 3), value)
        for ours, theirs in zip(layer(pd(x)), model(x), strict=True):
            torch.testing.assert_close(th(ours), theirs)
        found = compare_nodes(lowered, x)
        assert found.equal, str(found)
    whole = paddle.jit.to_static(layer, full_graph=True)
    for ours, theirs in zip(whole(pd(x)), model(x), strict=True):
        torch.testing.assert_close(th(ours), theirs)


def test_a_loop_may_carry_a_number_and_read_a_weight() -> None:
    from torch._higher_order_ops.while_loop import while_loop

    weight = torch.randn(3)

    def loop(x: torch.Tensor) -> Any:
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 2, x * weight), (0, x))[1]

    x = torch.randn(3)
    torch.testing.assert_close(th(lower(capture(loop, x), fallback=False).load()(pd(x))), loop(x))


@pytest.mark.parametrize("last", [4, 6])
def test_rows_are_multiplied_by_their_groups_weight(last: int) -> None:
    def experts(x: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor) -> Any:
        chosen = torch.histc(x[:, 0], bins=4, min=-1, max=1)
        return torch.nn.functional.grouped_mm(x, weights, offs=ends), chosen

    given = (
        torch.randn(6, 8).bfloat16(),
        torch.randn(3, 8, 8).bfloat16(),
        torch.tensor([2, 2, last], dtype=torch.int32),
    )
    found = lower(capture(experts, given), fallback=False).load()(*map(pd, given))
    for ours, theirs in zip(found, experts(*given), strict=True):
        torch.testing.assert_close(th(ours)[:last], theirs[:last])


def test_tied_weights_stay_one() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(5, 4)
            self.out = nn.Linear(4, 5, bias=False)
            self.out.weight = self.embed.weight

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.out(self.embed(ids))

    net = Tied().train()
    ids = torch.tensor([1, 2])
    layer = lower(capture(net, ids)).load()
    net(ids).sum().backward()
    layer(pd(ids)).sum().backward()
    assert layer.out.weight is layer.embed.weight
    torch.testing.assert_close(th(layer.embed.weight.grad), net.embed.weight.grad)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_activations_keep_nan_and_infinity(value: float) -> None:
    x = torch.tensor([value, 1.0, -1.0])
    for function in (torch.relu, nn.functional.relu6, nn.functional.hardtanh, torch.sigmoid):
        ours = lower(capture(lambda x, f=function: f(x), x)).load()(pd(x))
        torch.testing.assert_close(th(ours), function(x), equal_nan=True)


@pytest.mark.parametrize("shape", [(5, 2, 3), (2, 3)])
def test_layer_norm_over_several_dimensions(shape: tuple[int, ...]) -> None:
    norm, x = nn.LayerNorm([2, 3]).eval(), torch.randn(shape)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    ours = lower(capture(norm, x), fallback=False).load()(pd(x))
    torch.testing.assert_close(th(ours), norm(x))


@pytest.mark.parametrize("norm", [nn.LayerNorm(4), nn.GroupNorm(1, 4)], ids=["layer", "group"])
def test_a_norm_with_frozen_weights_and_zeros_hands_gradients_on(norm: nn.Module) -> None:
    norm.weight.data = torch.tensor([0.0, 2.0, 0.5, -3.0])
    norm.requires_grad_(False)
    x, factors = torch.randn(5, 4, requires_grad=True), torch.arange(4.0)
    layer = lower(capture(norm, x.detach()), fallback=False).load()
    ours = pd(x.detach())
    ours.stop_gradient = False
    (layer(ours) * pd(factors)).sum().backward()
    (norm(x) * factors).sum().backward()
    torch.testing.assert_close(th(ours.grad), x.grad)


def test_complex_numbers_are_conjugated() -> None:
    def both(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.fft.ihfft2(x), torch.fft.fft(x).conj().abs(), torch.fft.fft(x).conj().imag

    x = torch.randn(3, 4)
    found = lower(capture(both, x)).load()(pd(x))
    for ours, theirs in zip(found, both(x), strict=True):
        torch.testing.assert_close(th(ours), theirs)


def test_log_softmax_reaches_below_minus_64() -> None:
    x = torch.tensor([[0.0, -100.0, float("-inf"), -70.0]])
    ours = lower(capture(lambda x: x.log_softmax(1), x)).load()(pd(x))
    torch.testing.assert_close(th(ours), x.log_softmax(1))


@pytest.mark.parametrize("equation", ["bij,bjk->bki", "bij,bjk->bijk", "bij,bjk->b"])
def test_whole_numbers_are_contracted(equation: str) -> None:
    given = torch.randint(-9, 9, (2, 3, 4)), torch.randint(-9, 9, (2, 4, 5))
    function = partial(torch.einsum, equation)
    found = lower(capture(lambda x, y: function(x, y), given), fallback=False).load()
    assert torch.equal(th(found(*map(pd, given))), function(*given))


@pytest.mark.parametrize("equation", ["biI,bIk->bki", "bIi,bik", "Bji,BiJ->BjJ"])
def test_capitals_of_an_equation_are_letters_of_their_own(equation: str) -> None:
    given = torch.randn(2, 3, 3), torch.randn(2, 3, 3)
    function = partial(torch.einsum, equation)
    found = lower(capture(lambda x, y: function(x, y), given), fallback=False).load()
    torch.testing.assert_close(th(found(*map(pd, given))), function(*given))


def test_logsumexp_of_many_dimensions() -> None:
    x = torch.randn(2, 1, 3, 2, 4)
    x[0, 0, 0], x[0, 0, 1, 0, 0] = float("-inf"), float("inf")
    found = lower(capture(lambda x: torch.logsumexp(x, (-1, 2)), x)).load()(pd(x))
    torch.testing.assert_close(th(found), torch.logsumexp(x, (-1, 2)))


def test_ids_and_indices_out_of_range_raise() -> None:
    table = nn.Embedding(4, 2).eval()
    layer = lower(capture(table, torch.tensor([0, 1]))).load()
    for wrong in (-1, 4):
        with pytest.raises(IndexError, match=f"id {wrong} is out of range"):
            layer(paddle.to_tensor([0, wrong]))
    pick = lower(capture(lambda x, i: x[i], (torch.ones(3), torch.tensor([0, 1])))).load()
    assert pick(paddle.ones([3]), paddle.to_tensor([-3, 2])).shape == [2]
    with pytest.raises(IndexError, match="out of range for dimension 0 of size 3"):
        pick(paddle.ones([3]), paddle.to_tensor([0, 3]))


def test_fully_masked_attention_is_zero_as_in_torch() -> None:
    q = torch.randn(1, 2, 3, 4)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    function = nn.functional.scaled_dot_product_attention
    ours = lower(capture(lambda q, m: function(q, q, q, attn_mask=m), (q, mask))).load()
    theirs = function(q, q, q, attn_mask=mask)
    torch.testing.assert_close(th(ours(pd(q), pd(mask))), theirs)


def test_arguments_captured_as_constants_are_checked() -> None:
    def f(x: torch.Tensor, flag: bool) -> torch.Tensor:
        return x + 1 if flag else x - 1

    layer = lower(capture(f, (torch.ones(2), True))).load()
    assert layer(paddle.ones([2])).tolist() == [2, 2]
    with pytest.raises(ValueError, match="captured with True"):
        layer(paddle.ones([2]), False)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(LowerError, match="no such target"):
        lower(capture(nn.ReLU(), torch.ones(1)), target="nothing")


def test_netron_pairs_both_sides(lowered: Lowered) -> None:
    def pairs(document: Any) -> set[str]:
        nodes = document["graphs"][0]["nodes"]
        return {a["value"] for n in nodes for a in n["attributes"] if a["name"] == "pair"}

    assert pairs(lowered_document(lowered)) == pairs(graph_document(lowered.graph))
    titles = [n["type"]["name"] for n in lowered_document(lowered)["graphs"][0]["nodes"]]  # type: ignore[index]
    assert titles[0] == "F.conv2d"


def test_it_becomes_a_static_graph_and_is_saved(model: Model, tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", max=16)
    example = torch.randn(2, 3, 8, 8)
    found = lower(capture(model, example, dynamic_shapes={"image": {0: batch}}))
    files = found.export(tmp_path / "net.json", example)
    assert [file.name for file in files] == ["net.json", "net.pdiparams"]
    assert all(file.is_file() for file in files)
    again = paddle.jit.load(str(tmp_path / "net"))
    image = torch.randn(5, 3, 8, 8)
    result = again(pd(image))
    torch.testing.assert_close(th(result[0]), model(image)["logits"])
    with pytest.raises(LowerError, match=r"saves programs as \.json"):
        found.export(tmp_path / "net.onnx", example)


def test_a_saved_program_that_differs_is_refused(
    lowered: Lowered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = paddle.jit.load

    def worse(path: str) -> Any:
        program = load(path)
        return lambda *given: [value * 1.01 for value in program(*given)]

    monkeypatch.setattr(paddle.jit, "load", worse)
    with pytest.raises(
        LowerError, match=r"output 0 of the saved program of .* differs from the layer's"
    ):
        lowered.export(tmp_path / "net.json", torch.randn(2, 3, 8, 8))


def test_nodes_that_run_in_torch_are_not_saved(tmp_path: Path) -> None:
    found = lower(capture(lambda x: torch.special.zeta(x, x), torch.ones(2)))
    with pytest.raises(LowerError, match="runs special_zeta in torch, which paddle cannot save"):
        found.export(tmp_path / "net.json", torch.ones(2))
