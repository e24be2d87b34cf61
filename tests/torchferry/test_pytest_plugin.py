"""A port is verified by a test of pytest's, which fails with the line and the figures."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
PORTS = Path(__file__).parents[1] / "workbench" / "verify" / "ports"
RIGHT = (PORTS / "mlp_port.py").read_text()
PORTS_OF = {
    "right": RIGHT,
    "wrong": RIGHT.replace("nn.LayerNorm(8)", "nn.LayerNorm(8, epsilon=1e-6)"),
    "broken": "import nothing_of_this_name\n",
}
REPORTS = {
    "right": ["PASSED test_port.py::test_port"],
    "wrong": [
        "wrong_port.py:Net is not a port of its original:",
        "  wrong_port.py:10: eps is 1e-06 in the port and 1e-05 in the original"
        " (with that changed both sides agree); in the original: mlp_torch.py:*",
    ],
    "broken": ["broken_port.py:Net could not be verified: *nothing_of_this_name*"],
}
TEST = """
def test_port(torchferry_verify):
    certificate = torchferry_verify("mlp_torch.py:Net", "{}_port.py:Net", steps=3)
    assert certificate["certified"]
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("port", PORTS_OF)
def test_a_port_passes_or_fails_with_the_reason(pytester: pytest.Pytester, port: str) -> None:
    (pytester.path / f"{port}_port.py").write_text(PORTS_OF[port])
    (pytester.path / "mlp_torch.py").write_text((PORTS / "mlp_torch.py").read_text())
    pytester.makepyfile(test_port=TEST.format(port))
    result = pytester.runpytest_subprocess("-q", "-r", "fp")
    result.assert_outcomes(passed=port == "right", failed=port != "right")
    result.stdout.fnmatch_lines(REPORTS[port])
    result.stdout.no_fnmatch_line("*Traceback*")
