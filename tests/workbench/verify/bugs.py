"""Ports with one realistic bug each: a correct port, and one line of it written otherwise."""

from __future__ import annotations

# By port: the words of the correct one, and of the wrong one. One of each kind of mistake.
BUGS: dict[str, list[tuple[str, str]]] = {
    "mlp": [
        ("y = self.bn(y)", "y = self.bn(y.detach())"),
        ("y = F.gelu(y)", "y = y + (F.gelu(y) - y).detach()"),
        ("nn.BatchNorm1D(8)", "nn.BatchNorm1D(8, momentum=0.1)"),
        ("nn.BatchNorm1D(8)", "nn.BatchNorm1D(8, epsilon=1e-3)"),
        ("nn.Dropout(0.2)", "nn.Dropout(0.3)"),
        ("nn.Dropout(0.2)", 'nn.Dropout(0.2, mode="downscale_in_infer")'),
        ("F.gelu(y)", "F.gelu(y, approximate=True)"),
        ("y = self.dropout(y)", "y = F.dropout(y, 0.2)"),
        ("y = self.bn(y)", "y = y"),
        ("(outputs, target)\n", '(outputs, target, reduction="sum")\n'),
        ("learning_rate=1e-2", "learning_rate=1.01e-2"),
        ("optimizer.AdamW", "optimizer.Adam"),
    ],
    "block": [
        ("exclusive=False", "exclusive=True"),
        ("3, 6, 3, s=2, p=1", "3, 6, 3, s=2, p=0"),
        ("F.relu(self.a(x))", "self.a(x)"),
        ("paddle.flatten(y, start_axis=1)", "y.reshape([2, -1])"),
        ("F.relu(skip + y)", "F.relu(y)"),
        ("0.1, 0.9", "0.1, 0.95"),
    ],
    "gpt": [
        ("diagonal=1", "diagonal=0"),
        (" if p.ndim > 1", ""),
    ],
    "seq": [
        ("states[:, -1, :]", "states[:, 0, :]"),
        ("sum(axis=1)", "mean(axis=1)"),
        ("axis=-1)", "axis=0)"),
    ],
    "keypoint": [
        ("delta=0.05) / 0.05", "delta=0.05)"),
    ],
    "vit": [
        ("[token, x], axis=1", "[x, token], axis=1"),
    ],
    "convnext": [
        ("(centred * centred).mean(axis=1, keepdim=True)", "x.var(axis=1, keepdim=True)"),
    ],
    "ladder": [
        ("[2, 4], gamma", "[3, 4], gamma"),
    ],
    "wavenet": [
        ("[2 * gated.dilation, 0]", "[gated.dilation, gated.dilation]"),
        (", ignore_index=0)", ")"),
    ],
    "albert": [
        ("[layer] * depth", "[layer] * (depth - 1)"),
    ],
    "packed": [
        ("level(x, sequence_length=lengths)", "level(x)"),
    ],
    "experts": [
        ("balance = (shares**2).sum()", "balance = (shares.detach() ** 2).sum()"),
    ],
    "window": [
        ("0.9 * self.mean + 0.1 * now", "0.1 * self.mean + 0.9 * now"),
    ],
}

# More of these kinds, in other places, for `make ported`.
MORE_BUGS: dict[str, list[tuple[str, str]]] = {
    "mlp": [
        ("nn.LayerNorm(8)", "nn.LayerNorm(8, epsilon=1e-6)"),
        ("nn.LeakyReLU(0.1)", "nn.LeakyReLU()"),
        ("F.gelu(y)", "F.relu(y)"),
        ("y = self.dropout(y)", "y = y"),
        ("return y / 2", "return y"),
        ("(outputs, target)\n", "(outputs, target, use_softmax=False)\n"),
        ("weight_decay=0.1", "weight_decay=0.01"),
    ],
    "block": [
        ("start_axis=1)", "start_axis=1) * 1.5"),
        (", use_nesterov=True", ""),
        (".mean()", ".sum()"),
    ],
    "gpt": [
        ("scores = scores + future * -1e9", "scores = scores.detach() + future * -1e9"),
        ("q * scale, k", "q, k"),
        ("c // self.h)\n        scores", "c)\n        scores"),
        ("paddle.triu", "paddle.tril"),
        ("F.softmax(scores, axis=-1)", "F.softmax(scores, axis=-2)"),
        ("approximate=True", "approximate=False"),
        ("paddle.arange(ids.shape[1])", "paddle.arange(ids.shape[1]) + 1"),
        ("a = self.mixer(self.norm_a(x))", "a = self.mixer(x)"),
        ("x = x + self.dropout(a)", "x = self.dropout(a)"),
        ("self.dropout(a)", "F.dropout(a, 0.1)"),
        ("label_smoothing=0.1", "label_smoothing=0.101"),
    ],
    "encoder": [
        (" * self.scale", ""),
        ("-1e9", "-1.0"),
        ("nn.GELU()", "nn.GELU(approximate=True)"),
        ("weights = self.drop(F.softmax(scores, axis=-1))", "weights = F.softmax(scores, axis=-1)"),
        ("paddle.clip(valid.sum(axis=1), min=1.0)", "x.shape[1]"),
        ("epsilon=0.1", "epsilon=0.2"),
        ("beta2=0.95", "beta2=0.999"),
        ("weight_decay=0.05", "weight_decay=0.0505"),
        ("T_max=10", "T_max=20"),
        ("q, k)", "k, q)"),
        ("bhqk,bkhd->bqhd", "bhkq,bkhd->bqhd"),
    ],
    "llama": [
        ("first * cos - second * sin", "first * cos + second * sin"),
        ("x[..., :half], x[..., half:]", "x[..., ::2], x[..., 1::2]"),
        ("10000.0**", "1000.0**"),
        ("math.sqrt(self.head_dim)", "math.sqrt(hidden)"),
        ("F.silu(gate) * up", "gate * F.silu(up)"),
        ("self.ln_f(x)", "x"),
        (
            "q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)",
            "q = apply_rotary(q, cos, sin)",
        ),
        ("paddle.sqrt(variance + self.epsilon)", "(paddle.sqrt(variance) + self.epsilon)"),
    ],
    "unet": [
        ('mode="reflect"', 'mode="replicate"'),
        ("nn.GroupNorm(4, out_channels)", "nn.GroupNorm(2, out_channels)"),
        ("scale, shift = ", "shift, scale = "),
        ("self.act(h) + residual", "self.act(h + residual)"),
        ("align_corners=False", "align_corners=True"),
        ("F.max_pool2d", "F.avg_pool2d"),
        ("/ half)", "/ (half - 1))"),
        ("F.silu(self.fc1(emb))", "F.relu(self.fc1(emb))"),
        ("self.out_norm(self.out_conv(h))", "self.out_conv(self.out_norm(h))"),
    ],
    "seq": [
        ("states[:, -1, :]", "states[:, 4, :]"),
        ("logvar * 0.5", "logvar"),
        ("* -0.5", "* 0.5"),
        ("F.tanh(z)", "F.sigmoid(z)"),
    ],
    "keypoint": [
        ("heat.sum(axis=2) * line", "heat.sum(axis=3) * line"),
        ("epsilon=1e-6, ", ""),
    ],
    "vit": [
        (
            "token = self.token.reshape([1, 1, -1])",
            "token = self.token.detach().reshape([1, 1, -1])",
        ),
        ("x.transpose([0, 2, 4, 1, 3, 5])", "x.transpose([0, 2, 4, 3, 5, 1])"),
        ("return x + F.dropout(m, self.rate, training=self.training)", "return x + m"),
    ],
    "convnext": [
        ("mean = x.mean(axis=1, keepdim=True)", "mean = x.mean(axis=1, keepdim=True).detach()"),
        ("return x + self.scale * self.body(x)", "return x + self.body(x)"),
        ("return p.ndim >= 2 and p.size != max(p.shape)", "return p.ndim >= 2"),
    ],
    "ladder": [
        ("h = h + a\n", "h = h + b\n"),
        ("[h[:, -1:], h[:, :-1]]", "[h[:, 1:], h[:, :1]]"),
    ],
    "wavenet": [
        ("alpha=0.7", "alpha=1.0"),
        ("(self.v**2).sum(axis=[1, 2], keepdim=True)", "(self.v**2).sum()"),
    ],
    "albert": [
        ("x = self.norm1(x + self.wo(mixed))", "x = x + self.norm1(self.wo(mixed))"),
        (
            "paddle.where(hidden, paddle.full_like(scores, -1e30), scores)",
            "paddle.where(hidden, scores, paddle.full_like(scores, -1e30))",
        ),
    ],
    "tagger": [
        ("[pooled, end_a, end_b]", "[pooled, a[:, -1], b[:, -1]]"),
        ("axis=1)\n        pooled", "axis=-1)\n        pooled"),
        ("margin=0.5", "margin=1.0"),
    ],
    "packed": [
        ("nn.Dropout(0.3)", "nn.Dropout(0.5)"),
        ("ids != 0", "ids != 1"),
    ],
    "experts": [
        ("share = best / best.sum(axis=-1, keepdim=True)", "share = best"),
        ("0.8 * (gap - 0.4))", "0.8 * (gap - 0.8))"),
    ],
    "decoder": [
        ("x.transpose([0, 1, 4, 2, 5, 3])", "x.transpose([0, 1, 4, 3, 5, 2])"),
        ("beta1=0.5", "beta1=0.9"),
        ('mode="bicubic"', 'mode="bilinear"'),
    ],
    "window": [
        ("i - j + self.window - 1", "j - i + self.window - 1"),
        ("k = F.normalize(k, axis=-1)", "k = F.normalize(k, axis=1)"),
        ("y = paddle.concat([y[:, -2:], y[:, :-2]], axis=1)", "y = y"),
    ],
}

# Settings of a training that are 1 % off.
SLIGHTLY: dict[str, list[tuple[str, str]]] = {
    "block": [
        ("Momentum(0.1,", "Momentum(0.101,"),
        (".mean()", ".mean() * 1.01"),
        ("nn.BatchNorm2D(cout)", "nn.BatchNorm2D(cout, epsilon=1.01e-5)"),
    ],
}
MORE_SLIGHTLY: dict[str, list[tuple[str, str]]] = {
    "block": [
        ("0.1, 0.9,", "0.1, 0.909,"),
        ("nn.BatchNorm2D(cout)", "nn.BatchNorm2D(cout, momentum=0.899)"),
    ],
    "gpt": [
        ("Decay(3e-3", "Decay(3.03e-3"),
        ('"beta1": 0.9', '"beta1": 0.909'),
        ('"beta2": 0.95', '"beta2": 0.9595'),
        ('"epsilon": 1e-8', '"epsilon": 1.01e-8'),
        ('"weight_decay": 0.1', '"weight_decay": 0.101'),
        ("T_max=100", "T_max=101"),
        ("label_smoothing=0.1)", "label_smoothing=0.1) * 1.01"),
    ],
}

# Other words for the same: no verifier may refuse them.
SAME: dict[str, list[tuple[str, str]]] = {
    "mlp": [
        ("return y / 2", "return 0.5 * y"),
        ("F.gelu(y)", "y * (1 + paddle.erf(y / 2**0.5)) * 0.5"),
        ("nn.BatchNorm1D(8)", "nn.BatchNorm1D(8, momentum=0.9, epsilon=1e-5)"),
        ("y = self.dropout(y)", "y = F.dropout(y, 0.2, training=self.training)"),
    ],
    "block": [
        ("y = paddle.flatten(y, start_axis=1)", "y = y.reshape([y.shape[0], -1])"),
        ("(outputs**2).mean()", "F.mse_loss(outputs, paddle.zeros_like(outputs))"),
    ],
    "gpt": [
        ("F.softmax(scores, axis=-1)", "F.log_softmax(scores, axis=-1).exp()"),
        ("paddle.matmul(q * scale, k, transpose_y=True)", "q @ k.transpose([0, 1, 3, 2]) * scale"),
    ],
    "seq": [
        ("F.tanh(z)", "2 * F.sigmoid(2 * z) - 1"),
        ("mu.square()", "mu * mu"),
    ],
}  # fmt: skip
