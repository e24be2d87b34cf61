"""The file's own short names and habits in what is written."""

from __future__ import annotations

import pytest

import workbench

_CONSTANT = "init = nn.initializer.KaimingUniform(negative_slope=5**0.5, nonlinearity={})"


@pytest.mark.parametrize(("name", "word"), [('"net"', '"leaky_relu"'), ("'net'", "'leaky_relu'")])
def test_a_constant_has_the_quotes_of_the_file(name: str, word: str) -> None:
    code = workbench.convert(
        f"import torch.nn as nn\nname = {name}\nlayer = nn.Linear(2, 3)\n"
    ).code
    assert code == (
        f"import paddle.nn as nn\n\n{_CONSTANT.format(word)}\n"
        f"name = {name}\nlayer = nn.Linear(2, 3, weight_attr=init)\n"
    )


def test_a_constant_takes_no_name_of_the_program() -> None:
    text = "import torch.nn as nn\ninit = 3\nlayer = nn.Linear(2, init)\n"
    code = workbench.convert(text).code
    assert "\ninit = 3\nlayer = nn.Linear(2, init, weight_attr=torch_init)\n" in code


def test_imports_in_no_order_stay_where_they_were_and_new_names_come_last() -> None:
    text = (
        "import torch\nimport torch.nn as nn\n"
        "from torch.utils.data import Dataset, DataLoader\n"
        "from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau\n\n"
        "optimizer = torch.optim.SGD(nn.Linear(2, 3).parameters(), lr=0.1)\n"
        "schedule = ReduceLROnPlateau(optimizer)\nkinds = DataLoader, Dataset\n"
    )
    assert workbench.convert(text).code.partition("\n\n")[0] == (
        "import paddle\nimport paddle.nn as nn\n"
        "from paddle.io import DataLoader, Dataset\n"
        "from paddle.optimizer.lr import ReduceOnPlateau"
    )


@pytest.mark.parametrize(("mine", "other"), [('"', "'"), ("'", '"')])
def test_strings_have_the_quotes_of_the_file_but_within_f_strings(mine: str, other: str) -> None:
    text = (
        f"import torch\n\nname = {mine}net{mine}\nx = torch.LongTensor([1])\n"
        f"print(f{mine}{{torch.LongTensor([1])}} {{name}}{mine})\n"
    )
    code = workbench.convert(text).code
    assert f"x = paddle.to_tensor([1], dtype={mine}int64{mine})\n" in code
    assert (
        f"print(f{mine}{{paddle.to_tensor([1], dtype={other}int64{other})}} {{name}}{mine})\n"
        in code
    )
    compile(code, "<converted>", "exec")
