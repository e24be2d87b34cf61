"""Correct ports that split their weights differently, and bugs in them with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import verify, verify_changed

OWN_HEADS = (
    """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj, self.drop = nn.Linear(6, 18), nn.Linear(6, 6), nn.Dropout(0.2)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 3, 2).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / 2**0.5
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        return self.proj((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, d))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Attention() for _ in range(2))
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.out(x).mean(1)
""",
    """
class Head(nn.Layer):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(6, 2) for _ in range(3))
        self.back, self.drop = nn.Linear(2, 6, bias_attr=False), nn.Dropout(0.2)

    def forward(self, x, hidden):
        scores = self.query(x) @ self.key(x).transpose([0, 2, 1]) * 2**-0.5 + hidden
        return self.back(self.drop(F.softmax(scores)) @ self.value(x))

class Attention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.heads = nn.LayerList([Head() for _ in range(3)])
        self.shift = self.create_parameter([6], is_bias=True)

    def forward(self, x):
        hidden = paddle.triu(paddle.full([x.shape[1]] * 2, -1e9, dtype=x.dtype), 1)
        return sum([head(x, hidden) for head in self.heads], self.shift)

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([Attention(), Attention()])
        self.last = nn.Linear(6, 4)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.last(x).mean(1)
""",
)
BLOCKS = (
    """
class Block(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.attn = nn.MultiheadAttention(6, 2, batch_first=True)
        self.rate = rate

    def forward(self, x):
        h = self.norm(x)
        h = self.attn(h, h, h, need_weights=False)[0]
        if self.training and self.rate:
            h = h * x.new_empty(len(x), 1, 1).bernoulli_(1 - self.rate) / (1 - self.rate)
        return x + h

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(0.0), Block(0.3))
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.blocks(x)).mean(1)
""",
    """
class Layer(nn.Layer):
    def __init__(self, drop):
        super().__init__()
        self.drop, self.norm = drop, nn.LayerNorm(6)
        for name in "qkv":
            self.add_parameter("w" + name, self.create_parameter([2, 6, 3]))
            self.add_parameter("b" + name, self.create_parameter([2, 1, 3]))
        self.wo = self.create_parameter([2, 3, 6])
        self.bo = self.create_parameter([6], is_bias=True)

    def forward(self, x):
        h = self.norm(x)
        pairs = ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv))
        q, k, v = (paddle.einsum("btd,hde->bhte", h, w) + b for w, b in pairs)
        seen = F.softmax(paddle.einsum("bhte,bhse->bhts", q, k) / 3**0.5)
        h = paddle.einsum("bhts,bhse,hed->btd", seen, v, self.wo) + self.bo
        if self.training and self.drop:
            keep = 1 - self.drop
            h = h * (paddle.rand([x.shape[0], 1, 1]) < keep).astype(h.dtype) / keep
        return x + h

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.encoder = nn.LayerList([Layer(0.0), Layer(0.3)])
        self.w_out = self.create_parameter([6, 4])
        self.b_out = self.create_parameter([4], is_bias=True)

    def forward(self, x):
        for layer in self.encoder:
            x = layer(x)
        return paddle.mean(x @ self.w_out + self.b_out, 1)
""",
)
GATES = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 5, bidirectional=True, batch_first=True)
        self.out = nn.Linear(10, 4)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).mean(1)
""",
    """
class Cell(nn.Layer):
    def __init__(self):
        super().__init__()
        for gate in ("input", "forget", "cell", "output"):
            self.add_parameter("wx_" + gate, self.create_parameter([6, 5]))
            self.add_parameter("wh_" + gate, self.create_parameter([5, 5]))
            self.add_parameter("bx_" + gate, self.create_parameter([5], is_bias=True))
            self.add_parameter("bh_" + gate, self.create_parameter([5], is_bias=True))

    def gate(self, name, x, h):
        wx, wh, bx, bh = (getattr(self, f"{kind}_{name}") for kind in ("wx", "wh", "bx", "bh"))
        return x @ wx + bx + h @ wh + bh

    def forward(self, steps):
        h = c = paddle.zeros([len(steps[0]), 5], dtype=steps[0].dtype)
        seen = []
        for x in steps:
            i, f, o = (F.sigmoid(self.gate(name, x, h)) for name in ("input", "forget", "output"))
            c = f * c + i * paddle.tanh(self.gate("cell", x, h))
            h = o * paddle.tanh(c)
            seen.append(h)
        return seen

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.left, self.right, self.out = Cell(), Cell(), nn.Linear(10, 4)

    def forward(self, x):
        steps = paddle.unbind(x, 1)
        both = zip(self.left(steps), self.right(steps[::-1])[::-1])
        seen = paddle.stack([paddle.concat(pair, -1) for pair in both], 1)
        return self.out(seen).mean(1)
""",
)
EXPERTS = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.choose = nn.Linear(6, 3, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.Linear(5, 4)) for _ in range(3)
        )

    def forward(self, x):
        x = x.mean(1)
        shares = self.choose(x).softmax(-1)
        return sum(expert(x) * shares[:, n, None] for n, expert in enumerate(self.experts))
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(6, 3, bias_attr=False)
        self.w1, self.b1 = self.create_parameter([3, 6, 5]), self.create_parameter([3, 1, 5])
        self.w2, self.b2 = self.create_parameter([3, 5, 4]), self.create_parameter([3, 1, 4])

    def forward(self, x):
        x = x.mean(1)
        shares = F.softmax(self.router(x))
        hidden = F.gelu(paddle.einsum("nd,edh->enh", x, self.w1) + self.b1)
        every = paddle.einsum("enh,eho->eno", hidden, self.w2) + self.b2
        return paddle.einsum("ne,eno->no", shares, every)
""",
)
GATED = (
    """
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.w12, self.w3 = nn.Linear(6, 10), nn.Linear(5, 6)

    def forward(self, x):
        gate, up = self.w12(x).chunk(2, dim=-1)
        return self.w3(F.silu(gate) * up)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ffns, self.out = nn.ModuleList([Gated(), Gated()]), nn.Linear(6, 4)

    def forward(self, x):
        for ffn in self.ffns:
            x = x + ffn(x)
        return self.out(x).mean(1)
""",
    """
class Gated(nn.Layer):
    def __init__(self):
        super().__init__()
        self.w_gate, self.w_up = self.create_parameter([6, 5]), self.create_parameter([6, 5])
        self.b_gate = self.create_parameter([5], is_bias=True)
        self.b_up = self.create_parameter([5], is_bias=True)
        self.w_down = self.create_parameter([5, 6])
        self.b_down = self.create_parameter([6], is_bias=True)

    def forward(self, x):
        gate = F.silu(x @ self.w_gate + self.b_gate)
        return (gate * (x @ self.w_up + self.b_up)) @ self.w_down + self.b_down

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.ffn, self.out = nn.LayerList([Gated(), Gated()]), nn.Linear(6, 4)

    def forward(self, x):
        for ffn in self.ffn:
            x = x + ffn(x)
        return self.out(x).mean(1)
""",
)
NORMS = (
    """
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv1d(6, 6, 3, padding=1, bias=False), nn.BatchNorm1d(6)
        self.conv2, self.bn2 = nn.Conv1d(6, 6, 3, padding=1, bias=False), nn.BatchNorm1d(6)
        nn.init.zeros_(self.bn2.weight)

    def forward(self, x):
        return x + self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Part(), Part())
        self.out = nn.utils.parametrizations.weight_norm(nn.Linear(6, 4))

    def forward(self, x):
        return self.out(self.parts(x.transpose(1, 2)).mean(2))
""",
    """
class Norm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gamma = self.create_parameter([6])
        self.beta = self.create_parameter([6], is_bias=True)
        self.register_buffer("moving_mean", paddle.zeros([6]))
        self.register_buffer("moving_var", paddle.ones([6]))

    def forward(self, x):
        mean, var = self.moving_mean, self.moving_var
        if self.training:
            mean, var = x.mean([0, 2]), x.var([0, 2], unbiased=False)
            with paddle.no_grad():
                n = x.shape[0] * x.shape[2]
                self.moving_mean.set_value(0.9 * self.moving_mean + 0.1 * mean)
                self.moving_var.set_value(0.9 * self.moving_var + 0.1 * var * n / (n - 1))
        scale = self.gamma * paddle.rsqrt(var + 1e-5)
        return x * scale.unsqueeze(-1) + (self.beta - mean * scale).unsqueeze(-1)

class Part(nn.Layer):
    def __init__(self):
        super().__init__()
        self.c1, self.n1 = nn.Conv1D(6, 6, 3, padding=1, bias_attr=False), Norm()
        self.c2, self.n2 = nn.Conv1D(6, 6, 3, padding=1, bias_attr=False), Norm()

    def forward(self, x):
        return x + self.n2(self.c2(F.relu(self.n1(self.c1(x)))))

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Part(), Part())
        self.out = nn.utils.weight_norm(nn.Linear(6, 4), dim=1)

    def forward(self, x):
        return self.out(self.parts(x.transpose([0, 2, 1])).mean(2))
""",
)
TOKENS = (
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (nn.Parameter(torch.randn(1, 1, 6)) for _ in range(2))
        self.mix, self.out = nn.Conv1d(10, 10, 1), nn.Linear(6, 4)

    def forward(self, x):
        b = len(x)
        x = torch.cat([self.first.expand(b, -1, -1), self.second.expand(b, -1, -1), x], 1)
        return self.out(self.mix(x)).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.tokens = self.create_parameter([1, 2, 6])
        self.mix, self.out = nn.Conv1D(10, 10, 1), nn.Linear(6, 4)

    def forward(self, x):
        x = paddle.concat([self.tokens.expand([x.shape[0], -1, -1]), x], 1)
        return self.out(self.mix(x)).mean(1)
""",
)
SQUARES = (
    """
class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 6))

    def forward(self, x):
        return x + torch.tanh(x @ self.weight)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mixes, self.out = nn.Sequential(Mix(), Mix()), nn.Linear(6, 4)

    def forward(self, x):
        return self.out(self.mixes(x)).mean(1)
""",
    """
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.steps = nn.LayerList([nn.Linear(6, 6, bias_attr=False) for _ in range(2)])
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        for step in self.steps:
            x = x + paddle.tanh(step(x))
        return self.out(x).mean(1)
""",
)
FORMS = {
    "own heads": OWN_HEADS,
    "blocks": BLOCKS,
    "gates": GATES,
    "experts": EXPERTS,
    "gated": GATED,
    "norms": NORMS,
    "tokens": TOKENS,
    "squares": SQUARES,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_a_correct_port_in_other_pieces_is_certified(form: str, tmp_path: Path) -> None:
    found = verify(tmp_path, *FORMS[form])
    assert found.certified, found.as_dict()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("form", "right", "wrong", "place"),
    [
        ("own heads", "2**-0.5 + hidden", "6**-0.5 + hidden", ""),
        ("own heads", "paddle.triu(", "1e-9 + paddle.tril(", "mask"),
        ("blocks", "< keep", "< self.drop", ""),
        ("gated", "F.silu", "F.gelu", ""),
        ("norms", "F.relu(self.n1(self.c1(x)))", "self.n1(self.c1(x))", "relu"),
        ("norms", "0.9 * self.moving_mean + 0.1", "0.1 * self.moving_mean + 0.9", ""),
    ],
)
def test_a_bug_in_these_is_reported_at_its_line(
    form: str, right: str, wrong: str, place: str, tmp_path: Path
) -> None:
    assert right in FORMS[form][1]
    found, lines, line = verify_changed(tmp_path, FORMS[form], right, wrong)
    assert not found.certified
    assert any(abs(one - line) <= 3 for one in lines[:2]), [str(where) for where in found.places]
    assert place in str(found.places[0])
