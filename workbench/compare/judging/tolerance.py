"""How far two computations of one value may lie apart and still be the same.

Two frameworks sum in different orders, so that floats differ by rounding. Rounding grows with the
largest numbers that take part, not with the element it lands on: a limit is therefore measured
against the largest magnitude of the whole tensor. Integers, booleans and text have no rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

# Per dtype: relative to the tensor's largest magnitude, and absolute. The float32 figures leave a
# factor of ten to what 85 real models showed (worst 3.7e-6); the others scale with their epsilon.
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
        """The limit for values whose largest magnitude is `scale`."""
        return self.relative * scale + self.absolute


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits for every dtype, widened or replaced by what the user asks for.

    `relative` and `absolute` replace the figures of every inexact dtype. `growth` multiplies them:
    a value that went through many rounds of arithmetic (training steps) has rounded that often.
    """

    relative: float | None = None
    absolute: float | None = None
    growth: float = 1.0

    def limit(self, dtype: str) -> Limit:
        """The limit for a dtype by its short name, such as `float32`; exact for all others."""
        if dtype not in _DEFAULTS:
            return Limit(0.0, 0.0)
        relative, absolute = _DEFAULTS[dtype]
        relative = relative if self.relative is None else self.relative
        absolute = absolute if self.absolute is None else self.absolute
        return Limit(relative * self.growth, absolute * self.growth)

    def grown(self, rounds: int) -> Tolerance:
        """The tolerance for values that `rounds` updates built on each other.

        Roundings are as often up as down: their sum grows with the square root of their number.
        """
        return replace(self, growth=self.growth * max(1, rounds) ** 0.5)
