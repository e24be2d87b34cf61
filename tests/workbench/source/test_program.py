"""What a program's text shows as a whole."""

from __future__ import annotations

import ast

import pytest

from workbench.source.program import Program, Traits, traits_of


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
def test_what_is_changed_in_place_is_known_by_its_last_name(line: str, name: str) -> None:
    assert name in traits_of(ast.parse(line)).changed


def test_what_is_bound_anew_is_not_changed() -> None:
    assert not traits_of(ast.parse("x = x + 1\ny = x.add(1)\nself.z = y")).changed
