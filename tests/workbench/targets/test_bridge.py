"""What the import of a target's framework leaves in the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import logging, random
random.seed(7)
from workbench.targets.bridge import load_bridge
load_bridge("{target}")
assert logging.getLogger().handlers == [], logging.getLogger().handlers
assert logging.getLogger().level == logging.WARNING
drawn = random.random()
random.seed(7)
assert drawn == random.random()
logging.basicConfig(format="own %(message)s", level=logging.INFO)
logging.info("message")
"""


@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_logging_and_random_numbers_are_the_users(target: str) -> None:
    program = [sys.executable, "-c", PROGRAM.format(target=target)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "own message" in done.stderr.splitlines()
