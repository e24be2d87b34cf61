"""Habits of ordinary notebooks, from cell to cell, which leave no false difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.workbench.compare.conftest import row
from workbench.compare.result import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from tests.workbench.compare.conftest import Notebook

IMPORTS = "import torch\nfrom torch import nn\n"
NET = IMPORTS + (
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.body = nn.Linear(3, 3)\n"
    "        self.fc = nn.Linear(3, 2)\n"
    "        self.register_buffer('scale', torch.ones(2))\n"
    "    def forward(self, x):\n"
    "        return self.fc(self.body(x)) * self.scale\n"
)


@pytest.mark.parametrize(
    "cell",
    [
        "log += [torch.ones(2)]",
        "def add():\n    global log\n    log += [torch.ones(2)]\nadd()",
        "first = torch.zeros(1)\ndel log",
    ],
)
def test_names_that_are_read_and_bound_at_once_are_carried(notebook: Notebook, cell: str) -> None:
    notebook.plain("import torch\nlog = [torch.ones(1)]\n")
    result = notebook.convert(cell)
    assert result.same, str(result)


def test_what_an_objects_methods_use_stays_there(notebook: Notebook) -> None:
    notebook.convert("import numpy as np\nimport torch\nfrom collections import namedtuple\n")
    notebook.convert(
        "class World:\n"
        "    def __init__(self):\n"
        "        self.place = 0\n"
        "    def step(self, by):\n"
        "        self.place = int(np.clip(self.place + by, 0, 9))\n"
        "        return np.array([self.place], dtype=np.float32), self.__class__.__name__\n"
        "world = World()\nworld.step(1)\n"
    )
    result = notebook.convert("x = torch.from_numpy(world.step(1)[0]) * 2\n")
    assert result.same, str(result)
    result = notebook.convert("Row = namedtuple('Row', 'a')\nrow = Row(torch.ones(1))\n")
    assert result.same, str(result)


def test_weights_drawn_through_their_data_are_copied(notebook: Notebook) -> None:
    notebook.convert(
        IMPORTS + "def init(m):\n"
        "    name = m.__class__.__name__\n"
        "    if name.find('Conv') != -1:\n"
        "        nn.init.normal_(m.weight.data, 0.0, 0.02)\n"
        "    elif name.find('BatchNorm') != -1:\n"
        "        nn.init.normal_(m.weight.data, 1.0, 0.02)\n"
        "        nn.init.constant_(m.bias.data, 0)\n"
    )
    result = notebook.convert(
        "net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4))\nnet.apply(init)\n"
    )
    assert result.same, str(result)
    assert not result.notes
    result = notebook.convert("x = torch.randn(2)\nnet[1].weight.data.uniform_()\n")
    assert result.same, str(result)


def test_a_new_module_without_a_name_gets_torchs_weights(notebook: Notebook) -> None:
    notebook.convert(NET)
    result = notebook.convert("Net()")
    assert result.same, str(result)
    assert row(result, "Out.fc.weight").same


def test_weights_drawn_by_an_added_call_are_copied(notebook: Notebook) -> None:
    notebook.convert(NET + "net = Net()\n")
    result = notebook.convert("net.fc = nn.Linear(net.fc.in_features, 5)\nnet\n")
    assert "uniform_" in result.code
    assert result.same, str(result)


def test_a_class_of_an_earlier_cell_creates_the_layers_that_this_cell_needs(
    notebook: Notebook,
) -> None:
    notebook.convert(NET)
    result = notebook.convert("net = Net()\nnet.fc = nn.Linear(net.fc.in_features, 5)\n")
    assert result.same, str(result)


def test_a_part_that_was_replaced_is_carried(notebook: Notebook) -> None:
    notebook.convert(NET + "net = Net()\nnet(torch.ones(1, 3))\n")
    notebook.plain("net.fc = nn.Linear(3, 5)\nnet.scale = torch.ones(5)\n")
    result = notebook.convert("net(torch.ones(1, 3))")
    assert result.same, str(result)
    assert row(result, "Out").shape == (1, 5)
    notebook.convert("net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())\n")
    notebook.plain("net[1] = nn.Sigmoid()\n")
    result = notebook.convert("net(torch.ones(1, 3))")
    assert result.same, str(result)


def test_named_results_are_used_in_later_cells(notebook: Notebook) -> None:
    notebook.convert(
        "import torch\nx = torch.rand(3, 4)\n"
        "top, low, order = x.max(dim=1), torch.min(x, 0), torch.sort(x)\nfew = x.topk(2)\n"
    )
    result = notebook.convert("top.values.mean(), low.indices, order[1][0], few.indices")
    assert result.same, str(result)
    notebook.plain("held = {'top': x.topk(2), 'q': torch.linalg.qr(x)}\n")
    result = notebook.convert("a = held['top'].values\nq, r = held['q']\n")
    assert result.same, str(result)


def test_a_file_that_torch_wrote_is_loaded(notebook: Notebook, tmp_path: Path) -> None:
    torch.save({"net": torch.nn.Linear(3, 3).state_dict(), "epoch": 3}, tmp_path / "net.pth")
    result = notebook.convert(
        IMPORTS + f"net = nn.Linear(3, 3)\nsaved = torch.load({str(tmp_path / 'net.pth')!r})\n"
        "net.load_state_dict(saved['net'])\nnet(torch.ones(1, 3))\n"
    )
    assert result.same, str(result)
    [note] = result.notes
    assert note.startswith("net.pth is a file of torch")


def test_a_file_of_an_earlier_cell_is_loaded_by_layers_of_another_kind(
    notebook: Notebook, tmp_path: Path
) -> None:
    file = str(tmp_path / "net.pth")
    notebook.convert(NET + f"torch.save(Net().state_dict(), {file!r})\n")
    result = notebook.convert(
        f"net = Net()\nstate = torch.load({file!r})\nnet.load_state_dict(state)\n"
        "net.fc = nn.Linear(net.fc.in_features, 5)\nnet\n"
    )
    assert result.same, str(result)


STEP = (
    "def step():\n    loss = net(torch.ones(2, 3)).pow(2).mean()\n"
    "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n    return loss.item()\n"
)


def test_an_optimizer_resumes_from_a_file_of_an_earlier_cell(
    notebook: Notebook, tmp_path: Path
) -> None:
    file = str(tmp_path / "all.pth")
    make = "net = Net()\nopt = torch.optim.Adam(net.parameters(), lr=0.01)\n"
    notebook.convert(NET + make + STEP + "step()\n")
    notebook.convert(f"torch.save({{'net': net.state_dict(), 'opt': opt.state_dict()}}, {file!r})")
    result = notebook.convert(
        make + f"saved = torch.load({file!r})\nnet.load_state_dict(saved['net'])\n"
        "opt.load_state_dict(saved['opt'])\nstep()\n"
    )
    assert result.outcome is Outcome.SAME, str(result)
    assert not result.different
    assert row(result, "saved['opt']['fc.weight.exp_avg']").same
    assert row(result, "opt.fc.weight.exp_avg").same


@pytest.mark.parametrize(
    "net", ["Net()", "nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).eval()"]
)
def test_an_optimizers_state_of_a_plain_cell_is_loaded(notebook: Notebook, net: str) -> None:
    make = f"net = {net}\nopt = torch.optim.Adam(net.parameters(), lr=0.01)\n"
    notebook.convert(NET + make + STEP + "step()\n")
    notebook.plain("import copy\nsaved = copy.deepcopy(opt.state_dict())\nstep()\n")
    result = notebook.convert("opt.load_state_dict(saved)\nstep()\n")
    assert result.outcome is Outcome.SAME, str(result)
    assert sum(r.name.endswith(".exp_avg") and bool(r.same) for r in result.rows) > 3


def test_a_moving_average_by_parameter_has_the_layouts_of_both_sides(notebook: Notebook) -> None:
    notebook.convert(
        NET + "class Average:\n"
        "    def __init__(self, net):\n"
        "        self.kept = {n: p.clone().detach() for n, p in net.named_parameters()}\n"
        "    def update(self, net):\n"
        "        for n, p in net.named_parameters():\n"
        "            self.kept[n].mul_(0.9).add_(p.data, alpha=0.1)\n"
        "net = Net()\n"
    )
    result = notebook.convert("average = Average(net)\n")
    assert result.same, str(result)
    notebook.plain("for p in net.parameters():\n    p.data.mul_(2)\naverage.update(net)\n")
    result = notebook.convert("average.update(net)\n")
    assert result.same, str(result)
    assert row(result, "average.kept['fc.weight']").shape == (2, 3)


def test_versions_and_paths_are_no_differences(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nfrom pathlib import Path\nfrom datetime import date\n"
        "print(torch.__version__, f\"v{torch.__version__.split('+')[0]}\")\n"
        "version = torch.__version__\n"
        "files = [(Path('a') / str(i), torch.ones(1), date(2020, 1, 1)) for i in range(3)]\n"
    )
    assert result.same, str(result)
    assert row(result, "files[0][0]").same
    assert not result.notes


@pytest.mark.parametrize(
    "make",
    [
        "torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)",
        "torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0)",
        "torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 0.5 ** n)",
        "torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=9)",
    ],
)
def test_schedules_are_compared_by_their_rate(notebook: Notebook, make: str) -> None:
    notebook.convert(
        NET + "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n" + f"plan = {make}\n"
    )
    given = "1.0" if "Plateau" in make else ""
    result = notebook.convert(f"for _ in range(3):\n    opt.step()\n    plan.step({given})\n")
    assert result.same, str(result)
    assert row(result, "plan.lr").dtype == "float"
    assert not result.notes


_PARTS = (
    "warm = torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.1, total_iters=5)\n"
    "down = torch.optim.lr_scheduler.{down}\n"
    "plan = torch.optim.lr_scheduler.SequentialLR(opt, [warm, down], milestones=[5])\n"
)


@pytest.mark.parametrize("taken", [0, 3, 5, 8])
@pytest.mark.parametrize(
    "down", ["CosineAnnealingLR(opt, T_max=9)", "LambdaLR(opt, lambda n: 0.5 ** n)"]
)
def test_a_sequence_of_schedules_of_a_plain_cell_goes_on(
    notebook: Notebook, down: str, taken: int
) -> None:
    notebook.convert(NET + "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n")
    notebook.plain(_PARTS.format(down=down) + f"for _ in range({taken}):\n    plan.step()\n")
    result = notebook.convert(
        "rates = []\nfor _ in range(9):\n    opt.step()\n    plan.step()\n"
        "    rates.append(plan.get_last_lr()[0])\n"
    )
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "rates").same
    notebook.plain("plan.step()\n")
    result = notebook.convert("plan.step()\nstate, first = plan.state_dict(), warm.last_epoch\n")
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "plan.lr").same


@pytest.mark.parametrize("taken", [0, 4])
@pytest.mark.parametrize(
    ("momentum", "make"),
    [
        ("0.9", "LambdaLR(opt, lambda n: 0.5 ** n)"),
        ("0.9", "MultiplicativeLR(opt, lambda n: 0.9)"),
        ("0", "OneCycleLR(opt, 0.1, total_steps=30, pct_start=0.2, cycle_momentum=False)"),
        ("0", "OneCycleLR(opt, 0.1, epochs=6, steps_per_epoch=5, cycle_momentum=False)"),
        ("0", "CyclicLR(opt, 0.01, 0.1, step_size_up=3, step_size_down=5, cycle_momentum=False)"),
    ],
)
def test_a_schedule_of_a_plain_cell_goes_on(
    notebook: Notebook, momentum: str, make: str, taken: int
) -> None:
    notebook.convert(
        NET + f"net = Net()\nopt = torch.optim.SGD(net.parameters(), 0.1, momentum={momentum})\n"
    )
    notebook.plain(
        f"plan = torch.optim.lr_scheduler.{make}\n"
        f"for _ in range({taken}):\n    opt.step()\n    plan.step()\n"
    )
    result = notebook.convert(
        "rates = []\nfor _ in range(9):\n    opt.step()\n    plan.step()\n"
        "    rates.append(plan.get_last_lr()[0])\n"
    )
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "plan.lr").same, str(result)
    assert len(set(notebook.names["rates"])) > 6


def test_a_weighted_sampler_draws_alike_on_both_sides(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
        "from torch.utils.data import WeightedRandomSampler\n"
        "table = TensorDataset(torch.arange(6.0))\n"
        "sampler = WeightedRandomSampler([1.0, 2, 3, 4, 5, 6], 6, replacement=True)\n"
        "loader = DataLoader(table, batch_size=2, sampler=sampler)\n"
        "seen = [x for (x,) in loader]\n"
        "masked = torch.nn.functional.dropout(torch.ones(8), 0.5)\n"
    )
    assert result.same, str(result)
    assert not result.notes


def test_a_scaler_is_used_in_later_cells(notebook: Notebook) -> None:
    notebook.convert("import torch\nscaler = torch.amp.GradScaler('cpu')\n")
    result = notebook.convert("scale, on = scaler.get_scale(), scaler.is_enabled()\n")
    assert result.same, str(result)


def test_settings_of_earlier_cells_are_torchs(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    notebook.convert("import torch\ntorch.backends.cudnn.benchmark = True\n")
    result = notebook.convert("torch.backends.cudnn.benchmark, torch.get_num_threads()")
    assert "class TorchCudnn" in result.code
    assert result.same, str(result)
    notebook.plain("torch.backends.cudnn.benchmark = False\n")
    result = notebook.convert("torch.backends.cudnn.benchmark")
    assert result.same, str(result)


def test_a_name_of_a_cell_that_did_not_run_is_no_difference(notebook: Notebook) -> None:
    notebook.sources.append("import torch\nfrom torch import nn\n")
    cell = "class Net(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n"
    result = notebook.convert(cell)
    assert result.outcome is Outcome.UNCHECKED, str(result)
    assert "Not checked: torch raises at line 1: NameError: name 'nn'" in str(result)


@pytest.mark.parametrize("split", [True, False])
def test_weights_under_spectral_norm_are_initialised(notebook: Notebook, split: bool) -> None:
    make = (
        IMPORTS + "from torch.nn.utils import spectral_norm as sn\n"
        "net = nn.Sequential(sn(nn.Conv2d(1, 2, 3, bias=False)), sn(nn.Linear(4, 4)))\n"
    )
    init = (
        "def init(m):\n    if isinstance(m, (nn.Conv2d, nn.Linear)):\n"
        "        nn.init.normal_(m.weight.data, 0.0, 0.02)\nnet.apply(init)\n"
    )
    cells = [make, init] if split else [make + init]
    for cell in cells:
        result = notebook.convert(cell)
        assert result.same, str(result)
        assert not result.different
    result = notebook.convert("y = net(torch.ones(2, 1, 6, 6))\n")
    assert result.same, str(result)


@pytest.mark.parametrize(
    "norm", ["weight_norm", "parametrizations.weight_norm", "parametrizations.spectral_norm"]
)
@pytest.mark.parametrize("call", ["", "y = net(torch.ones(2, 3))\n"])
def test_what_norms_make_of_fresh_weights_is_copied(
    notebook: Notebook, norm: str, call: str
) -> None:
    make = f"net = nn.Sequential(nn.utils.{norm}(nn.Linear(3, 4)), nn.Linear(4, 2))\n{call}"
    result = notebook.convert(IMPORTS + make)
    assert result.same, str(result)
    result = notebook.convert("net(torch.ones(2, 3)).sum().backward()\n")
    assert result.outcome is Outcome.SAME, str(result)


@pytest.mark.parametrize(
    "norm",
    [
        "spectral_norm",
        "weight_norm",
        "parametrizations.weight_norm",
        "parametrizations.spectral_norm",
    ],
)
def test_a_layer_under_a_norm_of_a_plain_cell_goes_on(notebook: Notebook, norm: str) -> None:
    notebook.convert(IMPORTS)
    notebook.plain(
        IMPORTS + f"net = nn.Sequential(nn.utils.{norm}(nn.Conv2d(1, 4, 3)), nn.Flatten(),"
        f" nn.utils.{norm}(nn.Linear(64, 2)))\n"
        "opt = torch.optim.Adam(net.parameters())\nx = torch.ones(2, 1, 6, 6)\n"
        "net(x).sum().backward()\nopt.step()\n"
    )
    result = notebook.convert("opt.zero_grad()\ny = net(x)\ny.sum().backward()\nopt.step()\n")
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "y").same
    assert not result.notes


def test_indices_and_numpy_scalars_are_no_differences(notebook: Notebook) -> None:
    result = notebook.convert(
        "import numpy as np\nimport torch\nw = torch.ones(5, requires_grad=True)\n"
        "top = (w * torch.arange(5.0)).topk(2)\nindex = top.indices[0]\n"
        "loss = np.mean(np.arange(40) * np.log(torch.linspace(1, 3, 40).sigmoid().numpy()))\n"
    )
    assert result.same, str(result)
    assert not result.different
    assert row(result, "loss").dtype == "float"


def test_a_checkpoint_whose_optimizer_is_gone_is_used_in_later_cells(notebook: Notebook) -> None:
    notebook.convert(
        IMPORTS + "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)\n"
        "    def forward(self, x):\n"
        "        return self.attention(x, x, x)[0]\n"
        "def fit(net):\n"
        "    opt = torch.optim.Adam(net.parameters(), lr=0.01)\n"
        "    for _ in range(4):\n"
        "        opt.zero_grad()\n"
        "        (net(x) - x.flip(1)).square().mean().backward()\n"
        "        opt.step()\n"
        "    state = {k: v.clone() for k, v in net.state_dict().items()}\n"
        "    return {'model': state, 'opt': opt.state_dict(), 'step': 4}\n"
        "x = torch.arange(48.0).view(2, 3, 8).sin()\n"
    )
    result = notebook.convert("net = Net()\nbest = fit(net)\n")
    assert not [each for each in result.rows if each.same is False], str(result)
    result = notebook.convert("other = Net()\nother.load_state_dict(best['model'])\ny = other(x)\n")
    assert not [each for each in result.rows if each.same is False], str(result)
    assert row(result, "y").same


@pytest.mark.parametrize(
    "cell",
    [
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    path = Path(folder) / 'state.pt'\n"
        "    torch.save(state, path)\n"
        "    there, back = path.exists(), torch.load(path)['w']\n"
        "gone = path.exists()",
        "def once(path):\n"
        "    torch.save(state, path)\n"
        "    back = torch.load(path)\n"
        "    os.remove(path)\n"
        "    return back, os.path.exists(path)\n"
        "back, gone = once(place)",
        "def safely(path):\n"
        "    torch.save(state, path + '.part')\n"
        "    os.replace(path + '.part', path)\n"
        "    return torch.load(path), os.path.exists(path + '.part')\n"
        "back, gone = safely(place)",
    ],
)
def test_a_file_of_one_statement_is_there_for_both_sides(
    notebook: Notebook, tmp_path: Path, cell: str
) -> None:
    """Torch's side, which runs first, has removed or moved its own file."""
    notebook.plain("import os, tempfile\nfrom pathlib import Path\nimport torch")
    notebook.plain(f"place = {str(tmp_path / 'state.pt')!r}\nstate = {{'w': torch.ones(2)}}")
    result = notebook.convert(cell)
    assert result.same, str(result)
    assert not notebook.names["gone"]


@pytest.mark.parametrize(
    "made", ["Categorical(logits=x)", "Categorical(x.exp())", "Normal(x, 1.0)"]
)
def test_a_class_of_distributions_is_one_in_all_cells(notebook: Notebook, made: str) -> None:
    """A short class serves until a cell asks for more than it has."""
    notebook.convert(
        "import torch\nfrom torch.distributions import Categorical, Normal, kl_divergence\n"
        "x = torch.tensor([[0.1, 0.5], [1.0, -1.0]])\n"
        f"def make(x):\n    return {made}\n"
        "old = make(x)"
    )
    for cell in ("apart = kl_divergence(old, make(x + 0.1))", "count = old.batch_shape[0]"):
        result = notebook.convert(cell)
        assert result.same, str(result)


def test_a_function_of_a_plain_cell_needs_no_name_of_torch(notebook: Notebook) -> None:
    notebook.plain("import torch")
    notebook.plain(
        "def score(y, p):\n"
        "    return (2 * (y * p).sum() / (y.sum() + p.sum()).clamp_min(1)).item()\n"
    )
    notebook.plain("held = {'y': torch.ones(2)}")
    result = notebook.convert(
        "found = max([0.5, 1.0], key=lambda t: score(held['y'], t * held['y']))"
    )
    assert result.same, str(result)
    assert notebook.names["found"] == 1.0


def test_a_cell_without_torch_does_not_hide_that_a_layer_takes_another_form(
    notebook: Notebook,
) -> None:
    """The cell that reads the weight ran by itself; the next one that uses torch sees it."""
    notebook.convert(NET + "net = Net().eval()\nx = torch.ones(3, 3)\ny = net(x)")
    notebook.plain("rows = [row.sum().item() for row in net.fc.weight]")
    notebook.convert("count = len(rows)")
    notebook.convert("z = net(x) + 1")
    result = notebook.convert("w = torch.einsum('kc,bc->bk', net.fc.weight, x)")
    assert result.same, str(result)


@pytest.mark.parametrize("made", ["names[int(i)]", "names[i]", "'%d' % i"])
def test_a_later_cell_may_call_a_function_with_numbers(notebook: Notebook, made: str) -> None:
    notebook.convert(
        "import torch\nnames = list('abcd')\n"
        f"def shown(ids):\n    return [{made} for i in ids]\n"
        "x = torch.tensor([1, 2])\nfound = shown(x)"
    )
    result = notebook.convert("again, y = shown([0, 1]), torch.ones(1)")
    assert result.same, str(result)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (0.17538, 0.17539, True),
        (0.175384, 0.17539, False),
        (0.17538, 0.1754, False),
        (0.002, 0.003, False),
        (2.5, 2.6, False),
    ],
)
def test_rounded_numbers_may_be_one_apart_in_the_last_place(
    notebook: Notebook, ours: float, theirs: float, same: bool
) -> None:
    notebook.plain("import torch\ndef is_torch(x):\n    return 'torch' in str(x.__class__)")
    result = notebook.convert(
        f"x = torch.ones(1)\nscore = {ours} if is_torch(x) else {theirs}\ny = x + 1"
    )
    own = row(result, "score")
    assert own.same is same
    assert ("one off in the last" in own.reason) is same


def test_what_is_left_of_a_long_list_is_not_checked(notebook: Notebook) -> None:
    notebook.plain("import torch\nheld = []")
    result = notebook.convert(
        "x = torch.arange(2100)\nfor i in x.tolist():\n    held.append((i, 'a', i == 3))"
    )
    assert str(result).startswith("Same: 6002 of 6003 values agree, 1 not checked")
    left = row(result, "held")
    assert left.same is None
    assert "only the first" in left.reason


@pytest.mark.parametrize(
    ("functions", "call"),
    [
        (
            "def count(model):\n    return sum(p.numel() for p in model.parameters())\n",
            "count(nn.Linear(2, 3))",
        ),
        ("size = lambda x: x.numel()\n", "size(torch.ones(2, 3))"),
        (
            "class Meter:\n    def add(self, x):\n        self.count = x.numel()\n",
            "meter = Meter()\nmeter.add(torch.ones(2, 3))\nmeter.count",
        ),
    ],
)
def test_functions_of_a_cell_without_torch_take_torchs_values_later(
    notebook: Notebook, functions: str, call: str
) -> None:
    notebook.convert(IMPORTS)
    notebook.convert(functions)
    result = notebook.convert(call)
    assert result.same, str(result)
