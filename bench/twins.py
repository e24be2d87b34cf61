"""Four well-known models written by hand twice: in torch, and in Paddle under the same names."""

from __future__ import annotations

from typing import Any

import paddle
import paddle.nn.functional as F  # noqa: N812
import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """The twin of `paddle.vision.models.resnet18`."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        widths = [64, 64, 128, 256, 512]
        for number in range(1, 5):
            before, width = widths[number - 1], widths[number]
            blocks = [ResidualBlock(before, width, 1 if number == 1 else 2)]
            blocks.append(ResidualBlock(width, width, 1))
            setattr(self, f"layer{number}", nn.Sequential(*blocks))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class TorchBlock(nn.Module):
    """A transformer block; `first` puts the norms before their parts, as GPT and ViT do."""

    def __init__(self, width: int, heads: int, *, causal: bool, first: bool) -> None:
        super().__init__()
        self.heads, self.causal, self.first = heads, causal, first
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.first:
            x = x + self.attend(self.norm1(x))
            return x + self.fc2(nn.functional.gelu(self.fc1(self.norm2(x))))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.fc2(nn.functional.gelu(self.fc1(x))))


class PaddleBlock(paddle.nn.Layer):
    def __init__(self, width: int, heads: int, *, causal: bool, first: bool) -> None:
        super().__init__()
        self.heads, self.causal, self.first = heads, causal, first
        self.qkv = paddle.nn.Linear(width, 3 * width)
        self.proj = paddle.nn.Linear(width, width)
        self.fc1 = paddle.nn.Linear(width, 4 * width)
        self.fc2 = paddle.nn.Linear(4 * width, width)
        self.norm1 = paddle.nn.LayerNorm(width)
        self.norm2 = paddle.nn.LayerNorm(width)

    def attend(self, x: Any) -> Any:
        batch, length, width = x.shape
        parts = self.qkv(x).reshape([batch, length, 3, self.heads, width // self.heads])
        q, k, v = parts.unbind(2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(y.reshape([batch, length, width]))

    def forward(self, x: Any) -> Any:
        if self.first:
            x = x + self.attend(self.norm1(x))
            return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.fc2(F.gelu(self.fc1(x))))


class TorchText(nn.Module):
    """BERT, or a GPT with its head, by the block's two switches."""

    def __init__(self, words: int, width: int, depth: int, heads: int, *, gpt: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(
            TorchBlock(width, heads, causal=gpt, first=gpt) for _ in range(depth)
        )
        self.head = nn.Linear(width, words, bias=False)
        self.gpt = gpt

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        x = x if self.gpt else self.norm(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x) if self.gpt else x)


class PaddleText(paddle.nn.Layer):
    def __init__(self, words: int, width: int, depth: int, heads: int, *, gpt: bool) -> None:
        super().__init__()
        self.words = paddle.nn.Embedding(words, width)
        self.places = paddle.nn.Embedding(512, width)
        self.norm = paddle.nn.LayerNorm(width)
        self.blocks = paddle.nn.LayerList(
            [PaddleBlock(width, heads, causal=gpt, first=gpt) for _ in range(depth)]
        )
        self.head = paddle.nn.Linear(width, words, bias_attr=False)
        self.gpt = gpt

    def forward(self, ids: Any) -> Any:
        x = self.words(ids) + self.places(paddle.arange(ids.shape[1]))
        x = x if self.gpt else self.norm(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x) if self.gpt else x)


class TorchVision(nn.Module):
    """ViT."""

    def __init__(self, size: int, patch: int, width: int, depth: int, heads: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.ModuleList(
            TorchBlock(width, heads, causal=False, first=True) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 1000)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class PaddleVision(paddle.nn.Layer):
    def __init__(self, size: int, patch: int, width: int, depth: int, heads: int) -> None:
        super().__init__()
        self.patches = paddle.nn.Conv2D(3, width, patch, patch)
        self.first = self.create_parameter([1, 1, width])
        self.places = self.create_parameter([1, (size // patch) ** 2 + 1, width])
        self.blocks = paddle.nn.LayerList(
            [PaddleBlock(width, heads, causal=False, first=True) for _ in range(depth)]
        )
        self.norm = paddle.nn.LayerNorm(width)
        self.head = paddle.nn.Linear(width, 1000)

    def forward(self, image: Any) -> Any:
        x = self.patches(image).flatten(2).transpose([0, 2, 1])
        x = paddle.concat([self.first.expand([x.shape[0], -1, -1]), x], axis=1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def pairs() -> dict[str, tuple[nn.Module, Any, torch.Tensor]]:
    """By name: the model in torch, the one written by hand in Paddle, and an input."""
    torch.manual_seed(0)
    ids = torch.randint(0, 1000, (2, 128))
    return {
        "ResNet-18": (
            ResNet18(),
            paddle.vision.models.resnet18(),
            torch.randn(1, 3, 224, 224),
        ),
        "ViT": (
            TorchVision(224, 16, 192, 12, 3),
            PaddleVision(224, 16, 192, 12, 3),
            torch.randn(1, 3, 224, 224),
        ),
        "BERT": (
            TorchText(1000, 256, 4, 4, gpt=False),
            PaddleText(1000, 256, 4, 4, gpt=False),
            ids,
        ),
        "GPT": (
            TorchText(1000, 256, 6, 4, gpt=True),
            PaddleText(1000, 256, 6, 4, gpt=True),
            ids,
        ),
    }
