"""The same for Paddle, written by hand."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2D(8)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(8 * 16, 10)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 2)
        return self.fc(self.drop(x.flatten(1)))


def main():
    paddle.seed(0)
    x = paddle.randn([256, 1, 8, 8])
    y = paddle.randint(0, 10, [256])
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([x, y]), batch_size=32, shuffle=True)
    model = Net()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    scheduler = paddle.optimizer.lr.StepDecay(1e-3, 4, 0.5)
    optimizer = paddle.optimizer.AdamW(
        scheduler,
        parameters=model.parameters(),
        weight_decay=0.05,
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    for epoch in range(5):
        model.train()
        for images, labels in loader:
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            scheduler.step()
        model.eval()
        with paddle.no_grad():
            print(epoch, criterion(model(x), y).item())


if __name__ == "__main__":
    main()
