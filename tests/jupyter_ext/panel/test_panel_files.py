"""Files that go to the panel with an answer, as a kernel gateway can carry them."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

from jupyter_ext.panel import Connection


class Comm:
    """A comm that notes messages; a gateway accepts only text of up to ten million letters."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, data: dict[str, Any]) -> None:
        assert len(json.dumps(data)) < 10_000_000
        self.sent.append(data)


def test_files_go_before_the_answer_as_text_in_parts() -> None:
    comm = Comm()
    files = [bytes(range(256)) * 40_000, b"short", b""]
    Connection(comm).answer({"id": "q"}, lambda _: ({"name": "Net"}, files))
    *parts, answer = comm.sent
    assert answer == {"id": "q", "ok": {"name": "Net"}}
    assert [part["begins"] for part in parts if part["file"] == 0] == [True, False, False, False]
    assert [part["file"] for part in parts if part["begins"]] == [0, 1, 2]
    for number, file in enumerate(files):
        mine = [b64decode(part["part"]) for part in parts if part["file"] == number]
        assert b"".join(mine) == file
