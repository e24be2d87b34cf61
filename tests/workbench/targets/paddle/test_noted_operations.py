"""Every operation of a thread is noted, whatever another one does meanwhile."""

from __future__ import annotations

from threading import Event, Thread

import paddle

from workbench.targets.paddle.carry.operations import noting
from workbench.targets.port import Called


def test_computations_of_a_loader_are_not_reported_and_hide_nothing() -> None:
    begun, done = Event(), Event()

    def load() -> None:
        while not done.is_set():
            paddle.ones([2]).cast("int64")
            begun.set()

    loader, names = Thread(target=load), list[str]()

    def note(called: Called) -> None:
        names.append(called.name)

    with noting(note):
        loader.start()
        begun.wait()
        for _ in range(200):
            paddle.nn.functional.relu(paddle.to_tensor([1.0]))
        done.set()
        loader.join()
    assert names.count("relu") == 200
    assert "cast" not in names
