"""Image files in torchvision, whose compiled decoders load only with their own torch version."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_I = "torchvision.io"
for _mode in ("UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA", "RGBA"):
    rules.row(f"{_I}.ImageReadMode.{_mode}", f"TorchImageReadMode.{_mode}")
rules.row(f"{_I}.ImageReadMode", "TorchImageReadMode({value})", value="TorchImageReadMode")
for _name, _note in (
    ("read_file", "compared with the bytes of files, not with torchvision's reader"),
    ("decode_jpeg", "Pillow decodes the image, and its libjpeg may round differently"),
):
    rules.counterpart(f"{_I}.{_name}", f"torch_{_name}", note=_note)
