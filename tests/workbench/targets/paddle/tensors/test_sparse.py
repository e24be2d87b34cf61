"""Products, operators and layouts of sparse tensors: both sides print the same."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

SPARSE = """import torch

x = torch.tensor([[0.0, 2.0], [1.0, 0.5]])
v = torch.tensor([1.0, -3.0])


def matrix(dense):
    places = dense.nonzero().t()
    return torch.sparse_coo_tensor(places, dense[places[0], places[1]], dense.shape).coalesce()


s = matrix(x)
u = x.to_sparse()
c = x.to_sparse_csr()
"""


@pytest.mark.parametrize(
    "line",
    [
        "s @ x",
        "0.9 * (s @ x) + 0.1 * x",
        "s @ v",
        "x @ s",
        "(s @ u).to_dense()",
        "torch.mm(s, x)",
        "s.matmul(v)",
        "torch.mv(s, v)",
        "u.mv(v)",
        "torch.matmul(x, u)",
        "torch.mm(s, u).to_dense()",
        "(s + u).to_dense()",
        "(s - 2.0 * u).to_dense()",
        "(s * u).to_dense()",
        "(u * 3).to_dense()",
        "(u / 2).to_dense()",
        "(s * 2.0).t().coalesce().values()",
        "(s + s) @ x",
        "c @ x",
        "x @ c.t().to_dense()",
        "(c * 2).to_dense() + (c + c).to_dense()",
        "torch.sparse_csr_tensor(c.crow_indices(), c.col_indices(), c.values(), (2, 2)) @ v",
    ],
)
def test_a_sparse_operand_is_multiplied_and_added(line: str) -> None:
    assert_prints_the_same(f"{SPARSE}print(({line}).tolist())\n")


@pytest.mark.parametrize("line", ["s * x", "s + x", "s ** 2", "2.0 / s", "s + v.sum()"])
def test_an_operator_without_a_sparse_counterpart_is_reported_at_its_line(line: str) -> None:
    found = workbench.convert(f"{SPARSE}print({line})\n", target=TARGET).findings
    last = SPARSE.count("\n")
    assert any("sparse" in one.message for one in found if one.range.start.line == last)


@pytest.mark.parametrize("tensor", ["s", "u", "c", "x", "u * 2", "s.to_dense()"])
def test_the_layout_of_a_tensor_is_torchs(tensor: str) -> None:
    assert_prints_the_same(f"{SPARSE}print(({tensor}).layout)\n")


def test_coalesced_values_are_reported_where_they_are_asked_for() -> None:
    text = (
        "import torch\n\ns = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2))\n"
        "print(s.is_coalesced())\n"
    )
    found = workbench.convert(text, target=TARGET).findings
    assert [one.range.start.line for one in found if "same index are added" in one.message] == [
        2,
        3,
    ]


def test_a_parameter_may_be_sparse_in_one_call_and_dense_in_another() -> None:
    assert_prints_the_same(
        f"{SPARSE}def apply(a, y):\n    return a @ y\n\n\ndef twice(a):\n    return a * 2\n\n\n"
        "print(apply(u, v).tolist(), apply(x, v).tolist(), twice(x).tolist())\n"
    )
    text = f"{SPARSE}def twice(a):\n    return a * 2\n\n\ntwice(u)\ntwice(x)\n"
    assert "return a * 2" in workbench.convert(text, target=TARGET).code


EMBEDDING = """import torch

table = torch.nn.Embedding(5, 2, sparse=True)
table(torch.tensor([1, 3, 1])).sum().backward()
g = table.weight.grad
"""


@pytest.mark.parametrize("member", ["is_sparse", "coalesce()", "_indices()", "_values()"])
def test_gradients_of_sparse_embeddings_are_dense(member: str) -> None:
    findings = workbench.convert(f"{EMBEDDING}print(g.{member})\n").findings
    assert [one.range.start.line for one in findings if "is dense" in one.message] == [5]


def test_other_tensors_are_not_reported() -> None:
    text = "def check(p):\n    if p.grad.is_sparse:\n        raise RuntimeError\n"
    findings = workbench.convert(f"import torch\n{text}").findings
    assert not [one for one in findings if "is dense" in one.message]


TABLE = """import torch
from torch import nn

table = {table}
with torch.no_grad():
    table.weight.copy_(torch.arange(10.0).view(5, 2) / 10)
table(torch.tensor([[1, 3], [1, 4]])).pow(2).sum().backward()
g = table.weight.grad.coalesce()
"""


@pytest.mark.parametrize(
    "table", ["nn.Embedding(5, 2, sparse=True)", "nn.EmbeddingBag(5, 2, sparse=True)"]
)
def test_the_gradient_of_a_table_has_the_rows_that_were_read(table: str) -> None:
    shown = "print(g.indices().tolist(), g.values().tolist(), g._nnz(), g.shape[0], g.layout)\n"
    assert_prints_the_same(TABLE.replace("{table}", table) + shown)


def test_what_the_rows_are_that_are_missing_is_reported_once() -> None:
    text = TABLE.replace("{table}", "nn.Embedding(5, 2, sparse=True)") + "print(g.values())\n"
    found = workbench.convert(text, target=TARGET).findings
    assert [one.range.start.line for one in found if one.code == "TF102"] == [7]


def test_steps_without_a_gradient_count_for_sparse_adam() -> None:
    assert_prints_the_same("""import torch
from torch import nn

a, b = nn.Embedding(3, 2, sparse=True), nn.Embedding(3, 2, sparse=True)
with torch.no_grad():
    a.weight.copy_(torch.arange(6.0).view(3, 2) - 2)
    b.weight.zero_()
opt = torch.optim.SparseAdam([*a.parameters(), *b.parameters()], lr=0.05)
for step in range(4):
    loss = (a(torch.tensor([0, step % 3])) * b(torch.tensor([1, 1]))).sum(1).sigmoid().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
print(a.weight.tolist(), b.weight.tolist())
""")
