"""The byte stream is cut into messages wherever the reads happen to fall."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.wire.framing import Frames


def frame(body: bytes, more: bytes = b"") -> bytes:
    return b"Content-Length: %d\r\n%s\r\n" % (len(body), more) + body


@given(st.lists(st.binary(max_size=60), max_size=6), st.integers(1, 40))
def test_any_cut_gives_the_same_messages(bodies: list[bytes], size: int) -> None:
    stream = b"".join(frame(body) for body in bodies)
    frames = Frames()
    pieces = [stream[i : i + size] for i in range(0, len(stream), size)]
    assert [body for piece in pieces for body in frames.feed(piece)] == bodies


def test_other_headers_and_other_case() -> None:
    other = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\n"
    stream = frame(b"one", other) + frame(b"two").replace(b"Content-Length: ", b"content-length:")
    assert list(Frames().feed(stream)) == [b"one", b"two"]


def test_noise_between_messages_is_skipped() -> None:
    noise = b"Traceback (most recent call last):\r\n\r\nContent-Length: many\r\n\r\n\x00\xff"
    assert list(Frames().feed(frame(b"one") + noise + frame(b"two"))) == [b"one", b"two"]


def test_endless_noise_does_not_pile_up() -> None:
    frames = Frames()
    for _ in range(200):
        assert list(frames.feed(b"x" * 10_000)) == []
    assert len(frames._buffer) < 20_000
    assert list(frames.feed(frame(b"after"))) == [b"after"]


def test_an_absurd_length_is_noise() -> None:
    assert list(Frames().feed(b"Content-Length: 9999999999\r\n\r\n" + frame(b"x"))) == [b"x"]
