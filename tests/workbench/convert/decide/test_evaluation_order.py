"""Names of torch chosen from several values: no effect of the other values is lost."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert


@pytest.mark.parametrize(
    "line", ["[torch, f()][0].float32", "(torch, f())[0].zeros(3)", "[f(), torch][1].nn.ReLU()"]
)
@pytest.mark.parametrize("style", ["plain", "exact"])
def test_a_call_next_to_the_chosen_name_is_not_lost(line: str, style: str) -> None:
    done = convert(f"import torch\nr = {line}\n", style=style)
    assert f"r = {line}\n" in done.code
    messages = [left.message for left in done.unconverted]
    assert any("would not be evaluated; give it a name first" in one for one in messages)


def test_a_name_that_is_picked_from_names_converts() -> None:
    code = convert("import torch\nd = [torch, 2][0].float32\n").code
    assert code == "import paddle\nd = paddle.float32\n"


@pytest.mark.parametrize("style", ["plain", "exact"])
def test_a_tensor_on_the_right_comes_after_what_stands_on_the_left(style: str) -> None:
    text = "import torch\n\n\ndef f(model, x: torch.Tensor):\n    return model(x) {} x.sum(1)\n"
    for sign in "+-*/":
        done = convert(text.format(sign), style=style)
        assert not done.unconverted
        assert "model(x)" in done.code.rpartition("return")[2].partition("x.sum(1)")[0]
