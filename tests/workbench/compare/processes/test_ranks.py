"""Code for several processes, compared rank by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workbench.compare.conftest import row
from workbench.compare.cells.options import Options
from workbench.compare.processes.ranks import LAUNCHERS, RanksError, run_ranks

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook

CELL = """dist.init_process_group("gloo")
rank = dist.get_rank()
x = scaled(start, rank)
dist.all_reduce(x, op=dist.ReduceOp.SUM)
y = torch.full((2,), float(rank))
dist.broadcast(y, src=1)
told = [None, None]
dist.all_gather_object(told, {"rank": rank})
gathered = [torch.zeros(3) for _ in range(2)]
dist.gather(start + rank, gathered if rank == 0 else None, dst=0)
dealt = torch.zeros(3)
dist.scatter(dealt, [start, start * 2] if rank == 0 else None, src=0)
whole = torch.zeros(6)
dist.all_gather_into_tensor(whole, start - rank)
share = torch.zeros(2)
dist.reduce_scatter_tensor(share, torch.arange(4.0) * (rank + 1))
swapped = torch.zeros(4)
dist.all_to_all_single(swapped, torch.arange(4.0) + 10 * rank)
passed = torch.full((2,), 7.0) if rank == 0 else torch.zeros(2)
if rank == 0:
    dist.send(passed, dst=1)
    dist.send_object_list([{"rank": rank}], dst=1)
else:
    dist.recv(passed, src=0)
    heard = [None]
    dist.recv_object_list(heard, src=0)
members = dist.get_process_group_ranks(dist.new_group([0, 1]))
named = dist.get_backend()
noise = torch.randn(3)
out = net(x)
out.sum().backward()
print(f"{rank}: {x.tolist()}")
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_each_rank_is_compared(notebook: Notebook, launcher: str) -> None:
    notebook.plain(
        "import torch\nimport torch.distributed as dist\nstart = torch.arange(3.0)\n"
        "net = torch.nn.Linear(3, 2)\n"
        "def scaled(value, rank):\n    return value * (rank + 1)\n"
    )
    session = notebook.session
    result = run_ranks(
        session,
        CELL,
        session.convert(CELL),
        processes=2,
        options=Options(),
        seconds=120,
        launcher=launcher,
    )
    assert result.same, str(result)
    assert row(result, "rank 0: x").shape == row(result, "rank 1: x").shape == (3,)
    assert row(result, "rank 1: passed").same and row(result, "rank 0: share").shape == (2,)
    assert row(result, "rank 1: y").same and row(result, "rank 1: net.weight.grad").same
    assert "rank 1: 1: [0.0, 3.0, 6.0]" in result.torch.output
    assert "x" not in notebook.names


@pytest.mark.one_in(2)
def test_a_rank_that_ends_early_is_a_message(notebook: Notebook) -> None:
    notebook.plain("import os, torch\n")
    source = "import os\nif os.environ['RANK'] == '1':\n    os._exit(3)\n"
    session = notebook.session
    with pytest.raises(RanksError, match="rank 1 failed"):
        run_ranks(
            session, source, session.convert(source), processes=2, options=Options(), seconds=120
        )
