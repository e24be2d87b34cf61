"""Parameters and buffers of models in JAX: read, set, listed and saved by torch's names."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.workbench.targets.jax.source import assert_same, refused, run, written

pytestmark = pytest.mark.usefixtures("narrow")

MODEL = """
import copy

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.scale = nn.Parameter(torch.ones(d))
        self.register_buffer("steps", torch.zeros(3))
        self.register_buffer("hidden", torch.zeros(2), persistent=False)
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        self.steps += 1
        return x + self.fc(self.norm(x)) * self.scale

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 6)
        self.blocks = nn.ModuleList([Block(6) for _ in range(11)])
        self.conv = nn.Conv2d(2, 3, 3)
        self.bn = nn.BatchNorm2d(3)
        self.rnn = nn.LSTM(6, 4, num_layers=2, bidirectional=True)
        self.head = nn.Linear(6, 7, bias=False)
        self.temp = nn.Parameter(torch.tensor(1.5))

    def forward(self, ids):
        h = self.emb(ids)
        for block in self.blocks:
            h = block(h)
        return self.head(h) / self.temp

rng = np.random.default_rng(0)
net = Net()
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.from_numpy(rng.normal(0, 0.3, tuple(p.shape))))
ids = torch.tensor([[0, 1, 2], [3, 4, 6]])
net(ids)
"""


def test_parameters_have_the_names_order_and_shapes_of_torch() -> None:
    code = assert_same(
        MODEL
        + dedent("""
        for n, p in net.named_parameters():
            print(n, tuple(p.shape), round(p.sum().item(), 3), p.numel(), p.dim())
        for n, b in net.named_buffers():
            print(n, tuple(b.shape))
        print(list(net.state_dict().keys()), len(list(net.buffers())))
        print(sum(p.numel() for p in net.parameters() if p.requires_grad))
        print(next(net.parameters()).shape, net.blocks[0].steps.sum().item())
        """)
    )
    assert "    p[...] = jnp.array(rng.normal(0, 0.3, tuple(p.shape)))" in code
    assert "sum(p.size for p in torch_parameters(net).values())" in code


def test_a_copy_keeps_the_order() -> None:
    assert_same(
        MODEL
        + dedent("""
        ema = copy.deepcopy(net)
        for e, p in zip(ema.parameters(), net.parameters()):
            e.data.mul_(0.9).add_(p.data.sign(), alpha=0.1)
            p.data -= 0.01 * p.data
        for n, p in ema.named_parameters():
            print(n, round(p.abs().sum().item(), 3))
        print(net(ids).sum().item(), ema(ids).sum().item())
        """)
    )


def test_layers_give_their_weights_in_the_layout_of_torch() -> None:
    code = assert_same(
        MODEL
        + dedent("""
        with torch.no_grad():
            net.head.weight[0] = 0.5
            net.head.weight[:, 1] += 2
            net.head.weight.clamp_(-0.4, 0.4)
            net.emb.weight[3].fill_(0.25)
            net.blocks[1].fc.weight.mul_(torch.arange(6.0))
            net.blocks[3].fc.weight.copy_(torch.arange(6.0))
            net.temp.fill_(2.0)
        net.blocks[2].fc.weight.data = torch.from_numpy(rng.normal(size=(6, 6))).float()
        net.rnn.weight_hh_l0.data[4:8].fill_(1.0)
        print(net.head.bias is None, net.head.weight.mean().item())
        print([round(p.sum().item(), 3) for p in net.parameters()])
        print(net.head.weight[2].sum().item(), net.head.weight.t().shape)
        w = net.head.weight
        w.data.zero_()
        print(net.head.weight.sum().item(), (w > 0).sum().item())
        """)
    )
    assert "net.blocks[2].fc.kernel[...] = jnp.array" in code
    assert "net.temp[...] = 2.0" in code


def test_layers_are_initialised_by_their_class() -> None:
    code = assert_same(
        MODEL
        + dedent("""
        def init(m):
            if isinstance(m, nn.Linear):
                m.weight.data.copy_(torch.from_numpy(rng.normal(size=m.weight.shape)))
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0.1)
            elif isinstance(m, nn.Embedding):
                nn.init.ones_(m.weight)
            elif isinstance(m, nn.Conv2d):
                m.weight.data = torch.full(m.weight.shape, 0.5)
            elif hasattr(m, "weight"):
                m.weight.data.fill_(0.7)
        net.apply(init)
        print([round(p.sum().item(), 3) for p in net.parameters()])
        for m in net.modules():
            if isinstance(m, (nn.LayerNorm, nn.BatchNorm2d)):
                m.weight.data.mul_(2.0)
                nn.init.zeros_(m.bias)
        print([round(p.sum().item(), 3) for p in net.parameters()])
        """)
    )
    assert "if isinstance(m, nnx.Linear):" in code
    assert "m.kernel[...] = jnp.array(rng.normal(size=m.kernel.T.shape)).T" in code
    assert "m.bias[...] = 0.1" in code


def test_a_state_dict_shares_the_values_of_its_model() -> None:
    assert_same(
        MODEL
        + dedent("""
        before = {k: v.clone() for k, v in net.state_dict().items()}
        kept = copy.deepcopy(net.state_dict())
        alias = net.state_dict()
        for p in net.parameters():
            p.data.mul_(0.5)
        for k, v in alias.items():
            changed = (v.float() - before[k]).abs().max().item() > 0
            print(k, changed, round(v.float().sum().item(), 3))
        print(net.load_state_dict(alias), round(net(ids).sum().item(), 4))
        print(net.load_state_dict(kept), round(net(ids).sum().item(), 4))
        rest = {k: v for k, v in before.items() if "norm" not in k}
        print(net.load_state_dict(rest, strict=False).missing_keys[:2])
        vector = nn.utils.parameters_to_vector(net.parameters())
        nn.utils.vector_to_parameters(vector * 2, net.parameters())
        print(vector.shape, net.conv.weight.sum().item())
        """)
    )


def test_a_state_with_other_names_is_an_error() -> None:
    names = run(written(MODEL + "def load():\n    net.load_state_dict({})\n"))
    with pytest.raises(RuntimeError, match="Missing key"):
        names["load"]()


def test_a_model_that_is_not_trained_needs_no_flags() -> None:
    code = assert_same(
        MODEL
        + dedent("""
        teacher = copy.deepcopy(net)
        for p in teacher.parameters():
            p.requires_grad_(False)
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        print([p.requires_grad for p in teacher.parameters()][:2])
        print(sum(p.numel() for p in net.parameters() if p.requires_grad and p.dim() > 1))
        """)
    )
    assert "requires_grad" not in code


@pytest.mark.parametrize(
    "text",
    [
        "optimizer = optim.SGD(net.parameters(), lr=0.1)\nnet.head.requires_grad_(False)\n",
        "optimizer = optim.SGD(net.parameters(), lr=0.1)\n"
        "for p in net.head.parameters():\n    p.requires_grad = False\n",
        "head = nn.Linear(2, 2)\nboth = nn.Sequential(head, nn.Linear(2, 2))\n"
        "optimizer = optim.SGD(both.parameters(), lr=0.1)\nhead.requires_grad_(False)\n",
    ],
)
def test_flags_that_are_set_after_the_optimizer_is_made_are_refused(text: str) -> None:
    assert any("made before still updates afterwards" in one for one in refused(MODEL + text))


def test_classes_that_jax_does_not_tell_apart_are_refused() -> None:
    text = """
    net = nn.Sequential(nn.Conv1d(1, 1, 1), nn.Conv2d(1, 1, 1))
    found = [m for m in net.modules() if isinstance(m, nn.Conv2d)]
    """
    assert any("are the same class in JAX" in one for one in refused(text))


def test_weights_that_are_kept_and_brought_back() -> None:
    text = """
    class Average:
        def __init__(self, model, decay=0.9):
            self.model, self.decay = model, decay
            self.shadow, self.backup = {}, {}
            for name, p in model.named_parameters():
                self.shadow[name] = p.data.clone()

        def update(self):
            for name, p in self.model.named_parameters():
                new = (1.0 - self.decay) * p.data + self.decay * self.shadow[name]
                self.shadow[name] = new.clone()

        def apply(self):
            for name, p in self.model.named_parameters():
                self.backup[name] = p.data
                p.data = self.shadow[name]

        def restore(self):
            for name, p in self.model.named_parameters():
                p.data = self.backup[name]

    average = Average(net)
    for p in net.parameters():
        p.data = p.data * 2
    average.update()
    net.eval()
    print(net(ids).sum().item())
    average.apply()
    print(net(ids).sum().item())
    average.restore()
    print(net(ids).sum().item())
    """
    code = assert_same(MODEL + dedent(text))
    assert "self.backup[name] = p[...]" in code
    assert "p[...] = self.shadow[name]" in code


def test_new_parameters_replace_those_of_layers() -> None:
    text = """
    def renew(m, r):
        m.weight = nn.Parameter(torch.as_tensor(r.normal(size=(4, 3))).float())
        m.bias = nn.Parameter(torch.zeros(4))

    rng = np.random.default_rng(0)
    x = torch.ones(2, 3)
    fc = nn.Linear(3, 4).eval()
    renew(fc, rng)
    print(fc(x).sum().item(), [n for n, _ in fc.named_parameters()])
    fc.weight = nn.Parameter(torch.from_numpy(rng.normal(size=(4, 3))).float())
    print(fc(x).sum().item(), fc.weight.shape)
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    b.weight = a.weight
    a.weight.data.fill_(1.0)
    b.bias.data.fill_(0)
    print(b(x).sum().item())
    """
    assert_same(text)
