"""Vectors of a second computation get the signs of the first one's."""

from __future__ import annotations

import torch

from workbench.streams.factors import Choice, Chosen, Factors


def followed(torchs: Factors, own: Factors) -> list[torch.Tensor] | None:
    """Return the second computation's vectors as the first one chose them."""
    chosen = Chosen()
    chosen.note(torchs)
    choices = chosen.choices(own)
    if choices is None:
        return None
    return [after(side, choice) for side, choice in zip(own.sides, choices, strict=True)]


def after(vectors: torch.Tensor, choice: Choice) -> torch.Tensor:
    return torch.where(choice.taken, choice.vectors, vectors * choice.signs).float()


def symmetric(size: int = 5) -> torch.Tensor:
    matrix = torch.randn(size, size, generator=torch.Generator().manual_seed(0))
    return matrix + matrix.T


def test_vectors_with_opposite_signs_are_turned() -> None:
    values, vectors = torch.linalg.eigh(symmetric())
    turned = vectors * torch.tensor([1.0, -1.0, -1.0, 1.0, -1.0])
    found = followed(Factors(values, vectors), Factors(values, turned))
    assert found is not None
    torch.testing.assert_close(found[0], vectors)


def test_nothing_changes_if_the_signs_are_torchs() -> None:
    values, vectors = torch.linalg.eigh(symmetric())
    assert followed(Factors(values, vectors), Factors(values, vectors + 1e-7)) is None


def test_pairs_of_singular_vectors_are_turned_together() -> None:
    left, values, right = torch.linalg.svd(symmetric()[:, :3])  # left is full
    signs = torch.tensor([-1.0, 1.0, -1.0, -1.0, 1.0])
    own = Factors(values, left * signs, right.mT * signs[:3])
    found = followed(Factors(values, left, right.mT), own)
    assert found is not None
    torch.testing.assert_close(found[0], left)
    torch.testing.assert_close(found[1], right.mT)


def test_vectors_of_equal_values_are_taken_over() -> None:
    values, vectors = torch.tensor([1.0, 1.0, 3.0]), torch.eye(3)
    half = 0.5**0.5
    turned = torch.tensor([[half, half, 0], [half, -half, 0], [0, 0, 1.0]])
    found = followed(Factors(values, vectors), Factors(values, turned))
    assert found is not None
    torch.testing.assert_close(found[0], vectors)


def test_other_vectors_stay_as_they_are() -> None:
    values, vectors = torch.tensor([1.0, 2.0, 3.0]), torch.eye(3)
    half = 0.5**0.5
    other = torch.tensor([[half, half, 0], [-half, half, 0], [0, 0, 1.0]])
    found = followed(Factors(values, vectors), Factors(values, other))
    assert found is None


def test_factors_of_another_matrix_are_not_followed() -> None:
    values, vectors = torch.linalg.eigh(symmetric())
    assert followed(Factors(values * 2, -vectors), Factors(values, vectors)) is None
