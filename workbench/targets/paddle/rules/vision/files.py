"""Files of images in torchvision, whose compiled decoders load beside their own torch alone."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_I = "torchvision.io"
_HEAD = "from torchvision import io\n"
for _mode in ("UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA", "RGBA"):
    rules.row(
        f"{_I}.ImageReadMode.{_mode}",
        f"TorchImageReadMode.{_mode}",
        cases=[f"{_HEAD}m = io.ImageReadMode.{_mode}\nr = m.name, m.value, str(m)\ndel m"],
    )
rules.row(
    f"{_I}.ImageReadMode",
    "TorchImageReadMode({value})",
    value="TorchImageReadMode",
    cases=[f"{_HEAD}r = io.ImageReadMode(3) is io.ImageReadMode.RGB, len(io.ImageReadMode)"],
)
for _name, _call, _note in (
    ("read_file", "('a.jpg')", "held against the bytes of files, not against torchvision's reader"),
    ("decode_jpeg", "(i, mode='RGB')", "Pillow decodes it, whose libjpeg may round otherwise"),
):
    rules.row(
        f"{_I}.{_name}",
        f"torch_{_name}(...)",
        value=f"torch_{_name}",
        note=_note,
        cases=[f"{_HEAD}r = io.{_name}{_call} if False else 1"],
    )
