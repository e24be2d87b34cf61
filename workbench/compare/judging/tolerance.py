"""Limits within which two computations of one value count as the same.

Two frameworks sum in different orders, so floats differ by rounding. Rounding grows with the
largest numbers involved, not with the affected element. A limit is therefore relative to the
largest magnitude of the whole tensor. Integers, booleans and text have no rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

# Per dtype: relative to the tensor's largest magnitude, and absolute. The float32 figures leave a
# factor of ten above the differences of 85 real models (worst 3.7e-6); the others scale with their
# epsilon.
_DEFAULTS: dict[str, tuple[float, float]] = {
    "float64": (1e-10, 1e-12),
    "float32": (1e-5, 1e-6),
    "float16": (1e-2, 1e-3),
    "bfloat16": (4e-2, 1e-2),
    "complex128": (1e-10, 1e-12),
    "complex64": (1e-5, 1e-6),
}


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest difference that counts as rounding: `relative * scale + absolute`."""

    relative: float
    absolute: float

    def at(self, scale: float) -> float:
        """Return the limit for values whose largest magnitude is `scale`."""
        return self.relative * scale + self.absolute


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits for every dtype, widened or replaced on the user's request.

    `relative` and `absolute` replace the figures of every inexact dtype. `growth` multiplies them:
    a value after many rounds of arithmetic (training steps) has accumulated their rounding.
    """

    relative: float | None = None
    absolute: float | None = None
    growth: float = 1.0

    def limit(self, dtype: str) -> Limit:
        """Return the limit for a dtype by its short name, such as `float32`; else an exact one."""
        if dtype not in _DEFAULTS:
            return Limit(0.0, 0.0)
        relative, absolute = _DEFAULTS[dtype]
        relative = relative if self.relative is None else self.relative
        absolute = absolute if self.absolute is None else self.absolute
        return Limit(relative * self.growth, absolute * self.growth)

    def grown(self, rounds: int) -> Tolerance:
        """Return the tolerance for values after `rounds` successive updates.

        Rounding errors have random signs: their sum grows with the square root of their number.
        """
        return replace(self, growth=self.growth * max(1, rounds) ** 0.5)
