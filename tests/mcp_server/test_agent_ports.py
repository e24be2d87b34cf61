"""An agent's session that ports a package of three modules, one of which it has to mend."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
import torch

pytest.importorskip("mcp")


from mcp_server.server import server
from tests.command import torchferry
from tests.mcp_server.test_agent_session import answer, client, problem
from tests.workbench.ports.project import PACKAGE, git, made

FILES = {
    **PACKAGE,
    "shop/odd.py": (
        "import torch\n\n\ndef largest(a):\n    return torch.lobpcg(a)[0]\n\n\n"
        "def total(a):\n    return torch.sum(a)\n"
    ),
    "shop/net.py": (
        "from torch import nn\nfrom shop.layers import Block\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, width=4):\n        super().__init__()\n"
        "        self.block = Block(width)\n\n    def forward(self, x):\n"
        "        return self.block(x) + x\n"
    ),
}

TOTAL = "import torch\n\n\ndef total(a):\n    return torch.sum(a)\n"
TRAIN = """\
import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 1)

    def training_step(self, batch):
        return self.a(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


net = Net()
loader = [torch.ones(3, 2)]
pl.Trainer(max_epochs=1).fit(net, loader)
"""


def test_an_agent_ports_a_package_and_mends_what_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "shop", FILES)

    async def session() -> None:
        async with client(tmp_path, server=server((tmp_path,))) as agent:
            planned = await answer(agent, "plan", folder="shop")
            assert planned["exit_code"] == 0, planned
            assert "shop/odd.py" in (folder / planned["plan"]).read_text()
            found = await answer(agent, "port", folder="shop", steps=9)
            assert found["exit_code"] == 1, found
            assert "torch.lobpcg" in found["output"] and "odd.py" in found["output"]
            odd = folder / "shop/odd.py"
            text = odd.read_text()
            line = next(
                one for one in text.splitlines() if "torch.lobpcg" in one and "#" not in one
            )
            text = text.replace(line, "    return paddle.linalg.eigvalsh(a)[-1:]")
            kept = [one for one in text.splitlines() if "# torchferry" not in one]
            odd.write_text("\n".join(one for one in kept if one != "import torch") + "\n")
            found = await answer(agent, "port", folder="shop", steps=9, go_on=True)
            assert found["exit_code"] == 0, found
            assert "certified" in git(folder, "log", "--format=%B")

    anyio.run(session)
    assert "torch" not in (folder / "shop/odd.py").read_text()


def test_an_agent_follows_the_original_and_shows_the_evidence(tmp_path: Path) -> None:
    folder = made(tmp_path / "shop", {**PACKAGE, "shop/total.py": TOTAL})
    git(folder, "branch", "upstream")

    async def session() -> None:
        async with client(tmp_path, server=server((tmp_path,))) as agent:
            await answer(agent, "plan", folder="shop")
            found = await answer(agent, "port", folder="shop", steps=9)
            assert found["exit_code"] == 0, found
            git(folder, "switch", "-q", "upstream")
            (folder / "shop/total.py").write_text(TOTAL.replace("torch.sum(a)", "torch.mean(a)"))
            git(folder, "commit", "-qam", "mean")
            git(folder, "switch", "-q", "torchferry/paddle")
            found = await answer(agent, "sync", folder="shop", original="upstream")
            assert found["exit_code"] == 0, found
            assert "paddle.mean(a)" in (folder / "shop/total.py").read_text()
            found = await answer(agent, "report_port", folder="shop", output="page.md")
            assert "every step is done" in found["output"]
            assert "# Port of shop" in (tmp_path / "page.md").read_text()
            assert "a revision" in await problem(agent, "sync", folder="shop", original="--abort")
            assert "outside" in await problem(agent, "sync", folder="shop", original="/etc")
            assert "exists" in await problem(agent, "report_port", folder="shop", output="page.md")

    anyio.run(session)


def test_an_agent_unwraps_a_loop_and_converts_weights(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    torch.save({"a.weight": torch.ones(2, 3)}, tmp_path / "net.pt")

    async def session() -> None:
        async with client(tmp_path, server=server((tmp_path,))) as agent:
            found = await answer(agent, "unwrap", path="train.py", output="plain.py")
            assert found["exit_code"] == 0, found
            assert "for batch in loader:" in (tmp_path / "plain.py").read_text()
            found = await answer(agent, "weights", source="net.pt", output="net.safetensors")
            assert found["exit_code"] == 0 and (tmp_path / "net.safetensors").exists(), found
            assert "outside" in await problem(
                agent, "weights", source="net.pt", output="/tmp/other.safetensors"
            )

    anyio.run(session)


def test_the_skill_is_printed() -> None:
    printed = torchferry("mcp", "--print-skill")
    assert printed.returncode == 0
    assert printed.stdout.startswith("---\nname: torchferry\n")
    assert "`go_on=true`" in printed.stdout
