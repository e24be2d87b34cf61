"""Models as `nnx.Module`: text, values, gradients, training mode, contracts, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
import torch
from flax import nnx
from torch import nn

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import LowerError, lower
from workbench.targets.jax.emitters.loading import from_torch, to_torch
from workbench.weights.carrying import carry

pytestmark = pytest.mark.one_in(4)


class Net(nn.Module):
    """A little of everything: convolution, batch norm, dropout, a list of blocks, a tied weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8, padding_idx=0)
        self.conv = nn.Conv1d(8, 8, 3, padding=1)
        self.norm = nn.BatchNorm1d(8)
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])
        self.dropout = nn.Dropout(0.5)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.embed.weight
        self.scale = nn.Parameter(torch.ones(()), requires_grad=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.conv(self.embed(ids).transpose(1, 2))).relu().transpose(1, 2)
        for block in self.blocks:
            x = x + nn.functional.gelu(block(x))
        return self.head(self.dropout(x)) * self.scale


IDS = torch.tensor([[1, 2, 0, 4, 5], [3, 0, 7, 8, 10]])


def test_it_reads_as_a_person_would_write_it() -> None:
    lowered = lower(capture(Net().eval(), IDS), target="jax")
    assert [line.expression for line in lowered.lines] == [
        "_embedding(ids, self.head.weight[...], 0)",
        "embedding.swapaxes(1, 2)",
        "_conv(transpose, self.conv.weight[...], self.conv.bias[...], padding=[(1, 1)])",
        "_batch_norm(conv1d, self.norm.running_mean[...], self.norm.running_var[...], 1e-05,"
        " self.norm.weight[...], self.norm.bias[...])",
        "jax.nn.relu(batch_norm)",
        "relu.swapaxes(1, 2)",
        "transpose_1 @ self.blocks[0].weight[...].T + self.blocks[0].bias[...]",
        "jax.nn.gelu(linear, approximate=False)",
        "transpose_1 + gelu",
        "add @ self.blocks[1].weight[...].T + self.blocks[1].bias[...]",
        "jax.nn.gelu(linear_1, approximate=False)",
        "add + gelu_1",
        "add_1",
        "clone @ self.head.weight[...].T",
        "linear_2 * self.scale[...]",
    ]
    assert "self.head.weight = self.embed.weight" in lowered.source
    assert 'self.scale = nnx.Variable(jnp.zeros([], "float32"))' in lowered.source
    assert "torch" not in lowered.source.split("class Net")[1]


def test_values_agree_under_jit_and_gradients_of_every_weight() -> None:
    net = Net().eval()
    lowered = lower(capture(net, IDS), target="jax")
    assert compare_nodes(lowered, IDS, mode="free-running").equal
    module, ids = lowered.load(), from_torch(IDS)
    found = nnx.jit(lambda m, x: m(x))(module, ids)
    torch.testing.assert_close(to_torch(found), net(IDS).detach(), rtol=1e-5, atol=1e-5)

    net(IDS).square().sum().backward()
    grads = nnx.grad(lambda m: jnp.sum(m(ids) ** 2))(module)
    flat = {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(grads)}
    wanted = {n: p.grad for n, p in net.named_parameters() if p.requires_grad}
    assert flat.keys() == wanted.keys(), "a tied weight is one, a frozen one none"
    for name, grad in wanted.items():
        assert grad is not None
        torch.testing.assert_close(to_torch(flat[name]), grad, rtol=1e-4, atol=1e-4)


def test_buffers_advance_in_training_and_draws_are_reported() -> None:
    net = Net().train()
    lowered = lower(capture(net, IDS), target="jax")
    assert any(
        "JAX's random stream" in text for texts in lowered.caveats.values() for text in texts
    )
    assert compare_nodes(lowered, IDS).equal
    module = lowered.load()
    nnx.jit(lambda m, x: m(x))(module, from_torch(IDS))
    net(IDS)
    torch.testing.assert_close(to_torch(module.norm.running_var), net.norm.running_var)
    assert int(module.norm.num_batches_tracked[...]) == 1


class Unpooled(nn.Module):
    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return nn.functional.max_unpool1d(x, places, 2)


def test_a_different_gradient_is_reported() -> None:
    inputs = (torch.randn(1, 2, 3), torch.tensor([[[0, 2, 4], [1, 3, 5]]]))
    lowered = lower(capture(Unpooled(), inputs), target="jax")
    caveats = [text for texts in lowered.caveats.values() for text in texts]
    assert any("only the last one has a gradient in JAX" in text for text in caveats)


def test_another_batch_size() -> None:
    net = Net().eval()
    batch = torch.export.Dim("batch", min=1)
    lowered = lower(capture(net, IDS, dynamic_shapes=({0: batch},)), target="jax")
    more = torch.cat([IDS, IDS, IDS])
    found = to_torch(lowered.load()(from_torch(more)))
    torch.testing.assert_close(found, net(more).detach(), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"ids.shape\[1\] is 4, and the model takes 5"):
        lowered.load()(jnp.ones([2, 4], "int64"))
    with pytest.raises(TypeError, match="ids is float32, and the model was captured for int64"):
        lowered.load()(jnp.ones([2, 5], "float32"))


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def halved(x: torch.Tensor) -> torch.Tensor:
            return x / 2

        def doubled(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        return torch.cond(x.sum() > 0, halved, doubled, (x,))


def test_a_choice_is_made_while_it_runs() -> None:
    x = torch.randn(3).abs()
    lowered = lower(capture(Choosing(), x), target="jax")
    call = nnx.jit(lambda m, x: m(x))
    for given in (x, -x):
        found = to_torch(call(lowered.load(), from_torch(given)))
        torch.testing.assert_close(found, Choosing()(given))


class Solving(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.lu_factor(x)[0].relu()


def test_operators_that_jax_lacks_run_in_torch_under_jit_with_gradients() -> None:
    x = torch.randn(3, 3, requires_grad=True)
    lowered = lower(capture(Solving(), x.detach()), target="jax")
    assert [one.op for one in lowered.fallbacks] == ["linalg_lu_factor"]
    module = lowered.load()
    gradient = jax.jit(jax.grad(lambda y: jnp.sum(module(y))))(from_torch(x))
    Solving()(x).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(to_torch(gradient), x.grad, rtol=1e-4, atol=1e-5)


class Writing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * 2


def test_a_model_that_writes_into_its_input_is_refused() -> None:
    with pytest.raises(LowerError, match="writes into its input x, which JAX cannot change"):
        lower(capture(Writing(), torch.ones(2)), target="jax")


class Frozen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            x = self.body(x)
        return self.head(x)


def test_values_computed_without_gradients_have_none() -> None:
    lowered = lower(capture(Frozen(), torch.randn(4, 3)), target="jax")
    x = jnp.ones([4, 3], "float32")
    grads = nnx.grad(lambda m: jnp.sum(m(x)))(lowered.load())
    assert not jnp.any(grads.body.weight[...])
    assert jnp.all(grads.head.bias[...] == 4)


def test_a_program_for_serving_takes_any_batch(tmp_path: Path) -> None:
    net = Net().eval()
    batch = torch.export.Dim("batch", min=2)
    lowered = lower(capture(net, IDS, dynamic_shapes=({0: batch},)), target="jax")
    [saved] = lowered.export(tmp_path / "net.stablehlo", IDS)
    program = jax.export.deserialize(bytearray(saved.read_bytes()))
    more = torch.cat([IDS, IDS, IDS])
    found = to_torch(program.call(from_torch(more)))
    torch.testing.assert_close(found, net(more).detach(), rtol=1e-5, atol=1e-5)
    with pytest.raises(LowerError, match=r"JAX saves programs as \.stablehlo"):
        lowered.export(tmp_path / "net.json", IDS)


def test_weights_go_into_a_live_module_by_torchs_names() -> None:
    net = Net().eval()
    lowered = lower(capture(Net().eval(), IDS), target="jax")
    module = lowered.load()
    state = net.state_dict()
    carried = carry(state, "jax", into=module)
    # The tied weight has one place.
    assert [left.name for left in carried.unfit] == ["head.weight"], str(carried)
    found = to_torch(module(from_torch(IDS)))
    torch.testing.assert_close(found, net(IDS).detach(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("ending", [".safetensors", ".orbax"])
def test_weights_go_to_a_file_and_back(tmp_path: Path, ending: str) -> None:
    from workbench.weights.whole_files import write

    state = {"w": torch.randn(2, 3), "half": torch.randn(2).bfloat16(), "n": torch.tensor(3)}
    torch.save(state, tmp_path / "net.pt")
    write(tmp_path / "net.pt", tmp_path / f"net{ending}", "jax")
    write(tmp_path / f"net{ending}", tmp_path / "back.pt", "jax")
    back: dict[str, Any] = torch.load(tmp_path / "back.pt")
    assert back.keys() == state.keys()
    for name, value in state.items():
        assert torch.equal(back[name], value) and back[name].dtype == value.dtype


def _jitted(model: nn.Module, *args: torch.Tensor) -> tuple[Any, str]:
    """Return a lowered model's result under jit, as torch's tensors, and its source."""
    lowered = lower(capture(model, args), target="jax")
    assert not lowered.fallbacks
    definition, state = nnx.split(lowered.load())
    call = jax.jit(lambda state, *arrays: nnx.merge(definition, state)(*arrays))
    return to_torch(call(state, *map(from_torch, args))), lowered.source


class _Masked(nn.Module):
    """A mask token where a mask holds, a number where a value is small, a diagonal, a window."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.randn(4))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        tokens = x.clone()
        tokens[mask] = self.token
        small = x.clone()
        small[small < 0.1] = 0.1
        columns = x.clone()
        columns[:, mask[0]] = -1
        square = torch.zeros(4, 4).fill_diagonal_(2.0)
        return tokens, small, columns, square @ x.mT, x.as_strided((3, 2), (4, 1), 1)


def test_masks_that_give_each_place_one_value_run_under_jit() -> None:
    model, x = _Masked(), torch.randn(2, 3, 4)
    mask = torch.tensor([[True, False, True], [False, False, True]])
    found, _ = _jitted(model, x, mask)
    for ours, theirs in zip(found, model(x, mask), strict=True):
        torch.testing.assert_close(ours, theirs.detach())


class _Unsaved(nn.Module):
    """Tensors that no state dict holds: made in code, an attribute, a buffer that is not saved."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.shift = torch.arange(3.0)
        self.register_buffer("scale", torch.tensor([0.1, 0.2, 0.3]), persistent=False)
        self.register_buffer("table", torch.randn(40, 3), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x) * torch.tensor([1.0, 2.5, float("inf")]).clamp(max=9) + self.shift
        return y * self.scale + self.table.mean(0)


@pytest.mark.parametrize("target", ["jax", "paddle"])
def test_a_value_outside_the_state_dict_is_in_the_source_or_named(target: str) -> None:
    lowered = lower(capture(_Unsaved().eval(), torch.randn(2, 3)), target=target)
    assert '[1.0, 2.5, float("inf")]' in lowered.source
    assert "[0.0, 1.0, 2.0]" in lowered.source
    assert "[0.1, 0.2, 0.3]" in lowered.source
    assert "No state dict of torch's holds these; set them too: table." in lowered.source
    assert compare_nodes(lowered, torch.randn(2, 3)).equal


class _Algebra(nn.Module):
    """Computations of Gaussian processes, filters and flows."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> Any:
        square = a @ a.mT + torch.eye(4)
        low = torch.linalg.cholesky(square)
        return (
            torch.linalg.solve_triangular(low, b, upper=False),
            torch.linalg.solve(a, b),
            torch.linalg.solve(a, b[:, 0]),
            torch.linalg.inv(a),
            torch.inverse(square),
            torch.logdet(square),
            torch.slogdet(a)[1],
            torch.linalg.det(a),
            torch.linalg.pinv(b),
            torch.linalg.svdvals(b),
            torch.linalg.eigvalsh(square),
            torch.matrix_exp(a - a.mT),
            torch.diag(b[:, 0]) + low.diag(),
        )


def test_linear_algebra_needs_no_torch() -> None:
    torch.manual_seed(0)
    a, b = torch.randn(4, 4, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64)
    found, _ = _jitted(_Algebra(), a, b)
    for ours, theirs in zip(found, _Algebra()(a, b), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_embeddings(mode: str) -> None:
    bags = nn.EmbeddingBag(9, 3, mode=mode, padding_idx=2)
    ids, starts = torch.tensor([4, 2, 5, 8, 1]), torch.tensor([0, 2, 2])
    found, _ = _jitted(bags, ids, starts)
    torch.testing.assert_close(found, bags(ids, starts).detach())


@pytest.mark.parametrize("turn", [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
def test_strides_within_a_tensor(turn: list[int]) -> None:
    class Net(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.permute(turn).as_strided([3, 4], [2, 1])

    x = torch.randn(2, 3, 4)
    found, _ = _jitted(Net(), x)
    torch.testing.assert_close(found, Net()(x))


def test_strides_over_memory_of_another_tensor_are_refused() -> None:
    class Net(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x * 2)[:, 1:].as_strided((2, 2), (1, 2), 0)

    with pytest.raises(LowerError, match="outside a tensor, which JAX"):
        lower(capture(Net(), torch.randn(2, 4)), target="jax")


class _Deciding(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if (x < 0).any():
            return x * 2
        return x.exp()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_choice_of_the_example_is_checked_under_jit(sign: int) -> None:
    x = torch.rand(3).add(0.1) * sign
    lowered = lower(capture(_Deciding(), x), target="jax")
    call = jax.jit(lowered.load())
    torch.testing.assert_close(to_torch(call(from_torch(x))), _Deciding()(x))
    with pytest.raises(Exception, match="as in the example that the model"):
        jax.block_until_ready(call(from_torch(-x)))
        jax.effects_barrier()
