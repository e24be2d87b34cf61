"""Facts of a program's text as a whole."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Training, Traits


def _program(*texts: str) -> Program:
    return Program(*(lambda text=text: traits_of(ast.parse(text)) for text in texts))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("y = F.linear(x, layer.weight)", True),
        ("head.weight = token.weight", True),
        ("w = getattr(layer, 'weight')", True),
        ("nn.init.normal_(layer.weight, std=0.02)", False),
        ("init.xavier_uniform_(layer.weight)", False),
        ("normal_(layer.weight)", False),
        ("layer.weight.data.normal_(0, 1)", False),
        ("layer.bias.data.fill_(layer.scale)", False),
        ("nn.init.normal_(first.weight, std=second.weight.std())", True),
    ],
)
def test_initialising_a_weight_does_not_read_it(text: str, read: bool) -> None:
    assert _program(text).reads_weights is read


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("p.data.copy_(w)", True),
        ("p.copy_(torch.from_numpy(w))", True),
        ("p.data = table[name]", True),
        ("p.data = flat[:9].view_as(p)", True),
        ("p.data.copy_(0.9 * p.data + 0.1 * q.data)", False),
        ("p.data = torch.randn(p.shape)", False),
        ("p.data.add_(torch.randn_like(p))", False),
        ("p.data = self.shadow[name]", False),
        ("p.data.copy_(old[0])", False),
    ],
)
def test_a_loop_that_fills_parameters_knows_their_layout(body: str, known: bool) -> None:
    loop = "for (name, p), q, w in zip(a.named_parameters(), b.parameters(), weights):\n    "
    taken = (
        "old = [p.clone() for p in a.parameters()]\n"
        "for name, p in a.named_parameters():\n    self.shadow[name] = p.data.clone()\n"
    )
    assert _program(taken + loop + body).reads_weights is known


def test_a_draw_in_the_shapes_of_parameters_fills_them_with_other_values() -> None:
    made = "new = [torch.arange(p.numel()).view(p.shape) for p in net.parameters()]\n"
    filled = "for p, w in zip(net.parameters(), new):\n    p.data.copy_(w)\n"
    assert _program(made + filled).reads_weights


def test_a_class_does_not_look_into_others_with_what_it_has_itself() -> None:
    text = """
class Attention:
    def __init__(self, stride):
        self.stride = stride

    def forward(self, x):
        return self.stride * self.pool.kernel_size
"""
    assert not _program(text).reads("stride")
    assert _program(text).reads("kernel_size")


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(m, nn.Linear)",
        "isinstance(m, (nn.Conv2d, nn.Linear))",
        "type(m) == nn.Linear",
        "type(m) in [nn.Linear]",
        "isinstance(m, nn.Linear) and m.bias is not None",
    ],
)
def test_layers_of_a_class_are_all_initialised_under_a_test_for_it(test: str) -> None:
    text = f"for m in net.modules():\n    if {test}:\n        nn.init.normal_(m.weight)\n"
    assert _program(text).initialises("Linear")
    assert not _program(text).initialises("Embedding")


_SETS = (
    "class {}(nn.Module):\n"
    "    def __init__(self):\n        self.fc = nn.Linear(2, 3)\n        {}\n"
    "    def set_up(self, m):\n        if isinstance(m, nn.Linear):\n"
    "            nn.init.normal_(m.weight)\n"
)


@pytest.mark.parametrize(
    ("run", "elsewhere", "sets"),
    [
        ("self.apply(self.set_up)", "", True),
        ("self.apply(partial(self.set_up))", "", True),
        ("self.set_up(self)", "", True),
        ("super().set_up(self)", "", True),
        ("super().set_up(self.fc)", "", False),
        ("pass", "net.apply(net.set_up)", True),
        ("pass", "", False),
        ("self.fc.apply(self.set_up)", "", False),
        ("pass", "class B(nn.Module):\n    def __init__(self):\n        set_up(self.fc)", False),
    ],
)
def test_a_function_sets_layers_where_it_is_run_on_a_model(
    run: str, elsewhere: str, sets: bool
) -> None:
    assert _program(_SETS.format("Net", run), elsewhere).initialises("Linear") is sets


def test_a_class_that_sets_its_layers_sets_none_of_another_file() -> None:
    sets = _SETS.format("Net", "self.apply(self.set_up)")
    assert not _program("layer = nn.Linear(2, 3)", sets).initialises("Linear")
    script = "model.apply(init)"
    function = "def init(m):\n    if isinstance(m, nn.Linear):\n        nn.init.normal_(m.weight)\n"
    assert _program("layer = nn.Linear(2, 3)", function, script).initialises("Linear")
    of_base = "class Base:\n    def post(self):\n        self.apply(self.set_up)"
    assert _program(_SETS.format("Net", "self.post()"), of_base).initialises("Linear")


def test_one_layer_alone_is_not_all_of_its_class() -> None:
    assert not _program("nn.init.normal_(self.head.weight)").initialises("Linear")


def test_texts_show_together_what_each_shows() -> None:
    program = _program("net.load_state_dict(state)", "class Mine(nn.Conv2d):\n    pass\n")
    assert program.calls("load_state_dict")
    assert program.derives("Conv2d")
    assert not program.stores("requires_grad")


def test_a_program_of_no_text_shows_nothing() -> None:
    assert Program().traits == Traits()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("x += 1", "x"),
        ("x[0] = 1", "x"),
        ("x[0][1:] -= 1", "x"),
        ("x.view(-1)[0] = 1", "x"),
        ("x.add_(1)", "x"),
        ("self.mean.data.mul_(0.9)", "mean"),
        ("nn.init.zeros_(layer.bias)", "bias"),
        ("torch.add(a, b, out=c)", "c"),
    ],
)
def test_in_place_changes_are_known_by_the_last_name(line: str, name: str) -> None:
    assert name in traits_of(ast.parse(line)).changed


def test_a_name_that_is_bound_again_is_not_changed() -> None:
    assert not traits_of(ast.parse("x = x + 1\ny = x.add(1)\nself.z = y")).changed


def test_layers_that_are_known_to_be_no_linear_ones_may_be_read() -> None:
    made = "class A:\n    def __init__(self):\n        self.token = nn.Embedding(9, 4)\n"
    assert not _program(f"{made}        print(self.token.weight)").reads_weights
    assert not _program(f"{made}        print(self.other.weight)").reads_weights
    assert _program(f"{made}        print(other.weight)").reads_weights
    assert _program(f"{made}        self.token = make()\nx = a.token.weight").reads_weights


def test_what_a_parameter_has_in_any_layout_may_be_read() -> None:
    assert not _program("x = x.to(self.head.weight.device)").reads_weights
    assert _program("x = head.weight.shape").reads_weights


HEAD = "class A:\n    def __init__(self, encoder):\n"


@pytest.mark.parametrize(
    ("line", "may"),
    [
        ("self.out = nn.Linear(2, encoder.patches[0].weight.shape[-1])", False),
        ("self.patches = nn.Linear(2, 3)\nw = encoder.patches.weight", True),
        ("self.patches: nn.Linear = nn.Linear(2, 3)\nw = encoder.patches.weight", True),
        ("self.add_module('patches', nn.Linear(2, 3))\nw = encoder.patches.weight", True),
        ("setattr(self, f'patch{i}', nn.Linear(2, 3))\nw = encoder.patch1.weight", True),
        ("self.net = Box(patches=nn.Linear(2, 3))\nw = self.net.patches.weight", True),
    ],
)
def test_a_weight_of_a_layer_from_elsewhere_says_nothing_of_ones_own(line: str, may: bool) -> None:
    text = HEAD + "".join(f"        {one}\n" for one in line.split("\n"))
    assert _program(text).reads_weights is may


def test_options_are_no_members_of_layers() -> None:
    assert not _program("n = args.in_features + self.config.out_features").reads(
        "in_features", "out_features"
    )


def test_one_layer_is_initialised_under_its_name() -> None:
    program = _program("nn.init.normal_(self.head.weight)\nnn.init.zeros_(self.head.bias.data)")
    assert program.initialises_member("head", of_self=False)
    assert program.initialises_member("head", "bias", of_self=False)


@pytest.mark.parametrize(
    ("text", "frozen"),
    [
        ("p.requires_grad = False", True),
        ("net.requires_grad_(flag)", True),
        ("x.requires_grad_()", False),
        ("x.requires_grad = True", False),
    ],
)
def test_a_program_freezes_tensors_without_gradients(text: str, frozen: bool) -> None:
    assert _program(text).freezes is frozen


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("k.float()", {"k"}),
        ("k.view(-1).to(torch.float32)", {"k", "view"}),
        ("x.topk(2)[1] / 9", {"x", "topk"}),
        ("0.5 * k", {"k"}),
        ("k.to(device)", set()),
        ("k * 2 + n", set()),
    ],
)
def test_what_is_made_floats_of_is_known_by_the_names_that_lead_to_it(
    text: str, names: set[str]
) -> None:
    assert _program(text).traits.floated == names


def test_a_private_name_that_is_imported_is_read() -> None:
    program = _program("from torch.nn.modules.pooling import _AvgPoolNd, AvgPool2d")
    assert program.reads("_AvgPoolNd") and not program.reads("AvgPool2d")


def test_a_class_is_passed_on_if_it_is_neither_called_nor_tested_for() -> None:
    program = _program(
        "def f(norm=nn.BatchNorm2d):\n    return isinstance(m, (nn.Linear, Conv2d)), nn.LSTM(3)\n"
        "class Own(nn.Module):\n    pass\nsame = type(m) is nn.GRU\n"
    )
    assert program.is_passed_on("BatchNorm2d")
    made = _program("make = partial(nn.Linear, bias=False)\ndef f(layer: nn.Conv2d): ...")
    assert made.is_passed_on("Linear") and not made.is_passed_on("Linear", partly=False)
    assert not made.is_passed_on("Conv2d")
    assert not any(
        program.is_passed_on(name) for name in ("Linear", "Conv2d", "LSTM", "Module", "GRU")
    )


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("return act(conv(x))", False),
        ("y = conv(x)\n    y = act(y)\n    return y", False),
        ("y = conv(x)\n    y += x\n    return act(y)", False),
        ("y = conv(x)\n    if x is None:\n        y = act(y)\n    return y", False),
        ("return act(x)", True),
        ("y = conv(x)\n    z = act(y)\n    return z + y", True),
        ("y = conv(x)\n    seen.append(y)\n    y = act(y)\n    return y", True),
        ("y = x\n    y = act(y)\n    return y", True),
    ],
)
def test_a_call_is_given_what_is_seen_again_or_not(body: str, shared: bool) -> None:
    assert ("act" in _program(f"def f(x):\n    {body}\n").traits.shared) is shared


OWN = """
class Mine(Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})
"""


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("def f(o: Optimizer) -> Optimizer: ...", False),
        ("opt.step()\nopt.zero_grad()", False),
        ("model.state_dict()", False),
        ("isinstance(o, Optimizer)", True),
        ("save(self.opt.state_dict())", True),
        ("o.defaults['lr']", True),
    ],
)
def test_uses_that_need_a_base_of_own_optimizers(text: str, needed: bool) -> None:
    uses = _program(OWN, text).traits.training
    assert Training.OWN in uses
    assert (Training.BASE_NEEDED in uses) is needed


@pytest.mark.parametrize(
    ("line", "zeroed"),
    [
        ("nn.init.zeros_(self.head.weight)", True),
        ("nn.init.constant_(m.weight.data, 0)", True),
        ("m.weight.data.zero_()", True),
        ("nn.init.zeros_(p)", True),
        ("nn.init.constant_(m.weight, 1.0)", False),
        ("nn.init.zeros_(m.bias)", False),
        ("p.grad.zero_()", False),
    ],
)
def test_weights_that_are_set_to_zeros(line: str, zeroed: bool) -> None:
    assert traits_of(ast.parse(line)).zeros_weights is zeroed


@pytest.mark.parametrize(
    ("line", "zeroed"),
    [
        ("nn.init.zeros_(self.head.bias)", True),
        ("nn.init.constant_(m.bias.data, 0)", True),
        ("layer.bias.data.mul_(0)", True),
        ("if isinstance(m, nn.Conv2d):\n    m.bias.data.zero_()", True),
        ("nn.init.constant_(m.bias, 0.1)", False),
        ("layer.bias.data.mul_(factor)", False),
        ("if isinstance(m, nn.BatchNorm2d):\n    nn.init.zeros_(m.bias)", False),
        ("if name.find('BatchNorm') != -1:\n    nn.init.constant_(m.bias.data, 0)", False),
    ],
)
def test_biases_that_are_set_to_zeros(line: str, zeroed: bool) -> None:
    assert traits_of(ast.parse(line)).zeros_biases is zeroed


_NET = (
    "class Net(nn.Module):\n    def __init__(self):\n        {made}\n"
    "    def f(self, other):\n        {asked}\n"
)


@pytest.mark.parametrize(
    ("made", "asked", "read"),
    [
        ("self.a = nn.Conv2d(3, 4, 1)", "return self.a.stride", False),  # rewritten
        ("self.a = nn.Conv2d(3, 4, 1).to(d)", "return self.a.stride", False),
        ("self.a = nn.Conv2d(3, 4, 1) if deep else None", "return self.a.stride", False),
        ("self.a = nn.Conv2d(3, 4, 1) if deep else b", "return self.a.stride", True),
        ("self.a = nn.Conv2d(3, 4, 1)", "a = f(1)\n        return self.a.stride", False),
        ("self.a = Own()", "return self.a.stride", False),
        ("self.a = make()", "return self.a.stride", True),
        ("self.a = nn.Conv2d(3, 4, 1)", "return other.a.stride", True),
        ("self.a = nn.Conv2d(3, 4, 1)", "return other.stride", True),
        ("self.a = nn.Conv2d(3, 4, 1)", "return self.encoder.stride", False),
        ("self.a = nn.Conv2d(3, 4, 1)", "return getattr(self.a, 'stride')", True),
        (
            "self.b = nn.ModuleList([Own(), Own()])",
            "for one in self.b:\n            one.stride",
            False,
        ),
        (
            "self.b = nn.ModuleList()\n        self.b.append(nn.Conv2d(3, 4, 1))",
            "for n, one in enumerate(self.b):\n            one.stride",
            True,
        ),
        ("self.b = nn.ModuleList(made)", "for one in self.b:\n            one.stride", True),
    ],
)
def test_a_member_is_read_of_what_may_be_a_layer_of_a_class(
    made: str, asked: str, read: bool
) -> None:
    program = _program(_NET.format(made=made, asked=asked))
    assert program.reads_of("Conv2d", rewritable=("stride",)) is read


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("before = p.grad\nmodel.zero_grad()", True),
        ("before = [p.grad for p in model.parameters()]", True),
        ("kept.append(p.grad.data)", True),
        ("def gradients(model):\n    return [p.grad for p in model.parameters()]", True),
        ("def train():\n    g = p.grad\n    model.zero_grad()\n    return g.sum()", True),
        ("before = p.grad.clone()", False),
        ("p.data.add_(p.grad, alpha=-rate)", False),
        ("p.grad.data.clamp_(-1, 1)", False),
        ("p -= rate * p.grad", False),
        ("total = torch.stack([p.grad.norm() for p in model.parameters()])", False),
        ("def step(p):\n    g = p.grad\n    p.data.sub_(g)", False),
        ("if p.grad is None:\n    pass", False),
    ],
)
def test_holders_of_a_gradient(text: str, held: bool) -> None:
    assert _program(text).holds_gradients is held


def test_a_member_of_two_classes_is_initialised_where_both_do_so() -> None:
    one = "class {}(nn.Module):\n    def __init__(self):\n        self.head = nn.Linear(2, 3)\n"
    init = "        nn.init.zeros_(self.head.weight)\n"
    assert _program(one.format("A") + init).initialises_member("head")
    assert _program(one.format("A") + init, one.format("B") + init).initialises_member("head")
    assert not _program(one.format("A") + init, one.format("B")).initialises_member("head")


@pytest.mark.parametrize(
    ("line", "evaluates"),
    [
        ("net.eval()", True),
        ("net.model.train(mode=False)", True),
        ("net.train(phase == 'train')", True),
        ("net.train(self.is_training)", True),
        ("net.train()", False),
        ("net.train(True)", False),
        ("trainer.train(data)", False),
        ("super().train(mode)", False),
        ("frame.eval('a + b')", False),
        ("eval('1 + 1')", False),
    ],
)
def test_a_program_trains_and_evaluates(line: str, evaluates: bool) -> None:
    assert _program(f"loss.backward()\n{line}").trains_and_evaluates is evaluates
    assert (
        _program("from torch import optim\no = optim.SGD([])", line).trains_and_evaluates
        is evaluates
    )
    assert not _program(line).trains_and_evaluates
