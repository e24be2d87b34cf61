"""Data types, devices, layouts and memory formats as values, and tests of them."""

from __future__ import annotations

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

_SAME = words(
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e5m2"
)
for _name in _SAME:
    rules.row(f"torch.{_name}", f"paddle.{_name}")
for _name in ("uint16", "uint32", "uint64"):
    rules.refuse(
        f"torch.{_name}", reason="Paddle does not compute in this dtype", instead="paddle.int64"
    )
rules.refuse(
    "torch.complex32",
    "torch.float8_e4m3fnuz",
    "torch.float8_e5m2fnuz",
    "torch.float8_e8m0fnu",
    "torch.float4_e2m1fn_x2",
    "torch.bits8",
    "torch.bits16",
    "torch.bits1x8",
    "torch.bits2x4",
    "torch.bits4x2",
    *[f"torch.int{bits}" for bits in range(1, 8)],
    *[f"torch.uint{bits}" for bits in range(1, 8)],
    reason="Paddle has no such data type",
)
rules.refuse(
    "torch.quint4x2",
    "torch.quint2x4",
    reason="Paddle has no quantized tensors like torch's",
    instead="paddle.quantization",
)

rules.row("torch.inf", "float('inf')")
rules.row("torch.nan", "float('nan')")
rules.row("torch.pi", "math.pi")
rules.row("torch.e", "math.e")
rules.row("torch.newaxis", "None")

rules.row("torch.dtype", "paddle.dtype", value="paddle.dtype")
rules.row("torch.get_default_dtype", "torch_default_dtype()")
rules.row("torch.set_default_dtype", "paddle.set_default_dtype({d})")

for _kind, _members in (
    ("finfo", ("bits", "eps", "max", "min", "resolution", "smallest_normal", "tiny", "dtype")),
    ("iinfo", ("bits", "max", "min", "dtype")),
):

    @rules.rule(
        f"torch.{_kind}",
        value=f"paddle.{_kind}",
        unpacked=f"(lambda type: paddle.{_kind}(type))(...)"
        if _kind == "iinfo"
        else "(lambda type=None: paddle.finfo(type or paddle.get_default_dtype()))(...)",
    )
    def info(match: Match, kind: str = _kind) -> Outcome:
        if not match.arguments:
            return Rewrite(f"paddle.{kind}(paddle.get_default_dtype())")
        return Rewrite(f"paddle.{kind}({{{next(iter(match.arguments))}}})")

    for _member in _members:
        rules.rule(f"torch.{_kind}.{_member}")(lambda match: Keep())

rules.row("torch.promote_types", "torch_promote_types({type1}, {type2})")
rules.row(
    "torch.result_type",
    "torch_result_type({tensor}, {other})",
    "torch_result_type({scalar}, {tensor})",
    "torch_result_type({scalar1}, {scalar2})",
)
rules.row("torch.can_cast", "torch_can_cast({from_}, {to})")


@rules.rule("torch.device", value="paddle.device.Device", unpacked="paddle.device(...)")
def device(match: Match) -> Outcome:
    """Write Paddle's device, which is a string; without an index it is the first."""
    if match.use.call is None:
        return Keep()
    kind = match.constant("device", match.constant("type", NOT_CONSTANT))
    if match.given("type") and "index" not in match:
        return Rewrite("paddle.device({type})")
    if isinstance(kind, str) and kind.partition(":")[0] not in {"cpu", "cuda", "xpu"}:
        return Refusal(f"Paddle has no device {kind!r}")
    if "type" in match:
        return Rewrite("paddle.device({type}, {index})")
    return Rewrite("paddle.device({device})")


for _name in (
    "contiguous_format",
    "preserve_format",
    "channels_last",
    "channels_last_3d",
):
    rules.row(
        f"torch.{_name}",
        f'"{_name}"',
        note="Paddle has no memory formats; a string replaces it, which has no effect",
    )
rules.refuse(
    "torch.memory_format",
    reason="Paddle has no memory formats; remove the argument",
)
rules.refuse("torch.layout", reason="Paddle has no layout objects", instead="x.is_sparse()")
