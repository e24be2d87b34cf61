"""Signatures: torchvision and timm."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torchvision.models.alexnet": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "dropout=None) -> torchvision.models.AlexNet"
        ),
    ),
    "torchvision.models.mobilenet_v2": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "width_mult=None, inverted_residual_setting=None, round_nearest=None, "
            "block=None, norm_layer=None, dropout=None) -> torchvision.models.MobileNetV2"
        ),
    ),
    "torchvision.models.squeezenet1_0": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "dropout=None) -> torchvision.models.SqueezeNet"
        ),
    ),
    "torchvision.models.squeezenet1_1": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "dropout=None) -> torchvision.models.SqueezeNet"
        ),
    ),
    "torchvision.models.vgg11": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg11_bn": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg13": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg13_bn": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg16": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg16_bn": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg19": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.vgg19_bn": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "init_weights=None, dropout=None) -> torchvision.models.VGG"
        ),
    ),
    "torchvision.models.densenet121": (
        (
            "(weights=None, progress=True, *, pretrained=False, memory_efficient=False, "
            "bn_size=None, drop_rate=None, num_classes=None) -> torchvision.models.DenseNet"
        ),
    ),
    "torchvision.models.densenet161": (
        (
            "(weights=None, progress=True, *, pretrained=False, memory_efficient=False, "
            "bn_size=None, drop_rate=None, num_classes=None) -> torchvision.models.DenseNet"
        ),
    ),
    "torchvision.models.densenet169": (
        (
            "(weights=None, progress=True, *, pretrained=False, memory_efficient=False, "
            "bn_size=None, drop_rate=None, num_classes=None) -> torchvision.models.DenseNet"
        ),
    ),
    "torchvision.models.densenet201": (
        (
            "(weights=None, progress=True, *, pretrained=False, memory_efficient=False, "
            "bn_size=None, drop_rate=None, num_classes=None) -> torchvision.models.DenseNet"
        ),
    ),
    "torchvision.models.shufflenet_v2_x0_5": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None) -> "
            "torchvision.models.ShuffleNetV2"
        ),
    ),
    "torchvision.models.shufflenet_v2_x1_0": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None) -> "
            "torchvision.models.ShuffleNetV2"
        ),
    ),
    "torchvision.models.shufflenet_v2_x1_5": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None) -> "
            "torchvision.models.ShuffleNetV2"
        ),
    ),
    "torchvision.models.shufflenet_v2_x2_0": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None) -> "
            "torchvision.models.ShuffleNetV2"
        ),
    ),
    "torchvision.models.mobilenet_v3_large": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "dropout=None) -> torchvision.models.MobileNetV3"
        ),
    ),
    "torchvision.models.mobilenet_v3_small": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "dropout=None) -> torchvision.models.MobileNetV3"
        ),
    ),
    "torchvision.models.inception_v3": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "aux_logits=None, transform_input=None, init_weights=None, dropout=None) -> "
            "torchvision.models.Inception3"
        ),
    ),
    "torchvision.models.googlenet": (
        (
            "(weights=None, progress=True, *, pretrained=False, num_classes=None, "
            "aux_logits=None, transform_input=None, init_weights=None, dropout=None, "
            "dropout_aux=None) -> torchvision.models.GoogLeNet"
        ),
    ),
    "torchvision.models.ShuffleNetV2": (
        "(stages_repeats, stages_out_channels, num_classes=1000, inverted_residual=None)",
    ),
    "torchvision.models.inception.InceptionA": ("(in_channels, pool_features, conv_block=None)",),
    "torchvision.models.inception.InceptionB": ("(in_channels, conv_block=None)",),
    "torchvision.models.inception.InceptionC": ("(in_channels, channels_7x7, conv_block=None)",),
    "torchvision.models.inception.InceptionD": ("(in_channels, conv_block=None)",),
    "torchvision.models.inception.InceptionE": ("(in_channels, conv_block=None)",),
    "torchvision.models.inception.BasicConv2d": (
        ("(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1)"),
    ),
    "torchvision.models.inception.InceptionAux": ("(in_channels, num_classes, conv_block=None)",),
    "torchvision.models.resnet18": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnet34": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnet50": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnet101": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnet152": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnext50_32x4d": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnext101_32x8d": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.resnext101_64x4d": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.wide_resnet50_2": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
    "torchvision.models.wide_resnet101_2": (
        (
            "(weights=None, progress: bool=True, *, pretrained=False, num_classes: "
            "int=1000, zero_init_residual: bool=False, groups: int=1, width_per_group: "
            "int=64, replace_stride_with_dilation=None, norm_layer=None) -> "
            "torchvision.models.ResNet"
        ),
    ),
}
