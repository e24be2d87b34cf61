"""Metadata of the weights that torchvision downloads for the networks that have rules."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_M = "torchvision.models"
_NAMES = words(
    "AlexNet DenseNet121 DenseNet161 DenseNet169 DenseNet201 GoogLeNet Inception_V3 "
    "MobileNet_V2 MobileNet_V3_Large MobileNet_V3_Small ResNet18 ResNet34 ResNet50 ResNet101 "
    "ResNet152 ResNeXt50_32X4D ResNeXt101_32X8D ResNeXt101_64X4D ShuffleNet_V2_X0_5 "
    "ShuffleNet_V2_X1_0 ShuffleNet_V2_X1_5 ShuffleNet_V2_X2_0 SqueezeNet1_0 SqueezeNet1_1 "
    "VGG11 VGG11_BN VGG13 VGG13_BN VGG16 VGG16_BN VGG19 VGG19_BN Wide_ResNet50_2 "
    "Wide_ResNet101_2"
)
_UNTOLD = "`meta` (classes, scores) is not available: it raises an error"
for _name in _NAMES:
    _class, _helper = f"{_M}.{_name}_Weights", f"Torch{_name.replace('_', '')}Weights"
    rules.row(_class, f"{_helper}({{value}})", value=_helper, caveat=_UNTOLD)
    for _member in sorted(load().inside(_class)):
        rules.row(_member, f"{_helper}.{_member.rpartition('.')[2]}", note=_UNTOLD)
