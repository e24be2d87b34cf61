"""A port is verified by a test of pytest's, which fails with the line and the figures."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
PORTS = Path(__file__).parents[1] / "workbench" / "verify" / "ports"
TEST = """
def test_the_port(torchferry_verify):
    certificate = torchferry_verify("mlp_torch.py:Net", "mlp_port.py:Net", steps=3)
    assert certificate["certified"]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    for side in ("torch", "port"):
        (pytester.path / f"mlp_{side}.py").write_text((PORTS / f"mlp_{side}.py").read_text())
    pytester.makepyfile(test_port=TEST)
    return pytester


def test_a_correct_port_passes(project: pytest.Pytester) -> None:
    project.runpytest_subprocess("-q").assert_outcomes(passed=1)


def test_a_wrong_port_fails_with_its_line(project: pytest.Pytester) -> None:
    port = project.path / "mlp_port.py"
    port.write_text(port.read_text().replace("nn.LayerNorm(8)", "nn.LayerNorm(8, epsilon=1e-6)"))
    result = project.runpytest_subprocess("-q")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "mlp_port.py:Net is no port of its original:",
            "  mlp_port.py:10: eps is 1e-06 in the port and 1e-05 in the original"
            " (with that changed both sides agree); in the original: mlp_torch.py:*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_port_that_cannot_run_fails_with_the_reason(project: pytest.Pytester) -> None:
    (project.path / "mlp_port.py").write_text("import nothing_of_this_name\n")
    result = project.runpytest_subprocess("-q")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["mlp_port.py:Net could not be verified: *nothing_of_this_name*"])
