"""Bugs that lie in a call and not in what it calls: the line of the call comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import verify, verify_changed
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

# Queries get a position, and values do not.
ATTENTION = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.place = nn.Parameter(torch.randn(8, 6))
        self.attend = nn.MultiheadAttention(6, 2, batch_first=True)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        q = x + self.place
        x = x + self.attend(q, q, x, need_weights=False)[0]
        return self.out(x).mean(1)
""",
    """
class Attend(nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiHeadAttention(6, 2)

    def forward(self, query, key, value):
        return self.inner(query, key, value)

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.place = self.create_parameter([8, 6])
        self.attend = Attend()
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        q = x + self.place
        x = x + self.attend(q, q, x)
        return self.out(x).mean(1)
""",
)
# Every cross multiplies by what the first one took.
CROSSES = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        y = x * self.first(x) + x
        y = x * self.second(y) + y
        return self.out(y).mean(1)
""",
    """
class Cross(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, base, x):
        mixed = self.fc(x)
        return base * mixed + x

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.crosses = nn.LayerList([Cross(), Cross()])
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        y = self.crosses[0](x, x)
        y = self.crosses[1](x, y)
        return self.out(y).mean(1)
""",
)
# A shift and a scale in the order that the function takes them.
MODULATED = (
    """
def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.by, self.out = nn.Linear(6, 24), nn.Linear(6, 4)

    def forward(self, x):
        a, b, c, d = self.by(x.mean(1)).chunk(4, dim=1)
        x = torch.tanh(modulate(x, a, b))
        return self.out(modulate(x, c, d)).mean(1)
""",
    """
class Modulate(nn.Layer):
    def forward(self, x, shift, scale):
        return x * (1.0 + scale.unsqueeze(1)) + shift.unsqueeze(1)

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.by, self.out = nn.Linear(6, 24), nn.Linear(6, 4)
        self.modulate = Modulate()

    def forward(self, x):
        a, b, c, d = self.by(x.mean(1)).chunk(4, axis=1)
        x = paddle.tanh(self.modulate(x, a, b))
        return self.out(self.modulate(x, c, d)).mean(1)
""",
)
# A call of many lines; a loop that takes a sequence apart; parts that a loop makes.
LOOPS = (
    """
class Unit(nn.Module):
    def __init__(self, dilation):
        super().__init__()
        self.conv = nn.Conv1d(6, 6, 3, padding=dilation, dilation=dilation)

    def forward(self, x):
        return x + F.leaky_relu(self.conv(x), 0.1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.units = nn.Sequential(*[Unit(d) for d in (1, 3)])
        self.conv = nn.Conv1d(6, 6, 4, padding=3, groups=6)
        self.cell, self.out = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        x = self.units(x.transpose(1, 2))
        x = F.interpolate(x, scale_factor=2, mode="linear", align_corners=True)
        x = self.conv(x)[:, :, :16].transpose(1, 2)
        state = torch.zeros(len(x), 6, dtype=x.dtype)
        for step in range(16):
            state = torch.tanh(self.cell(state) + x[:, step])
        return self.out(state)
""",
    """
class Unit(nn.Layer):
    def __init__(self, dilation):
        super().__init__()
        self.conv = nn.Conv1D(6, 6, 3, padding=dilation, dilation=dilation)

    def forward(self, x):
        return x + F.leaky_relu(self.conv(x), 0.1)

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1D(6, 6, 4, padding=3, groups=6)
        self.cell, self.out = nn.Linear(6, 6), nn.Linear(6, 4)
        self.units = nn.Sequential(
            *[Unit(2 * number + 1) for number in range(2)]
        )

    def forward(self, x):
        x = self.units(x.transpose([0, 2, 1]))
        x = F.interpolate(
            x,
            size=None,
            scale_factor=2,
            mode="linear",
            align_corners=True,
            data_format="NCW",
        )
        x = self.conv(x)[:, :, :16].transpose([0, 2, 1])
        state = paddle.zeros([len(x), 6], dtype=x.dtype)
        for step in range(16):
            state = paddle.tanh(self.cell(state) + x[:, step])
        return self.out(state)
""",
)
# A cell of torch's, written by hand; a row apart from the rows below it.
CELL = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(5, 6))
        self.cell, self.out = nn.GRUCell(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        x = x + self.rows[:4].sum(0)
        state = self.rows[4:].expand(len(x), -1)
        for step in range(8):
            state = self.cell(x[:, step], state)
        return self.out(state)
""",
    """
class Cell(nn.Layer):
    def __init__(self):
        super().__init__()
        self.taken, self.kept = nn.Linear(6, 18), nn.Linear(6, 18)

    def forward(self, x, state):
        x_r, x_z, x_n = self.taken(x).chunk(3, axis=1)
        h_r, h_z, h_n = self.kept(state).chunk(3, axis=1)
        r = F.sigmoid(x_r + h_r)
        z = F.sigmoid(x_z + h_z)
        n = paddle.tanh(x_n + r * h_n)
        return (1 - z) * n + z * state

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.rows = self.create_parameter([4, 6])
        self.first = self.create_parameter([1, 6])
        self.cell, self.out = Cell(), nn.Linear(6, 4)

    def forward(self, x):
        x = x + self.rows.sum(0)
        state = self.first.expand([len(x), -1])
        for step in range(8):
            state = self.cell(x[:, step], state)
        return self.out(state)
""",
)
# Heads apart in three dimensions, as many numbers as inputs, which layers keep either way round.
BLOCKS = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.o = (nn.Parameter(torch.randn(6, 2, 3)) for _ in range(3))
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        q = torch.einsum("bih,hnd->bind", x, self.q)
        k = torch.einsum("bjh,hnd->bjnd", x, self.k)
        p = torch.einsum("bind,bjnd->bnij", q, k).softmax(-1)
        y = torch.einsum("bnij,bjnd->bind", p, k)
        return self.out(torch.einsum("bind,hnd->bih", y, self.o)).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.o_proj = (
            nn.Linear(6, 6, bias_attr=False) for _ in range(3))
        self.out = nn.Linear(6, 4)

    def heads(self, x):
        return x.reshape([0, 0, 2, 3]).transpose([0, 2, 1, 3])

    def forward(self, x):
        q, k = self.heads(self.q_proj(x)), self.heads(self.k_proj(x))
        p = F.softmax(paddle.matmul(q, k, transpose_y=True))
        y = paddle.matmul(p, k).transpose([0, 2, 1, 3]).flatten(2)
        return self.out(self.o_proj(y)).mean(1)
""",
)
# A table of complex numbers, next to two of real ones.
TURNED = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(8.0), 1.0 / 10 ** torch.arange(3.0))
        self.turns = torch.polar(torch.ones_like(angles), angles)
        self.key, self.out = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        pairs = torch.view_as_complex(self.key(x).reshape(*x.shape[:2], 3, 2))
        x = x + torch.view_as_real(pairs * self.turns).flatten(2)
        return self.out(x).mean(1)
""",
    """
def turn(x, cos, sin):
    pairs = x.reshape([0, 0, 3, 2])
    a, b = pairs[..., 0], pairs[..., 1]
    return paddle.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).flatten(2)

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        angles = paddle.outer(paddle.arange(8.0), 1.0 / 10 ** paddle.arange(3.0))
        self.cos, self.sin = paddle.cos(angles), paddle.sin(angles)
        self.key, self.out = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        x = x + turn(self.key(x), self.cos[:8], self.sin[:8])
        return self.out(x).mean(1)
""",
)
# A wrapper that activates, or does not; an operation at the end of a function.
WRAPPED = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(6, 6, 1), nn.Conv1d(6, 6, 1)
        self.c, self.d = nn.BatchNorm1d(6), nn.BatchNorm1d(6)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        x = x.transpose(1, 2)
        y = F.relu(self.c(self.a(x)))
        x = F.relu(self.d(self.b(y)) + x)
        return self.out(x.mean(2)) / 2
""",
    """
class ConvNorm(nn.Layer):
    def __init__(self, relu):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv1D(6, 6, 1), nn.BatchNorm1D(6), relu

    def forward(self, x):
        x = self.norm(self.conv(x))
        return F.relu(x) if self.relu else x

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = ConvNorm(relu=True)
        self.second = ConvNorm(relu=False)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        x = x.transpose([0, 2, 1])
        y = self.first(x)
        x = F.relu(self.second(y) + x)
        return self.out(x.mean(2)) / 2
""",
)
FORMS = {
    "attention": ATTENTION,
    "crosses": CROSSES,
    "modulated": MODULATED,
    "loops": LOOPS,
    "cell": CELL,
    "blocks": BLOCKS,
    "turned": TURNED,
    "wrapped": WRAPPED,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_a_correct_port_is_certified(form: str, tmp_path: Path) -> None:
    found = verify(tmp_path, *FORMS[form])
    assert found.certified, found.as_dict()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("form", "right", "wrong", "cause"),
    [
        ("attention", "self.attend(q, q, x)", "self.attend(q, q, q)", "gets another value"),
        ("crosses", "self.crosses[1](x, y)", "self.crosses[1](y, y)", "gets another value"),
        ("modulated", "self.modulate(x, c, d)", "self.modulate(x, d, c)", "gets another value"),
        ("loops", "align_corners=True", "align_corners=False", "align_corners is False"),
        ("loops", "[:, :, :16]", "[:, :, -16:]", "other values"),
        ("loops", "2 * number + 1", "number + 1", "in the original"),
        ("cell", "(1 - z) * n + z * state", "(1 - z) * state + z * n", "other values"),
        ("blocks", "p, k).transpose", "p, q).transpose", ""),
        ("turned", "a * sin + b * cos", "a * sin - b * cos", ""),
        ("wrapped", "ConvNorm(relu=False)", "ConvNorm(relu=False or True)", "the original add"),
        ("wrapped", "F.relu(self.second(y) + x)", "self.second(y) + x", "relu"),
        ("wrapped", "self.out(x.mean(2)) / 2", "self.out(x.mean(2))", "calls div"),
    ],
)
def test_a_bug_is_reported_first_at_its_line(
    form: str, right: str, wrong: str, cause: str, tmp_path: Path
) -> None:
    assert FORMS[form][1].count(right) == 1
    found, lines, line = verify_changed(tmp_path, FORMS[form], right, wrong)
    assert not found.certified
    assert abs(lines[0] - line) <= 1, [str(p) for p in found.places]
    first = found.places[0]
    assert cause in f"{first.cause} {first.what}", first


def test_drawn_ids_hold_the_padding_that_an_embedding_ignores(tmp_path: Path) -> None:
    original, port = tmp_path / "original.py", tmp_path / "port.py"
    original.write_text(
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.rows = nn.Embedding(500, 3, padding_idx=0)\n\n"
        "    def forward(self, ids):\n        return self.rows(ids).sum(1)\n"
    )
    port.write_text(
        "import paddle\nfrom paddle import nn\n\nclass Net(nn.Layer):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.rows = nn.Embedding(500, 3)\n\n"
        "    def forward(self, ids):\n        return self.rows(ids).sum(1)\n"
    )
    asked = Asked(inputs=("2x4:int64:500",))
    found = verify_files(f"{original}:Net", f"{port}:Net", asked, "paddle", lambda what: None)
    assert not found.certified
    assert found.places[0].port == f"{port}:7"
    assert found.places[0].cause == "padding_idx is None in the port and 0 in the original"
