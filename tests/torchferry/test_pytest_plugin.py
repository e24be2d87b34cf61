"""A port is verified by a test of pytest's, which fails with the line and the figures."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
PORTS = Path(__file__).parents[1] / "workbench" / "verify" / "ports"
RIGHT = (PORTS / "mlp_port.py").read_text()
TESTS = """
import pytest

@pytest.mark.parametrize("port", ["right", "wrong", "broken"])
def test_port(torchferry_verify, port):
    certificate = torchferry_verify("mlp_torch.py:Net", f"{port}_port.py:Net", steps=3)
    assert certificate["certified"]
"""


def test_a_correct_port_passes_and_others_fail_with_the_reason(pytester: pytest.Pytester) -> None:
    ports = {
        "right": RIGHT,
        "wrong": RIGHT.replace("nn.LayerNorm(8)", "nn.LayerNorm(8, epsilon=1e-6)"),
        "broken": "import nothing_of_this_name\n",
    }
    for name, text in ports.items():
        (pytester.path / f"{name}_port.py").write_text(text)
    (pytester.path / "mlp_torch.py").write_text((PORTS / "mlp_torch.py").read_text())
    pytester.makepyfile(test_port=TESTS)
    result = pytester.runpytest_subprocess("-q", "-r", "fp")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "wrong_port.py:Net is no port of its original:",
            "  wrong_port.py:10: eps is 1e-06 in the port and 1e-05 in the original"
            " (with that changed both sides agree); in the original: mlp_torch.py:*",
            "broken_port.py:Net could not be verified: *nothing_of_this_name*",
            "PASSED test_port.py::test_port[[]right]",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
