"""Packed sequences, spectra and alignments in JAX compute as torch's do."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same, refused

pytestmark = pytest.mark.usefixtures("narrow")
_SEED = """
for name, p in layer.named_parameters():
    values = np.cos(np.arange(p.numel()) * 0.7 + len(name)).reshape(p.shape)
    p.data.copy_(torch.tensor(values))
"""


@pytest.mark.parametrize(
    "made",
    [
        "nn.LSTM(2, 3, num_layers=2, bidirectional=True, batch_first=True)",
        "nn.GRU(2, 3, bidirectional=True, batch_first=True)",
        "nn.RNN(2, 3, nonlinearity='relu', batch_first=True)",
    ],
)
def test_recurrent_layers_stop_at_the_end_of_each_sequence(made: str) -> None:
    assert_same(f"""
layer = {made}
{_SEED}
x = torch.tensor(np.sin(np.arange(24.0)).reshape(3, 4, 2), dtype=torch.float32)
packed = nn.utils.rnn.pack_padded_sequence(
    x, [2, 4, 1], batch_first=True, enforce_sorted=False
)
out, state = layer(packed)
print(packed.data.shape, packed.batch_sizes.tolist(), packed.sorted_indices.tolist())
padded, lengths = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
print(padded.tolist(), lengths.tolist())
last = state[0] if isinstance(state, tuple) else state
print(last.tolist(), layer.num_layers, layer.hidden_size, layer.bidirectional)
""")


def test_sequences_are_packed_and_unpacked() -> None:
    assert_same("""
parts = [torch.arange(3.0), torch.arange(1.0), torch.arange(2.0)]
packed = nn.utils.rnn.pack_sequence(parts, enforce_sorted=False)
print(packed.data.tolist(), packed.unsorted_indices.tolist())
padded, _ = nn.utils.rnn.pad_packed_sequence(packed, padding_value=-1.0, total_length=4)
print(padded.tolist())
""")


def test_spectra_and_signals() -> None:
    assert_same("""
x = torch.tensor(np.sin(np.arange(64.0)), dtype=torch.float32)
window = torch.hann_window(12)
s = torch.stft(x, 16, hop_length=4, win_length=12, window=window, return_complex=True)
print(s.abs().tolist(), s.shape)
print(torch.istft(s, 16, hop_length=4, win_length=12, window=window, length=64).tolist())
""")


def test_a_spectrum_of_real_pairs_is_refused() -> None:
    (message,) = refused("torch.stft(torch.ones(64), 16, return_complex=False)")
    assert "return_complex=True" in message


def test_alignments_and_their_gradients() -> None:
    assert_same("""
model = nn.Linear(3, 4)
with torch.no_grad():
    model.weight.copy_(torch.arange(12.0).reshape(4, 3) / 6 - 1)
    model.bias.zero_()
x = torch.tensor(np.cos(np.arange(36.0)).reshape(6, 2, 3), dtype=torch.float32)
labels = torch.tensor([[1, 2, 2], [3, 1, 0]])
loss_fn = nn.CTCLoss(zero_infinity=True)
optimizer = optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    scores = model(x).log_softmax(2)
    loss = loss_fn(scores, labels, torch.tensor([6, 5]), torch.tensor([3, 2]))
    loss.backward()
    optimizer.step()
    print(loss.item())
print(model.weight.tolist())
""")


def test_members_of_layers() -> None:
    assert_same("""
conv = nn.Conv2d(4, 6, 3, padding=1, groups=2)
print(conv.kernel_size, conv.stride, conv.padding, conv.out_channels, conv.groups)
norm = nn.BatchNorm1d(4, momentum=0.3)
print(norm.num_features, norm.eps, norm.momentum, nn.LayerNorm(4).eps)
print(nn.Linear(3, 5).in_features, nn.Embedding(7, 2).embedding_dim)
x = torch.arange(16.0).reshape(1, 1, 4, 4)
print(nn.functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False).tolist())
print(torch.zeros(2, 2).fill_diagonal_(3.0).tolist())
""")
