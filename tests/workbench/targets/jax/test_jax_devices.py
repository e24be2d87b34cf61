"""Devices of JAX under torch's names; a CPU that is split plays several devices."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.lower import LowerError
from workbench.lower.backend import find

_SPLIT = """\
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, torch
from torch import nn
from workbench import capture, lower
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower.backend import find

backend = find("jax")
print([(one.word, one.torch_word) for one in backend.devices()])
with jax.default_device(jax.devices()[1]):
    with backend.on_device("cpu"):
        print(jnp.ones(2).devices())
    print(jnp.ones(2).devices())
    model, x = nn.Linear(3, 2), torch.randn(4, 3)
    print(compare_nodes(lower(capture(model, (x,)), target="jax"), (x,)).equal)
"""


def test_new_arrays_are_made_on_the_device_that_is_named() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _SPLIT], capture_output=True, text=True, check=False
    )
    assert found.stdout.splitlines() == [
        "[('cpu:0', 'cpu')]",
        "{CpuDevice(id=0)}",
        "{CpuDevice(id=1)}",
        "True",
    ], found.stderr


def test_a_device_that_jax_lacks_is_refused() -> None:
    with pytest.raises(LowerError, match="JAX has no device tpu:9 here"):
        find("jax").on_device("tpu:9")
