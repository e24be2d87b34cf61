"""The weights that torchvision offers for its older networks, by name."""

from __future__ import annotations

from workbench.targets.paddle.modules.helpers.class_names import torch_called
from workbench.targets.paddle.vision.helpers.networks.weights import TorchWeights, TorchWeightsEnum


@torch_called("AlexNet_Weights")
class TorchAlexNetWeights(TorchWeightsEnum):
    """`torchvision.models.AlexNet_Weights`."""

    IMAGENET1K_V1 = TorchWeights("alexnet-owt-7be5be79.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("DenseNet121_Weights")
class TorchDenseNet121Weights(TorchWeightsEnum):
    """`torchvision.models.DenseNet121_Weights`."""

    IMAGENET1K_V1 = TorchWeights("densenet121-a639ec97.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("DenseNet161_Weights")
class TorchDenseNet161Weights(TorchWeightsEnum):
    """`torchvision.models.DenseNet161_Weights`."""

    IMAGENET1K_V1 = TorchWeights("densenet161-8d451a50.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("DenseNet169_Weights")
class TorchDenseNet169Weights(TorchWeightsEnum):
    """`torchvision.models.DenseNet169_Weights`."""

    IMAGENET1K_V1 = TorchWeights("densenet169-b2777c0a.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("DenseNet201_Weights")
class TorchDenseNet201Weights(TorchWeightsEnum):
    """`torchvision.models.DenseNet201_Weights`."""

    IMAGENET1K_V1 = TorchWeights("densenet201-c1103571.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("GoogLeNet_Weights")
class TorchGoogLeNetWeights(TorchWeightsEnum):
    """`torchvision.models.GoogLeNet_Weights`."""

    IMAGENET1K_V1 = TorchWeights("googlenet-1378be20.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("Inception_V3_Weights")
class TorchInceptionV3Weights(TorchWeightsEnum):
    """`torchvision.models.Inception_V3_Weights`."""

    IMAGENET1K_V1 = TorchWeights("inception_v3_google-0cc3c7bd.pth", resize=342, crop=299)
    DEFAULT = IMAGENET1K_V1


@torch_called("MobileNet_V2_Weights")
class TorchMobileNetV2Weights(TorchWeightsEnum):
    """`torchvision.models.MobileNet_V2_Weights`."""

    IMAGENET1K_V1 = TorchWeights("mobilenet_v2-b0353104.pth")
    IMAGENET1K_V2 = TorchWeights("mobilenet_v2-7ebf99e0.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("MobileNet_V3_Large_Weights")
class TorchMobileNetV3LargeWeights(TorchWeightsEnum):
    """`torchvision.models.MobileNet_V3_Large_Weights`."""

    IMAGENET1K_V1 = TorchWeights("mobilenet_v3_large-8738ca79.pth")
    IMAGENET1K_V2 = TorchWeights("mobilenet_v3_large-5c1a4163.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("MobileNet_V3_Small_Weights")
class TorchMobileNetV3SmallWeights(TorchWeightsEnum):
    """`torchvision.models.MobileNet_V3_Small_Weights`."""

    IMAGENET1K_V1 = TorchWeights("mobilenet_v3_small-047dcff4.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("ResNet18_Weights")
class TorchResNet18Weights(TorchWeightsEnum):
    """`torchvision.models.ResNet18_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnet18-f37072fd.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("ResNet34_Weights")
class TorchResNet34Weights(TorchWeightsEnum):
    """`torchvision.models.ResNet34_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnet34-b627a593.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("ResNet50_Weights")
class TorchResNet50Weights(TorchWeightsEnum):
    """`torchvision.models.ResNet50_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnet50-0676ba61.pth")
    IMAGENET1K_V2 = TorchWeights("resnet50-11ad3fa6.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("ResNet101_Weights")
class TorchResNet101Weights(TorchWeightsEnum):
    """`torchvision.models.ResNet101_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnet101-63fe2227.pth")
    IMAGENET1K_V2 = TorchWeights("resnet101-cd907fc2.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("ResNet152_Weights")
class TorchResNet152Weights(TorchWeightsEnum):
    """`torchvision.models.ResNet152_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnet152-394f9c45.pth")
    IMAGENET1K_V2 = TorchWeights("resnet152-f82ba261.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("ResNeXt50_32X4D_Weights")
class TorchResNeXt5032X4DWeights(TorchWeightsEnum):
    """`torchvision.models.ResNeXt50_32X4D_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnext50_32x4d-7cdf4587.pth")
    IMAGENET1K_V2 = TorchWeights("resnext50_32x4d-1a0047aa.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("ResNeXt101_32X8D_Weights")
class TorchResNeXt10132X8DWeights(TorchWeightsEnum):
    """`torchvision.models.ResNeXt101_32X8D_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnext101_32x8d-8ba56ff5.pth")
    IMAGENET1K_V2 = TorchWeights("resnext101_32x8d-110c445d.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("ResNeXt101_64X4D_Weights")
class TorchResNeXt10164X4DWeights(TorchWeightsEnum):
    """`torchvision.models.ResNeXt101_64X4D_Weights`."""

    IMAGENET1K_V1 = TorchWeights("resnext101_64x4d-173b62eb.pth", resize=232)
    DEFAULT = IMAGENET1K_V1


@torch_called("ShuffleNet_V2_X0_5_Weights")
class TorchShuffleNetV2X05Weights(TorchWeightsEnum):
    """`torchvision.models.ShuffleNet_V2_X0_5_Weights`."""

    IMAGENET1K_V1 = TorchWeights("shufflenetv2_x0.5-f707e7126e.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("ShuffleNet_V2_X1_0_Weights")
class TorchShuffleNetV2X10Weights(TorchWeightsEnum):
    """`torchvision.models.ShuffleNet_V2_X1_0_Weights`."""

    IMAGENET1K_V1 = TorchWeights("shufflenetv2_x1-5666bf0f80.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("ShuffleNet_V2_X1_5_Weights")
class TorchShuffleNetV2X15Weights(TorchWeightsEnum):
    """`torchvision.models.ShuffleNet_V2_X1_5_Weights`."""

    IMAGENET1K_V1 = TorchWeights("shufflenetv2_x1_5-3c479a10.pth", resize=232)
    DEFAULT = IMAGENET1K_V1


@torch_called("ShuffleNet_V2_X2_0_Weights")
class TorchShuffleNetV2X20Weights(TorchWeightsEnum):
    """`torchvision.models.ShuffleNet_V2_X2_0_Weights`."""

    IMAGENET1K_V1 = TorchWeights("shufflenetv2_x2_0-8be3c8ee.pth", resize=232)
    DEFAULT = IMAGENET1K_V1


@torch_called("SqueezeNet1_0_Weights")
class TorchSqueezeNet10Weights(TorchWeightsEnum):
    """`torchvision.models.SqueezeNet1_0_Weights`."""

    IMAGENET1K_V1 = TorchWeights("squeezenet1_0-b66bff10.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("SqueezeNet1_1_Weights")
class TorchSqueezeNet11Weights(TorchWeightsEnum):
    """`torchvision.models.SqueezeNet1_1_Weights`."""

    IMAGENET1K_V1 = TorchWeights("squeezenet1_1-b8a52dc0.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG11_Weights")
class TorchVGG11Weights(TorchWeightsEnum):
    """`torchvision.models.VGG11_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg11-8a719046.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG11_BN_Weights")
class TorchVGG11BNWeights(TorchWeightsEnum):
    """`torchvision.models.VGG11_BN_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg11_bn-6002323d.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG13_Weights")
class TorchVGG13Weights(TorchWeightsEnum):
    """`torchvision.models.VGG13_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg13-19584684.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG13_BN_Weights")
class TorchVGG13BNWeights(TorchWeightsEnum):
    """`torchvision.models.VGG13_BN_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg13_bn-abd245e5.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG16_Weights")
class TorchVGG16Weights(TorchWeightsEnum):
    """`torchvision.models.VGG16_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg16-397923af.pth")
    IMAGENET1K_FEATURES = TorchWeights(
        "vgg16_features-amdegroot-88682ab5.pth",
        mean=(0.48235, 0.45882, 0.40784),
        std=(1 / 255, 1 / 255, 1 / 255),
    )
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG16_BN_Weights")
class TorchVGG16BNWeights(TorchWeightsEnum):
    """`torchvision.models.VGG16_BN_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg16_bn-6c64b313.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG19_Weights")
class TorchVGG19Weights(TorchWeightsEnum):
    """`torchvision.models.VGG19_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg19-dcbb9e9d.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("VGG19_BN_Weights")
class TorchVGG19BNWeights(TorchWeightsEnum):
    """`torchvision.models.VGG19_BN_Weights`."""

    IMAGENET1K_V1 = TorchWeights("vgg19_bn-c79401a0.pth")
    DEFAULT = IMAGENET1K_V1


@torch_called("Wide_ResNet50_2_Weights")
class TorchWideResNet502Weights(TorchWeightsEnum):
    """`torchvision.models.Wide_ResNet50_2_Weights`."""

    IMAGENET1K_V1 = TorchWeights("wide_resnet50_2-95faca4d.pth")
    IMAGENET1K_V2 = TorchWeights("wide_resnet50_2-9ba9bcbe.pth", resize=232)
    DEFAULT = IMAGENET1K_V2


@torch_called("Wide_ResNet101_2_Weights")
class TorchWideResNet1012Weights(TorchWeightsEnum):
    """`torchvision.models.Wide_ResNet101_2_Weights`."""

    IMAGENET1K_V1 = TorchWeights("wide_resnet101_2-32ee1156.pth")
    IMAGENET1K_V2 = TorchWeights("wide_resnet101_2-d733dc28.pth", resize=232)
    DEFAULT = IMAGENET1K_V2
