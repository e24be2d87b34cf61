"""An agent's session that ports a package of three modules, one of which it has to mend."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")


from mcp_server.server import server
from tests.command import torchferry
from tests.mcp_server.test_agent_session import answer, client
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


def test_the_skill_is_printed() -> None:
    printed = torchferry("mcp", "--print-skill")
    assert printed.returncode == 0
    assert printed.stdout.startswith("---\nname: torchferry\n")
    assert "`go_on=true`" in printed.stdout
