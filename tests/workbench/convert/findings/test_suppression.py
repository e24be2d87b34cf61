"""Comments that suppress findings and conversions."""

from __future__ import annotations

import pytest

import workbench


def codes(source: str) -> list[str]:
    return [finding.code for finding in workbench.check(source)]


REFUSED = "import torch\nx = torch.stack(no=y)"


def test_an_ignored_finding_is_not_reported() -> None:
    assert codes(f"{REFUSED}\n") == ["TF200"]
    assert codes(f"{REFUSED}  # torchferry: ignore[TF200]\n") == []
    assert codes(f"{REFUSED}  # torchferry: ignore\n") == []


def test_one_comment_may_have_several_codes_and_a_reason() -> None:
    comment = "# torchferry: ignore[TF100, TF200] both frameworks, on purpose"
    assert codes(f"import torch\nx = torch.stack(no=torch.exp(y))  {comment}\n") == []


def test_another_code_is_reported_and_so_is_the_comment() -> None:
    assert codes(f"{REFUSED}  # torchferry: ignore[TF300]\n") == ["TF200", "TF901"]


def test_ignored_uses_are_not_converted() -> None:
    source = (
        "import torch\n"
        "a = torch.concatenate([x])  # torchferry: ignore\n"
        "b = torch.concatenate([x])\n"
        f"{REFUSED.splitlines()[1]}  # torchferry: ignore[TF200]\n"
    )
    conversion = workbench.convert(source)
    lines = conversion.code.splitlines()
    assert "import torch" in lines
    assert "a = torch.concatenate([x])  # torchferry: ignore" in lines
    assert "b = torch.concatenate([x])" not in lines
    assert "# torchferry TF" not in conversion.code
    assert conversion.unconverted == []
    assert conversion.ignored == 2
    assert workbench.convert(conversion.code).code == conversion.code


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.stack(  # torchferry: ignore\n    no=y,\n)\n",
        "import torch\nx = torch.stack(\n    # torchferry: ignore\n    no=y,\n)\n",
        "import torch\nx = torch.stack(\n    no=y,\n)  # torchferry: ignore\n",
        "import torch\ndef f(\n    x=torch.stack(no=y),\n):  # torchferry: ignore\n    pass\n",
        "import torch\nx = torch.stack(no=y)  # type: ignore  # torchferry: ignore[TF200]\n",
        "import torch\nx = '''#\n''', torch.stack(no=y)  # torchferry: ignore\n",
    ],
)
def test_a_comment_counts_for_the_whole_statement(source: str) -> None:
    assert codes(source) == []


def test_a_comment_on_a_header_does_not_reach_into_the_body() -> None:
    source = "import torch\nif torch.stack(no=y):  # torchferry: ignore\n    torch.stack(no=y)\n"
    assert [finding.range.start.line for finding in workbench.check(source)] == [2]


def test_text_in_a_string_is_no_comment() -> None:
    assert codes("import torch\nx = torch.stack(no=y), '# torchferry: ignore'\n") == ["TF200"]
    assert codes("import torch\nx = '''\n# torchferry: ignore-file\n'''\ntorch.stack(no=y)\n") == [
        "TF200"
    ]


def test_a_file_is_ignored_even_where_it_does_not_parse() -> None:
    source = "# torchferry: ignore-file\nimport torch\nx = torch.stack(no=y)\nz = (\n"
    assert codes(source) == []
    assert workbench.convert(source).code == source


def test_some_codes_are_ignored_in_a_file() -> None:
    source = f"{REFUSED}\nz = torch.stack([y])\n# torchferry: ignore-file[TF200]\n"
    assert codes(source) == ["TF100"]
    assert "z = paddle.stack([y])" in workbench.convert(source).code


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# torchferry: ingore", "write `# torchferry: ignore[TF201]`"),
        ("# torchferry: ignore[]", "no code between the brackets"),
        ("# torchferry: ignore[TF2, E501]", "E501, TF2: no such code"),
        ("# torchferry: ignore[TF200", "write `# torchferry: ignore[TF201]`"),
    ],
)
def test_a_comment_that_is_not_understood_is_reported(comment: str, message: str) -> None:
    found = workbench.check(f"{REFUSED}  {comment}\n")
    assert [(finding.code, finding.severity) for finding in found] == [
        ("TF200", "error"),
        ("TF902", "hint"),
    ]
    assert message in found[1].message
    start, end = found[1].range.start, found[1].range.end
    line = f"{REFUSED}  {comment}".splitlines()[start.line]
    assert line[start.column : end.column] == comment


def test_a_comment_that_belongs_to_no_statement_is_reported() -> None:
    found = workbench.check(f"import torch\n# torchferry: ignore\n{REFUSED}\n")
    assert [finding.code for finding in found] == ["TF200", "TF902"]
    assert "no statement" in found[1].message


def test_an_unused_comment_names_its_idle_codes() -> None:
    found = workbench.check(
        "import torch\nx = torch.stack(no=y)  # torchferry: ignore[TF200, TF300]\n"
    )
    assert [finding.code for finding in found] == ["TF901"]
    assert "no TF300" in found[0].message
    assert codes("x = 1  # torchferry: ignore\n") == ["TF901"]


def test_hazards_of_a_capture_are_not_judged_here() -> None:
    assert codes("x = 1  # torchferry: ignore[TF407]\n") == []


def test_an_ignored_import_of_another_package_stays_as_it_is() -> None:
    source = "from einops.layers.torch import Rearrange  # torchferry: ignore\n"
    assert codes(source) == []
    assert workbench.convert(source).code == source


def test_comments_count_in_notebook_cells() -> None:
    cell = "x = torch.stack(no=y)  # torchferry: ignore\nz = torch.stack([x])"
    conversion = workbench.convert_cell(cell, earlier=["import torch"])
    assert conversion.code.splitlines()[-2:] == [
        "x = torch.stack(no=y)  # torchferry: ignore",
        "z = paddle.stack([x])",
    ]
    assert [finding.code for finding in conversion.findings] == ["TF100"]
