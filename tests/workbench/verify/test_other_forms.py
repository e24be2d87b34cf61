"""Correct ports in forms that are far from the original's, and bugs that fresh weights hide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import check_of, verify
from workbench.errors import TorchferryError

TURNING = """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        angles = paddle.outer(paddle.arange(8.0), 1.0 / 10 ** paddle.arange(3.0))
        self.register_buffer("cos", angles.cos(), persistable=False)
        self.register_buffer("sin", angles.sin(), persistable=False)
        self.out = nn.Linear(6, 4)
"""
TABLES = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(8.0), 1.0 / 10 ** torch.arange(3.0))
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        return self.out(x * self.cos + torch.cat((-b, a), dim=-1) * self.sin).mean(1)
""",
    TURNING
    + """
    def forward(self, x):
        a, b = paddle.chunk(x, 2, axis=-1)
        turned = [a * self.cos - b * self.sin, b * self.cos + a * self.sin]
        return self.out(paddle.concat(turned, axis=-1)).mean(1)
""",
)
PARTS = (
    """
class Block(nn.Module):
    def __init__(self, size, out):
        super().__init__()
        self.norm = nn.BatchNorm1d(size, affine=False)
        self.embed = nn.Linear(6, 2 * size)
        self.conv = nn.Conv1d(size, out, 1)

    def forward(self, x, by):
        scale, shift = self.embed(by).unsqueeze(-1).chunk(2, dim=1)
        return self.conv(self.norm(x) * scale + shift)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(8, 4), Block(4, 4)
        self.qkv = nn.Conv1d(4, 12, 1)
        self.proj = nn.Conv1d(4, 4, 1)

    def forward(self, x):
        by = x.mean(1)
        q, k, v = self.qkv(self.second(self.first(x, by), by)).chunk(3, dim=1)
        return self.proj(v @ (q.transpose(1, 2) @ k).softmax(-1)).sum(-1)
""",
    """
class Part(nn.Layer):
    def __init__(self, size, out):
        super().__init__()
        self.shift = nn.Linear(6, size)
        self.gain = nn.Linear(6, size)
        self.bn = nn.BatchNorm1D(size, weight_attr=False, bias_attr=False)
        self.mix = nn.Conv1D(size, out, 1)

    def forward(self, x, by):
        return self.mix(self.bn(x) * self.gain(by).unsqueeze(-1) + self.shift(by).unsqueeze(-1))

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = Part(8, 4), Part(4, 4)
        self.to_q, self.to_k, self.to_v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.to_out = nn.Linear(4, 4)

    def forward(self, x):
        by = x.mean(1)
        x = self.b(self.a(x, by), by).transpose([0, 2, 1])
        scores = self.to_q(x) @ self.to_k(x).transpose([0, 2, 1])
        return self.to_out(F.softmax(scores, axis=-1).transpose([0, 2, 1]) @ self.to_v(x)).sum(1)
""",
)
VOTES = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.votes = nn.Parameter(torch.randn(1, 3, 8, 4, 6))

    def forward(self, x):
        votes = torch.matmul(self.votes, x.unsqueeze(1).unsqueeze(4)).squeeze(-1)
        best = F.one_hot(votes.sum((1, 3)).argmax(1), 8).float()
        return (votes.sum(1) * best.unsqueeze(-1)).sum(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([8, 3, 6, 4])

    def forward(self, x):
        votes = paddle.einsum("bnd,nkdv->bknv", x, self.weight).sum(axis=1)
        best = F.one_hot(votes.sum(axis=-1).argmax(axis=1), 8)  # single precision, always
        return paddle.einsum("bnv,bn->bv", votes, best.astype("float32"))
""",
)
TURNED = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 6, 1)
        self.drop = nn.Dropout(0.4)
        self.out = nn.Conv1d(6, 4, 1)

    def forward(self, x):
        return self.out(self.drop(self.conv(x))).sum(-1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(8, 6)
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.drop(self.conv(x.transpose([0, 2, 1])))).sum(1)
""",
)
SLOWLY = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8, momentum=0.01)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.norm(x)).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1D(8, momentum=0.99)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.norm(x)).mean(1)
""",
)
LEVELS = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 5, 3, dropout=0.4, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(10, 5, 2, dropout=0.3, batch_first=True)
        self.out = nn.Linear(5, 4)

    def forward(self, x):
        return self.out(self.gru(self.rnn(x)[0])[0].mean(1))
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 5, 3, direction="bidirect", dropout=0.4)
        self.gru = nn.GRU(10, 5, 2, dropout=0.3)
        self.out = nn.Linear(5, 4)

    def forward(self, x):
        return self.out(self.gru(self.rnn(x)[0])[0].mean(1))
""",
)
HEADS = (
    """
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.randn(6, 5))
        self.a = nn.Parameter(torch.randn(10, 1))

    def forward(self, x):
        x = x @ self.W
        scores = x @ self.a[:5] + (x @ self.a[5:]).transpose(1, 2)
        weights = F.dropout(F.leaky_relu(scores).softmax(-1), 0.3, self.training)
        return weights @ x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = [Head() for _ in range(3)]
        for number, head in enumerate(self.heads):
            self.add_module(f"head_{number}", head)
        self.out = nn.Linear(15, 4)

    def forward(self, x):
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1)).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([3, 6, 5])
        self.source = self.create_parameter([3, 5, 1])
        self.target = self.create_parameter([3, 5, 1])
        self.out = nn.Linear(15, 4)

    def forward(self, x):
        x = paddle.einsum("bni,hio->bhno", x, self.weight)
        first, second = (
            paddle.einsum("bhno,hok->bhnk", x, side) for side in (self.source, self.target)
        )
        scores = first + second.transpose([0, 1, 3, 2])
        weights = F.dropout(F.softmax(F.leaky_relu(scores)), 0.3, training=self.training)
        return self.out((weights @ x).transpose([0, 2, 1, 3]).flatten(2)).mean(1)
""",
)
AHEAD = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(6, 5), nn.Linear(6, 5), nn.Linear(5, 4)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        a, b = self.drop(self.first(x)), self.drop(self.second(x))
        return self.out(self.drop(torch.tanh(a)) * b).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(6, 5), nn.Linear(6, 5), nn.Linear(5, 4)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        a = self.drop(paddle.tanh(self.drop(self.first(x))))
        return self.out(a * self.drop(self.second(x))).mean(1)
""",
)
CONSTANTS = (
    """
class Shift(nn.Conv1d):
    def __init__(self, sign):
        super().__init__(8, 8, 1)
        self.weight.data = torch.eye(8)[:, :, None]
        self.bias.data = sign * torch.linspace(0.3, 0.6, 8)
        for p in self.parameters():
            p.requires_grad = False

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.less, self.more = Shift(-1), Shift(1)
        self.first, self.out = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.more(self.first(self.less(x)).relu()).tanh()).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", paddle.linspace(0.3, 0.6, 8).unsqueeze(-1))
        self.first, self.out = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        return self.out((F.relu(self.first(x - self.mean)) + self.mean).tanh()).mean(1)
""",
)
FORMS = {
    "tables": TABLES,
    "parts": PARTS,
    "votes": VOTES,
    "turned": TURNED,
    "slowly": SLOWLY,
    "levels": LEVELS,
    "heads": HEADS,
    "ahead": AHEAD,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_a_correct_port_is_certified(form: str, tmp_path: Path) -> None:
    found = verify(tmp_path, *FORMS[form])
    assert found.certified, found.as_dict()


def test_a_frozen_parameter_without_counterpart_is_reported(tmp_path: Path) -> None:
    found = verify(tmp_path, *CONSTANTS)
    assert found.certified, found.as_dict()
    assert (
        "frozen, without a counterpart in the port: less.weight"
        in check_of(found, "construction").summary
    )
    wrong = CONSTANTS[1].replace("+ self.mean", "- self.mean")
    assert not verify(tmp_path, CONSTANTS[0], wrong).certified


def test_weights_in_an_unknown_form_are_asked_for(tmp_path: Path) -> None:
    original = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(x).mean(1)
"""
    port = """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = self.create_parameter([2, 12])
        self.bias = self.create_parameter([4], is_bias=True)

    def forward(self, x):
        return (x @ self.table.reshape([4, 6]).t() + self.bias).mean(1)
"""
    message = r"out.weight of the original and table of the port have 24 numbers each.* --map"
    with pytest.raises(TorchferryError, match=message):
        verify(tmp_path, original, port)


def test_a_square_matrix_that_fits_transposed_is_reported_with_its_map(tmp_path: Path) -> None:
    both = (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.moves, self.out = nn.Parameter(torch.randn(6, 6)), nn.Linear(6, 4)

    def forward(self, x):
        return self.out(torch.tanh(x @ self.moves)).mean(1)
""",
        """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.steps, self.out = self.create_parameter([6, 6]), nn.Linear(6, 4)

    def forward(self, x):
        return self.out(paddle.tanh(x @ self.steps.t())).mean(1)
""",
    )
    found = verify(tmp_path, *both)
    assert not found.certified
    assert "add --map moves=steps:T" in found.places[0].cause
    assert found.places[0].tested
    assert verify(tmp_path, *both, "moves=steps:T").certified


ROTATED = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(8.0), 1.0 / 10 ** torch.arange(3.0))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles), False)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], 3, 2)) * self.turns
        return self.out(torch.view_as_real(pairs).flatten(2)).mean(1)
""",
    TURNING
    + """
    def forward(self, x):
        a, b = x[..., ::2], x[..., 1::2]
        turned = [a * self.cos - b * self.sin, a * self.sin + b * self.cos]
        return self.out(paddle.stack(turned, axis=-1).flatten(2)).mean(1)
""",
)


def test_a_table_of_complex_numbers_may_be_two_in_the_port(tmp_path: Path) -> None:
    found = verify(tmp_path, *ROTATED)
    assert found.certified, found.as_dict()
    wrong = ROTATED[1].replace("a * self.sin + b", "a * self.sin - b")
    assert not verify(tmp_path, ROTATED[0], wrong).certified


def test_an_epsilon_that_only_gradients_show_is_reported(tmp_path: Path) -> None:
    found = verify(
        tmp_path,
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(6), nn.LayerNorm(6)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.second(self.first(x))).mean(1)
""",
        """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.LayerNorm(6, epsilon=1e-6)
        self.second = nn.LayerNorm(6)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.second(self.first(x))).mean(1)
""",
    )
    differing = [one.name for one in found.checks if one.differing]
    assert differing[0] == "gradients"
    assert found.places[0].cause == "eps is 1e-06 in the port and 1e-05 in the original"
    line = (
        (tmp_path / "port.py")
        .read_text()
        .splitlines()
        .index("        self.first = nn.LayerNorm(6, epsilon=1e-6)")
    )
    assert found.places[0].port.endswith(f"port.py:{line + 1}")


NORMS = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(6), nn.LayerNorm(6)
        self.out = nn.Linear(6, 4)
        self.register_buffer("curve", torch.linspace(0.1, 2, 8))
        self.register_buffer("noise", torch.rand(8))

    def forward(self, x):
        return self.out(self.second(self.first(x)) * (self.curve + self.noise)[:, None]).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(6), nn.LayerNorm(6)
        self.out = nn.Linear(6, 4)
        self.register_buffer("noise", paddle.rand([8]))
        self.register_buffer("curve", paddle.linspace(0.1, 2, 8))

    def forward(self, x):
        y = self.second(self.first(x))
        return self.out(y * (self.curve + self.noise).unsqueeze(-1)).mean(1)
""",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("right", "wrong", "check"),
    [
        ("", "", ""),
        ("self.second(self.first(x))", "self.second(x)", "forward in evaluation"),
        ("linspace(0.1, 2, 8)", "linspace(0.1, 1, 8)", "fresh weights"),
    ],
)
def test_what_fresh_weights_or_carried_tables_would_hide(
    right: str, wrong: str, check: str, tmp_path: Path
) -> None:
    found = verify(tmp_path, NORMS[0], NORMS[1].replace(right, wrong))
    assert found.certified is not bool(check), found.as_dict()
    differing = [one.name for one in found.checks if one.differing]
    assert all(name.startswith(check) for name in differing[:1])
