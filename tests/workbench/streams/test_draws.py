"""One random stream: what torch draws is what Paddle hands out, or it is said not to be."""

from __future__ import annotations

from collections.abc import Callable

import paddle
import pytest
import torch
from torch import nn

from workbench.streams.draws import Kind, Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.targets.paddle.carry import Bridge

BRIDGE = Bridge()


def record(stream: Stream, fresh: FreshWeights | None = None) -> Recorder:
    return Recorder(stream, fresh if fresh is not None else FreshWeights())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: torch.randn(3, 2), lambda: paddle.randn([3, 2])),
        (lambda: torch.rand(4), lambda: paddle.rand([4])),
        (lambda: torch.rand(4) * 6 - 3, lambda: paddle.uniform([4], min=-3.0, max=3.0)),
        (lambda: torch.randint(0, 9, (5,)), lambda: paddle.randint(0, 9, [5], dtype="int64")),
        (lambda: torch.randperm(7), lambda: paddle.randperm(7)),
        (lambda: torch.empty(3).normal_(2, 5), lambda: paddle.empty([3]).normal_(2, 5)),
        (lambda: torch.empty(3).uniform_(2, 5), lambda: paddle.empty([3]).uniform_(2, 5)),
        (
            lambda: torch.bernoulli(torch.full((8,), 0.5)),
            lambda: paddle.bernoulli(paddle.full([8], 0.5)),
        ),
        (
            lambda: torch.multinomial(torch.ones(6), 3),
            lambda: paddle.multinomial(paddle.ones([6]), 3),
        ),
        (
            lambda: nn.functional.dropout(torch.ones(4, 5), 0.4),
            lambda: paddle.nn.functional.dropout(paddle.ones([4, 5]), 0.4),
        ),
        (
            lambda: nn.functional.dropout2d(torch.ones(2, 8, 3, 3), 0.5),
            lambda: paddle.nn.functional.dropout2d(paddle.ones([2, 8, 3, 3]), 0.5),
        ),
    ],
)
def test_both_sides_draw_the_same(ours: object, theirs: object) -> None:
    assert callable(ours) and callable(theirs)
    stream = Stream()
    with record(stream).recording():
        expected = ours()
    with BRIDGE.replay(stream):
        got = theirs()
    stream.close()
    assert stream.problem == ""
    torch.testing.assert_close(BRIDGE.to_torch(got), expected)


@pytest.mark.parametrize("fill", ["uniform_", "normal_", "exponential_"])
def test_numbers_drawn_in_place_cut_the_gradient_on_both_sides(fill: str) -> None:
    ours, theirs = torch.ones(3, requires_grad=True), paddle.ones([3])
    theirs.stop_gradient = False
    stream = Stream()
    with record(stream).recording():
        expected = getattr(ours * 2, fill)()
    with BRIDGE.replay(stream):
        got = getattr(theirs * 2, fill)()
    torch.testing.assert_close(BRIDGE.to_torch(got), expected.detach())
    expected.sum().backward()
    got.sum().backward()
    assert ours.grad is not None
    assert ours.grad.tolist() == theirs.grad.tolist() == [0.0, 0.0, 0.0]


def test_recording_changes_no_number_of_torch() -> None:
    def work() -> list[torch.Tensor]:
        layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2))
        mask = nn.functional.dropout2d(torch.ones(1, 6, 2, 2), 0.5)
        return [torch.randn(3), layer(torch.rand(2, 4)).detach(), mask, torch.randperm(5)]

    torch.manual_seed(3)
    expected = work()
    torch.manual_seed(3)
    with record(Stream()).recording():
        got = work()
    for a, b in zip(expected, got, strict=True):
        assert torch.equal(a, b)
    assert torch.randn is torch._C._VariableFunctions.randn  # the patches are gone again


def test_weights_of_new_modules_stay_out_of_the_stream() -> None:
    stream, fresh = Stream(), FreshWeights()
    with record(stream, fresh).recording():
        layer = nn.Linear(3, 2)
        norm = nn.LayerNorm(3)
    assert not stream.draws
    assert layer.weight in fresh and layer.bias in fresh
    assert norm.weight not in fresh


def test_a_copied_layer_is_as_fresh_as_its_original() -> None:
    fresh = FreshWeights()
    with record(Stream(), fresh).recording():
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)
    assert encoder.layers[1].linear1.weight in fresh


def test_another_order_of_draws_is_a_problem_not_a_guess() -> None:
    stream = Stream()
    with record(stream).recording():
        torch.randn(3)
        torch.rand(3)
    with BRIDGE.replay(stream):
        paddle.rand([3])
    assert "torch draws normal (3,) where the target draws uniform (3,)" in stream.problem


def test_draws_left_over_are_a_problem() -> None:
    stream = Stream()
    with record(stream).recording():
        torch.randn(2, 2)
    stream.close()
    assert "torch draws normal (2, 2) where the target draws nothing more" in stream.problem


def test_a_draw_that_escapes_the_record_is_noticed() -> None:
    hidden = torch.randn
    stream = Stream()
    with record(stream).recording():
        hidden(3)
    assert "cannot be recorded" in stream.problem


def test_the_seeds_of_loaders_are_no_draws() -> None:
    stream = Stream()
    data = torch.utils.data.TensorDataset(torch.arange(6.0))
    with record(stream).recording():
        list(torch.utils.data.DataLoader(data, batch_size=2, shuffle=True))
    assert [draw.kind for draw in stream.draws] == [Kind.PERMUTATION]


def test_attention_with_dropout_is_written_out_without_changing_it() -> None:
    torch.manual_seed(5)
    query, key, value = torch.randn(3, 2, 4, 6, 8).unbind()
    attend = nn.functional.scaled_dot_product_attention
    torch.manual_seed(6)
    expected = attend(query, key, value, dropout_p=0.3, is_causal=True)
    torch.manual_seed(6)
    stream = Stream()
    with record(stream).recording():
        got = nn.functional.scaled_dot_product_attention(
            query, key, value, dropout_p=0.3, is_causal=True
        )
    torch.testing.assert_close(got, expected)
    assert [draw.kind for draw in stream.draws] == [Kind.MASK]


@pytest.mark.parametrize("turn", [[0, 2, 1], [2, 0, 1]])
def test_a_target_that_keeps_its_dimensions_in_another_order_draws_the_same(
    turn: list[int],
) -> None:
    stream = Stream()
    with record(stream).recording():
        expected = nn.functional.dropout(torch.ones(3, 5, 4), 0.4)
    with BRIDGE.replay(stream):
        got = paddle.nn.functional.dropout(paddle.ones([3, 5, 4]).transpose(turn), 0.4)
    stream.close()
    assert stream.problem == ""
    torch.testing.assert_close(BRIDGE.to_torch(got), expected.permute(turn))


def test_a_target_that_keeps_two_dimensions_as_one_draws_the_same() -> None:
    stream = Stream()
    with record(stream).recording():
        expected = torch.randn(3, 5, 4)
    with BRIDGE.replay(stream):
        got = paddle.randn([15, 4])
    assert stream.problem == ""
    torch.testing.assert_close(BRIDGE.to_torch(got), expected.reshape(15, 4))


def test_a_mask_over_dimensions_of_one_size_is_turned_as_what_it_is_for() -> None:
    value = torch.rand(2, 3, 3)
    stream = Stream()
    with record(stream).recording():
        torch.dropout(value, 0.5, True)
    mask = stream.draws[0].value
    draw = stream.take((Kind.MASK,), (2, 3, 3), value.transpose(1, 2))
    assert draw is not None
    assert torch.equal(draw.value, mask.transpose(1, 2))


def test_masks_reach_what_they_were_drawn_for_in_any_order() -> None:
    first, second, stream = torch.rand(3, 4), torch.rand(3, 4), Stream()
    with record(stream).recording():
        expected = [nn.functional.dropout(value, 0.5) for value in (first, second)]
    with BRIDGE.replay(stream):
        got = [
            paddle.nn.functional.dropout(paddle.to_tensor(value.numpy()), 0.5)
            for value in (second, first)
        ]
    stream.close()
    assert stream.problem == ""
    torch.testing.assert_close(BRIDGE.to_torch(got[1]), expected[0])
    torch.testing.assert_close(BRIDGE.to_torch(got[0]), expected[1])


@pytest.mark.parametrize("join", [torch.stack, lambda parts: torch.cat(parts, 1)])
def test_masks_of_several_heads_are_one_where_the_target_keeps_them_so(
    join: Callable[[list[torch.Tensor]], torch.Tensor],
) -> None:
    heads, stream = [torch.rand(4, 4) for _ in range(3)], Stream()
    with record(stream).recording():
        expected = join([nn.functional.dropout(head, 0.5) for head in heads])
        last = nn.functional.dropout(heads[0] + heads[1], 0.5)
    with BRIDGE.replay(stream):
        got = paddle.nn.functional.dropout(paddle.to_tensor(join(heads).numpy()), 0.5)
        left = paddle.nn.functional.dropout(paddle.to_tensor((heads[0] + heads[1]).numpy()), 0.5)
    stream.close()
    assert stream.problem == ""
    torch.testing.assert_close(BRIDGE.to_torch(got), expected)
    torch.testing.assert_close(BRIDGE.to_torch(left), last)


def test_each_head_gets_its_piece_of_a_mask_that_torch_drew_for_all() -> None:
    heads, stream = torch.rand(2, 3, 4, 4), Stream()
    with record(stream).recording():
        expected = nn.functional.dropout(heads, 0.5)
    with BRIDGE.replay(stream):
        got = {
            n: paddle.nn.functional.dropout(paddle.to_tensor(heads[:, n].numpy()), 0.5)
            for n in (2, 0, 1)
        }
    stream.close()
    assert stream.problem == ""
    for n, one in got.items():
        torch.testing.assert_close(BRIDGE.to_torch(one), expected[:, n])


def _kept(stream: Stream, port: Callable[[], paddle.Tensor], *, mirrored: bool) -> torch.Tensor:
    stream.mirrored = mirrored
    with BRIDGE.replay(stream):
        return BRIDGE.to_torch(port().astype("float32"))


@pytest.mark.parametrize(
    ("port", "mirrored"),
    [
        (lambda: paddle.floor(0.7 + paddle.rand([40])), False),
        (lambda: paddle.rand([40]) > 0.3, False),
        (lambda: paddle.rand([40]) < 0.7, True),
    ],
)
def test_uniform_numbers_are_compared_to_what_torch_kept(
    port: Callable[[], paddle.Tensor], mirrored: bool
) -> None:
    stream = Stream()
    with record(stream).recording():
        expected = torch.empty(40).bernoulli_(0.7)
    assert _kept(stream, port, mirrored=mirrored).equal(expected)


def test_uniform_numbers_are_compared_to_a_rate_each() -> None:
    rates = torch.linspace(0.0, 1.0, 40).reshape(8, 5)
    stream = Stream()
    with record(stream).recording():
        expected = torch.bernoulli(rates)
    turned = paddle.to_tensor(rates.T.numpy())
    got = _kept(stream, lambda: paddle.rand([5, 8]) < turned, mirrored=True)
    assert got.equal(expected.T)


def test_another_rate_keeps_others() -> None:
    stream = Stream()
    with record(stream).recording():
        expected = torch.empty(40).bernoulli_(0.7)
    got = _kept(stream, lambda: paddle.rand([40]) > 0.31, mirrored=False)
    assert not got.equal(expected)


@pytest.mark.parametrize("mirrored", [True, False])
def test_torchs_uniform_numbers_are_what_a_target_keeps(mirrored: bool) -> None:
    stream = Stream()
    with record(stream).recording():
        numbers = torch.rand(40)
    expected = numbers <= 0.7 if mirrored else numbers >= 0.3
    port = lambda: paddle.bernoulli(paddle.full([40], 0.7))  # noqa: E731
    assert _kept(stream, port, mirrored=mirrored).equal(expected.float())


def test_dropout_between_levels_is_recorded() -> None:
    rnn = torch.nn.LSTM(3, 4, 3, dropout=0.5, batch_first=True)
    value, stream = torch.rand(2, 5, 3), Stream()
    with record(stream).recording():
        result, (hidden, cell) = rnn(value)
    assert [tuple(draw.value.shape) for draw in stream.draws] == [(5, 2, 4)] * 2
    assert not stream.problem
    assert hidden.shape == cell.shape == (3, 2, 4)
    assert torch.equal(result[:, -1], hidden[-1])


def test_a_mask_of_packed_rows_reaches_their_padded_places() -> None:
    rnn = torch.nn.GRU(3, 4, 2, dropout=0.5, batch_first=True)
    lengths, stream = torch.tensor([2, 5, 3]), Stream()
    value = torch.nn.utils.rnn.pack_padded_sequence(
        torch.rand(3, 5, 3), lengths, batch_first=True, enforce_sorted=False
    )
    with record(stream).recording():
        rnn(value)
    [drawn] = stream.draws
    assert drawn.onto is not None
    packed = value._replace(data=drawn.onto)
    onto, _ = torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    mask, _ = torch.nn.utils.rnn.pad_packed_sequence(
        value._replace(data=drawn.value), batch_first=True, padding_value=True
    )
    found = stream.take([Kind.MASK], onto.shape, onto)
    assert found is not None
    assert torch.equal(found.value, mask)


def test_recurrent_layers_take_their_lengths_by_name() -> None:
    layer, x, lengths = paddle.nn.GRU(3, 4), paddle.ones([2, 5, 3]), paddle.to_tensor([5, 2])
    layer.eval()
    with BRIDGE.replay(Stream()):
        found = layer(x, sequence_length=lengths)[0]
    assert bool((found == layer(x, sequence_length=lengths)[0]).all())
