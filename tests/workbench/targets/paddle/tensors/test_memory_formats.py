"""Memory formats, which Paddle lacks, and shapes as keys."""

from __future__ import annotations

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = "import torch\n\nimg = torch.ones(2, 3, 4, 4)\n"


def test_a_move_that_names_only_a_memory_format_moves_nothing() -> None:
    code = assert_prints_the_same(
        HEAD
        + "last = img.to(memory_format=torch.channels_last)\n"
        + "net = torch.nn.ReLU().to(memory_format=torch.channels_last)\n"
        + "here = img.to('cpu', memory_format=torch.channels_last, non_blocking=True)\n"
        + "new = img.to(memory_format=torch.contiguous_format, copy=True)\n"
        + "new += 1\n"
        + "print(tuple(net(last).shape), tuple(here.shape), img.sum().item(), new.sum().item())\n"
    )
    assert "last = img\n" in code and "img.to()" not in code


def test_a_size_is_a_key() -> None:
    assert_prints_the_same(
        HEAD
        + "kept = {img.size(): 1, img[0].shape: 2}\n"
        + "seen = {img.size()}\nseen.add(img.size())\n"
        + "print(kept[img.size()], img[0].size() in kept, len(seen))\n"
    )
